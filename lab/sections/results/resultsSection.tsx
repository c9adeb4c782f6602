import { signal, useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Chart } from '../../parts/chart.js'
import { DropFile } from '../../parts/dropFile.js'
import { Failed } from '../../parts/failed.js'
import { type LatestWins, latestWins } from '../../parts/latestWins.js'
import { ExploredTable } from './exploredTable.js'
import { reportKinds } from './kinds.js'
import type { ResultsAsked, View } from './resultsMessages.js'
import { state } from './resultsState.js'

const chosen = signal<File | undefined>(undefined)
const view = signal<View | undefined>(undefined)
const failure = signal('')
const reading = signal(false)
let worker: LatestWins<ResultsAsked> | undefined

/** Reports that the commands wrote, opened and looked through. */
export function ResultsSection() {
  useEffect(() => {
    worker = latestWins<ResultsAsked, View>('results', {
      onAnswer: (told) => {
        view.value = told
        failure.value = ''
        reading.value = false
      },
      onFailure: (why) => {
        view.value = undefined
        failure.value = why
        reading.value = false
      },
    })
    ask()
    return () => {
      worker?.close()
      worker = undefined
    }
  }, [])
  useSignalEffect(ask)
  const told = view.value
  const name = chosen.value?.name ?? `A sample of ${state.sample.value}`
  const sample = (of: 'drift' | 'nan'): void => {
    chosen.value = undefined
    forget()
    state.sample.value = of
  }
  return (
    <>
      <p>
        A report that a command wrote with <code>--json</code>, the rows of a sweep (<code>rows.jsonl</code>
        ), the samples of a run or a trace of spans: dropped here, sorted, looked through and drawn. It is
        recognised by what it holds, and stays on your machine.
      </p>
      <div class="controls">
        <DropFile
          label="A .json or .jsonl file, dropped here or chosen"
          accept=".json,.jsonl,.trace"
          onFile={(file) => {
            forget()
            chosen.value = file
          }}
        />
        <button type="button" onClick={() => sample('drift')}>
          Take a sample of drift
        </button>
        <button type="button" onClick={() => sample('nan')}>
          Take a sample of nan
        </button>
      </div>
      <p class="said" role="status">
        {reading.value
          ? `${name} is being read.`
          : told
            ? `${name}: ${told.about}`
            : failure.value === ''
              ? 'No report is open.'
              : `${name} is not shown.`}
      </p>
      {failure.value !== '' && <Failed what={`${name} is no such report`} why={failure.value} />}
      {told && <Shown view={told} file={name} />}
      <p>Known are the reports of {[...new Set(reportKinds.map(({ kind }) => kind))].join(', ')}.</p>
    </>
  )
}

/** What is shown of another file has columns of its own. */
function forget(): void {
  for (const one of [state.table, state.figure, state.words, state.x, state.y, state.by]) one.value = ''
}

function ask(): void {
  const file = chosen.value
  const sample = state.sample.value
  if (file === undefined && sample === 'none') {
    view.value = undefined
    failure.value = ''
    return
  }
  if (!worker) return
  reading.value = true
  worker.ask(file ? { file } : { sample: sample === 'nan' ? 'nan' : 'drift' })
}

function Shown({ view: told, file }: { readonly view: View; readonly file: string }) {
  const { facts, texts, tables, figures } = told
  const longest = [...tables].sort((a, b) => b.rows.length - a.rows.length)[0]
  const table =
    tables.find(({ title }) => title === state.table.value) ?? tables.find(({ plot }) => plot) ?? longest
  const figure = figures.find(({ title }) => title === state.figure.value) ?? figures[0]
  return (
    <>
      {facts.length > 0 && (
        <details open={facts.length <= 16}>
          <summary>{facts.length} facts</summary>
          <dl class="facts">
            {facts.slice(0, 200).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {figure && (
        <>
          <h2>{figures.length === 1 ? `The figure: ${figure.title}` : 'Figures'}</h2>
          {figures.length > 1 && (
            <Names
              label="figure"
              value={state.figure}
              shown={figure.title}
              names={figures.map(({ title }) => title)}
            />
          )}
          <Chart {...figure} height={280} says={`${figure.title}. ${figure.caption}`}>
            {figure.caption}
          </Chart>
        </>
      )}
      {table && (
        <>
          <h2>{tables.length === 1 ? `The table: ${table.title}` : 'Tables'}</h2>
          {tables.length > 1 && (
            <Names
              label="table"
              value={state.table}
              shown={table.title}
              names={tables.map(({ title }) => title)}
            />
          )}
          <ExploredTable key={`${file} ${table.title}`} table={table} file={file} />
        </>
      )}
      {texts.map(({ title, text }) => (
        <section key={title}>
          <h2>{title}</h2>
          <pre class="text">{text}</pre>
        </section>
      ))}
    </>
  )
}

function Names(props: {
  readonly label: string
  readonly value: typeof state.table
  readonly shown: string
  readonly names: readonly string[]
}) {
  const { label, value, shown, names } = props
  return (
    <div class="controls">
      <label class="field">
        {label}
        <select
          value={shown}
          onChange={({ currentTarget }) => {
            value.value = currentTarget.value
          }}
        >
          {[...new Set(names)].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
