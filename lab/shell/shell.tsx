import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { SameBits } from '../bits/sameBits.js'
import { onlyFigure } from '../parts/embedding.js'
import { Failed } from '../parts/failed.js'
import { OpeningView } from '../parts/opening.js'
import { Embedded } from './embedded.js'
import { labGroups, labSections } from './sections.js'
import { Start } from './start.js'
import { currentSection, hashOf, resetSection } from './urlState.js'

/** The page: one figure alone where the address asks for it, else the sections as links and the one that is named, or the start. */
export function Shell() {
  return onlyFigure === undefined ? <Page /> : <Embedded />
}

function Page() {
  const section = labSections.find(({ id }) => id === currentSection.value)
  const loaded = useSignal<{ id: string; Section: ComponentType } | undefined>(undefined)
  const failure = useSignal('')
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  useEffect(() => {
    let wanted = true
    document.title = section ? `${section.title}: tpu-toolkit lab` : 'tpu-toolkit lab'
    failure.value = ''
    section?.load().then(
      (Section) => {
        if (wanted) loaded.value = { id: section.id, Section }
      },
      (error: Error) => {
        if (wanted) failure.value = error.message
      },
    )
    // Whoever follows a link to another section is to be there, keyboard and screen reader too.
    if (!first.current) main.current?.focus()
    first.current = false
    return () => {
      wanted = false
    }
  }, [section])
  const Section = section && loaded.value?.id === section.id ? loaded.value.Section : undefined
  return (
    <>
      <header class="top">
        {/* biome-ignore lint/a11y/useValidAnchor: it is a link to a place of the page; the address is the section's */}
        <a class="skip" href="#section" onClick={(event) => skip(event, main.current)}>
          Skip to the section
        </a>
        <p>
          <a class="brand" href="#start">
            tpu-toolkit lab
          </a>{' '}
          · low-precision numerics to touch, computed in your browser
        </p>
      </header>
      <nav aria-label="Sections">
        <ul>
          {labGroups.map((group) => (
            <li key={group}>
              <span id={`in-${group}`}>{group}</span>
              <ul aria-labelledby={`in-${group}`}>
                {labSections
                  .filter((one) => one.group === group)
                  .map(({ id, title }) => (
                    <li key={id}>
                      <a href={hashOf(id)} aria-current={id === section?.id ? 'page' : undefined}>
                        {title}
                      </a>
                    </li>
                  ))}
              </ul>
            </li>
          ))}
        </ul>
      </nav>
      <main
        id="section"
        ref={main}
        tabIndex={-1}
        aria-busy={section !== undefined && Section === undefined && failure.value === ''}
      >
        {section ? (
          <>
            <h1>{section.title}</h1>
            <OpeningView key={section.id} section={section.id} opening={section.opening} />
            <div id="below-the-opening" />
            {failure.value !== '' && <Failed what="This section could not be loaded" why={failure.value} />}
            {Section && <Section />}
            {Section && <Sharing section={section.id} />}
          </>
        ) : (
          <Start />
        )}
      </main>
      <footer class="bottom">
        Nothing leaves this page. The code of every figure is the library's own: the same bits in Node and
        here. <Guides />
        <SameBits />
      </footer>
    </>
  )
}

/** A link to the guides, where the page stands on their site. */
function Guides() {
  const guides = document.querySelector<HTMLLinkElement>('link[rel="help"]')
  return guides && <a href={guides.href}>The guides</a>
}

function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault()
  main?.focus()
}

/** What one does with the state of a section. */
function Sharing({ section }: { readonly section: string }) {
  const said = useSignal('')
  const copy = async (): Promise<void> => {
    const link = new URL(hashOf(section), location.href).href
    try {
      await navigator.clipboard.writeText(link)
      said.value = 'Copied.'
    } catch {
      said.value = link
    }
  }
  return (
    <div class="controls">
      <button type="button" onClick={copy}>
        Copy a link to what you see
      </button>
      <button type="button" onClick={() => resetSection(section)}>
        Reset this section
      </button>
      <span role="status">{said}</span>
    </div>
  )
}
