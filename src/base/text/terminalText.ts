import { checkText } from '../options/index.js'
/**
 * A text that came from elsewhere, such as a name in a file, on one line of a terminal: control and format characters are
 * written out as escapes, and what is longer than 100 characters is cut.
 *
 * @example terminalText('a\u001b[2Jb') // 'a\\u{1b}[2Jb'
 */
export function terminalText(text: string): string {
  checkText('terminalText', 'text', text)
  const plain = text.replace(/\p{C}/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`)
  return plain.length > 100 ? `${plain.slice(0, 97)}...` : plain
}
