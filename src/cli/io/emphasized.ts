import { styleText } from 'node:util'
import { checkOptions, checkText, type OptionTable } from '../../base/options/index.js'

/** Words and sentences of a printed text that stand out on a terminal with colours, by their style. */
export interface Emphasis {
  /** Verdicts and headings. */
  readonly bold?: readonly string[]
  /** What is critical, failed or not a number. */
  readonly red?: readonly string[]
  /** Warnings. */
  readonly yellow?: readonly string[]
  /** What is as it has to be. */
  readonly green?: readonly string[]
}

const names: OptionTable<Emphasis> = {
  ...{ bold: 'optional', red: 'optional', yellow: 'optional', green: 'optional' },
}

const styles = ['bold', 'red', 'yellow', 'green'] as const

/**
 * A text with escape sequences around whole words and sentences, which may have been wrapped over several lines: called last,
 * because escape sequences have no width.
 */
export function emphasized(text: string, emphasis: Emphasis): string {
  checkText('emphasized', 'text', text)
  checkOptions('emphasized', emphasis, names)
  // All styles in one pass, the longest words first, so that no pattern meets an escape sequence.
  const words = styles
    .flatMap((style) => (emphasis[style] ?? []).map((word) => ({ style, word })))
    .filter(({ word }) => word !== '')
    .sort((a, b) => b.word.length - a.word.length)
  if (words.length === 0) return text
  const pattern = new RegExp(words.map(({ word }) => `(${patternOf(word)})`).join('|'), 'g')
  return text.replace(pattern, (found: string, ...groups: unknown[]) => {
    const { style } = words[groups.findIndex((group) => group !== undefined)]!
    return styleText(style, found, { validateStream: false })
  })
}

/** The text itself where it is no part of a longer word; any white space stands for a space. */
function patternOf(word: string): string {
  const exact = word
    .split(/\s+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
    .join('\\s+')
  return `(?<![\\w-])${exact}(?![\\w-])`
}
