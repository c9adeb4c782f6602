import { checkRecord, checkText } from '../options/index.js'
import { wrapped } from '../text/index.js'
import type { Terminal } from './terminal.js'

/** Prints a text for a person: on a screen, lines that are too long for it are broken at spaces. */
export function say(terminal: Pick<Terminal, 'out' | 'width'>, text: string): void {
  checkRecord('say', 'terminal', terminal, ['out'])
  checkText('say', 'text', text)
  terminal.out(wrapped(text, terminal.width))
}
