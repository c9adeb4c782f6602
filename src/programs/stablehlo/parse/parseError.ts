import type { TextPosition } from '../module.js'

/** So much of a source line is shown, around the place meant. */
const window = 100

/** Where an offset into the text is; both numbers begin at 1. */
export function positionAt(text: string, offset: number): TextPosition {
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', start)) {
    start = end + 1
    line++
  }
  return { line, column: offset - start + 1 }
}

/** The error of a text that cannot be read: the problem, its line and column, and that line with a caret under the place. */
export function parseError(text: string, offset: number, problem: string): SyntaxError {
  const at = Math.min(offset, text.length)
  const { line, column } = positionAt(text, at)
  const lineStart = at - column + 1
  const newline = text.indexOf('\n', at)
  const lineEnd = newline < 0 ? text.length : newline
  const from = Math.max(lineStart, at - window / 2)
  const to = Math.min(lineEnd, from + window)
  const before = from > lineStart ? '... ' : ''
  const shown = text.slice(from, to).replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
  const after = to < lineEnd ? ' ...' : ''
  const caret = `${' '.repeat(before.length + at - from)}^`
  return new SyntaxError(`parse: ${problem} [${line}:${column}]\n${before}${shown}${after}\n${caret}`)
}
