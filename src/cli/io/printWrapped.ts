import { checkRecord, checkText } from '../../base/options/index.js'
import { wrapped } from '../../base/text/index.js'
import { type Emphasis, emphasized } from './emphasized.js'
import type { Terminal } from './terminal.js'

/**
 * Prints a text for a person: on a screen, lines that are too long for it are broken at spaces, and where it shows colours the
 * words of `emphasis` have them. NaN is red everywhere.
 */
export function printWrapped(
  terminal: Pick<Terminal, 'out' | 'width' | 'colors'>,
  text: string,
  emphasis: Emphasis = {},
): void {
  checkRecord('printWrapped', 'terminal', terminal, ['out'])
  checkText('printWrapped', 'text', text)
  const { red = [] } = emphasis
  const broken = wrapped(text, terminal.width)
  const all = { ...emphasis, red: [...red, 'NaN', 'nan'] }
  terminal.out(terminal.colors ? emphasized(broken, all) : broken)
}
