import { Mechanism } from '../parts/opening.js'
import { nanOpening } from '../sections/nan/nanOpening.js'
import { RecordedFigure } from '../sections/nan/recorded/recordedFigure.js'
import { labGroups, labSections } from './sections.js'
import { hashOf } from './urlState.js'

/** Where the page begins: the recorded run, and every section as a card with its question and the picture of its mechanism. */
export function Start() {
  return (
    <>
      <h1>{nanOpening.question}</h1>
      <p>
        A state-space layer of five numbers, trained in bfloat16, recorded in Node with the library of this
        page. Step into its NaN; <a href={hashOf('nan')}>the section</a> says why, and runs it here.
      </p>
      <RecordedFigure brief />
      {labGroups.map((group) => (
        <section key={group} aria-labelledby={group}>
          <h2 id={group}>{group}</h2>
          <ul class="cards">
            {labSections
              .filter((section) => section.group === group)
              .map(({ id, title, opening }) => (
                <li key={id}>
                  <a href={hashOf(id)}>
                    <Mechanism opening={opening} quiet />
                    <strong>{title}</strong>
                    <span>{opening.question}</span>
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  )
}
