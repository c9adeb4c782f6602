import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { currentSection, hashOf } from '../shell/urlState.js'

/** The one figure that the address asks for, `?figure=running-sum#drift`; undefined where it asks for the page. */
export const onlyFigure: string | undefined = new URLSearchParams(location.search).get('figure') ?? undefined

/** Whether the figure that is asked for is there. */
export const figureShown = signal(false)

/** The name of a figure in an address: its title in small letters and hyphens. */
export function figureName(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** A hook: the class of a figure, by which it is shown where it alone is asked for. */
export function useFigureClass(figure: string): string | undefined {
  const only = figure === onlyFigure
  useEffect(() => {
    if (!only) return undefined
    figureShown.value = true
    return () => {
      figureShown.value = false
    }
  }, [only])
  return only ? 'only' : undefined
}

/** Copies the HTML that shows a figure in another page, in the state that it has here. */
export function EmbedButton(props: {
  readonly figure: string
  readonly title: string
  readonly height: number
  /** What the button says. Default: Embed. */
  readonly words?: string
}) {
  const { figure, title, height, words = 'Embed' } = props
  const said = useSignal('')
  const copy = async (): Promise<void> => {
    const address = new URL(`?figure=${figure}${hashOf(currentSection.peek() || 'nan')}`, document.baseURI)
      .href
    const code = `<iframe src="${escaped(address)}" title="${escaped(title)}" width="100%" height="${height}" style="border: 0" loading="lazy"></iframe>`
    try {
      await navigator.clipboard.writeText(code)
      said.value = 'Copied.'
    } catch {
      said.value = code
    }
  }
  if (onlyFigure !== undefined) return null
  return (
    <>
      <button type="button" class="plain" onClick={copy}>
        {words}
      </button>
      <span role="status">{said}</span>
    </>
  )
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
