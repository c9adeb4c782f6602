import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { goTo } from '../shell/urlState.js'
import { guideAddress } from './guideAddress.js'

/** Values of a section, as its address writes them; a program has to be packed first. */
export type OpeningValues =
  | Readonly<Record<string, string>>
  | (() => Promise<Readonly<Record<string, string>>>)

/** An experiment: what it sets, and what to look at then. */
export interface Experiment {
  readonly name: string
  readonly watch: string
  readonly values: OpeningValues
  /** The id of the heading under which it is seen, where that is further down. */
  readonly at?: string
}

/** A question that is answered before its result is shown. */
export interface Prediction {
  readonly asks: string
  readonly answers: readonly string[]
  /** The place of the right answer. */
  readonly right: number
  readonly because: string
  readonly values: OpeningValues
  readonly at?: string
}

/** How a section begins. */
export interface Opening {
  readonly question: string
  /** The mechanism: shapes in a field of 360 x 150. */
  readonly draw: () => ComponentChildren
  /** The picture in a sentence. */
  readonly says: string
  readonly formula: ComponentChildren
  /** The symbols and words of picture and formula. */
  readonly symbols: readonly (readonly [symbol: string, meaning: string])[]
  readonly experiments: readonly [Experiment, Experiment, Experiment]
  readonly prediction: Prediction
  /** The title of its guide. */
  readonly guide: string
}

/** What was answered, by section: it stays while the page is open. */
const answered = signal<Readonly<Record<string, number>>>({})

/** What the section does at an experiment or with a prediction. */
async function show(section: string, values: OpeningValues, at: string | undefined): Promise<void> {
  goTo(section, typeof values === 'function' ? await values() : values)
  if (at !== undefined) requestAnimationFrame(() => document.getElementById(at)?.scrollIntoView())
}

/** The question of a section, the mechanism behind it, three experiments, and one prediction. */
export function OpeningView({ section, opening }: { readonly section: string; readonly opening: Opening }) {
  const { question, formula, symbols, experiments, guide } = opening
  const address = guideAddress(guide)
  return (
    <section class="opening" aria-label="The question">
      <p class="question">{question}</p>
      <div class="two">
        <figure>
          <Mechanism opening={opening} />
        </figure>
        <div>
          <p class="formula">{formula}</p>
          <dl class="symbols">
            {symbols.map(([symbol, meaning]) => (
              <div key={symbol}>
                <dt>{symbol}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
          {address !== undefined && (
            <p>
              The guide: <a href={address}>{guide}</a>.
            </p>
          )}
        </div>
      </div>
      <h2>Try this</h2>
      <ul class="experiments">
        {experiments.map(({ name, watch, values, at }) => (
          <li key={name}>
            <button type="button" onClick={() => show(section, values, at)}>
              {name}
            </button>
            <p>{watch}</p>
          </li>
        ))}
      </ul>
      <Predict section={section} prediction={opening.prediction} />
    </section>
  )
}

/** The picture of a section's mechanism; a card shows it without a name of its own. */
export function Mechanism({
  opening,
  quiet = false,
}: {
  readonly opening: Opening
  readonly quiet?: boolean
}) {
  const { draw, says } = opening
  return quiet ? (
    <svg class="mechanism" viewBox="0 0 360 150" aria-hidden="true">
      {draw()}
    </svg>
  ) : (
    <svg class="mechanism" viewBox="0 0 360 150" role="img" aria-label={says}>
      {draw()}
    </svg>
  )
}

function Predict({ section, prediction }: { readonly section: string; readonly prediction: Prediction }) {
  const { asks, answers, right, because, values, at } = prediction
  const given = answered.value[section]
  const answer = (which: number): void => {
    answered.value = { ...answered.peek(), [section]: which }
    show(section, values, undefined)
  }
  return (
    <fieldset class="controls predict">
      <legend>Predict, then see</legend>
      <p>{asks}</p>
      {answers.map((words, which) => (
        <button key={words} type="button" aria-pressed={given === which} onClick={() => answer(which)}>
          {words}
        </button>
      ))}
      <p role="status" class="because">
        {given !== undefined && (
          <>
            <strong>{given === right ? 'Right.' : `It is: ${answers[right]}.`}</strong> {because}{' '}
          </>
        )}
      </p>
      {given !== undefined && (
        <button type="button" class="plain" onClick={() => show(section, values, at ?? 'below-the-opening')}>
          See it below
        </button>
      )}
    </fieldset>
  )
}
