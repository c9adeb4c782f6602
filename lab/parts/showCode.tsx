import { useSignal } from '@preact/signals'
import { packProgram } from './packProgram.js'

/** The section of the editor with the program in it; the back button leads here again. */
async function open(code: string): Promise<void> {
  location.hash = `editor&program=${await packProgram(code)}`
}

/** The program that makes what is seen, to read and to copy. */
export function ShowCode({ code }: { readonly code: string }) {
  const said = useSignal('')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(code)
      said.value = 'Copied.'
    } catch {
      said.value = 'The browser does not allow it: select the text.'
    }
  }
  return (
    <details class="show-code">
      <summary>Show the code</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <div class="controls">
        <button type="button" onClick={() => open(code)}>
          Open in the editor
        </button>
        <button type="button" onClick={copy}>
          Copy the program
        </button>
        <span role="status">{said}</span>
      </div>
    </details>
  )
}
