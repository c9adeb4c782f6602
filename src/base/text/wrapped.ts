import { checkText } from '../options/index.js'
/**
 * A text broken at spaces so that no line has more columns than there are; a longer word stays whole, a line's indentation is
 * kept. Without a width it stays as it is: a file or a pipe has no edge.
 *
 * @example wrapped('one two three', 8) // 'one two\nthree'
 * @example wrapped('one two three', undefined) // 'one two three'
 */
export function wrapped(text: string, width: number | undefined): string {
  checkText('wrapped', 'text', text)
  if (width === undefined) return text
  return text
    .split('\n')
    .flatMap((line) => lines(line, width))
    .join('\n')
}

function lines(line: string, width: number): string[] {
  if (line.length <= width) return [line]
  const indent = /^ */.exec(line)![0]
  const broken: string[] = []
  let current = indent
  for (const word of line.trimStart().split(' ')) {
    const longer = current === indent ? indent + word : `${current} ${word}`
    if (longer.length > width && current !== indent) {
      broken.push(current)
      current = indent + word
    } else {
      current = longer
    }
  }
  return [...broken, current]
}
