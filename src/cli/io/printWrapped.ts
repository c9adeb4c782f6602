import { checkRecord, checkText } from '../../base/options/index.js'
import { wrapped } from '../../base/text/index.js'
import type { Terminal } from './terminal.js'

/** Prints a text for a person: on a screen, lines that are too long for it are broken at spaces. */
export function printWrapped(terminal: Pick<Terminal, 'out' | 'width'>, text: string): void {
  checkRecord('printWrapped', 'terminal', terminal, ['out'])
  checkText('printWrapped', 'text', text)
  terminal.out(wrapped(text, terminal.width))
}
