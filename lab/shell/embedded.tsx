import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { figureShown, onlyFigure } from '../parts/embedding.js'
import { Failed } from '../parts/failed.js'
import { labSections } from './sections.js'
import { currentSection, hashOf } from './urlState.js'

/** One figure of a section alone, for a frame in another page: the section is there, and all but the figure is hidden. */
export function Embedded() {
  const section = labSections.find(({ id }) => id === currentSection.value)
  const loaded = useSignal<{ readonly Section: ComponentType } | undefined>(undefined)
  const failure = useSignal('')
  useEffect(() => {
    document.title = `${section?.title ?? 'No section'}: a figure of the tpu-toolkit lab`
    section?.load().then(
      (Section) => {
        loaded.value = { Section }
      },
      (error: Error) => {
        failure.value = error.message
      },
    )
  }, [section])
  const Section = loaded.value?.Section
  const address = new URL(hashOf(currentSection.value), document.baseURI).href
  return (
    <>
      {section === undefined && (
        <Failed what="No figure" why={`the lab has no section "${currentSection.value}"`} />
      )}
      {failure.value !== '' && <Failed what="The figure could not be loaded" why={failure.value} />}
      {section && !figureShown.value && failure.value === '' && (
        <p role="status">
          The figure "{onlyFigure}" is not there yet: it is computed, or the section "{section.title}" has
          none of that name.
        </p>
      )}
      <main class="embed">{Section && <Section />}</main>
      <p class="from-lab">
        <a href={address} target="_blank" rel="noopener">
          Computed here by the tpu-toolkit lab: open it there
        </a>
      </p>
    </>
  )
}
