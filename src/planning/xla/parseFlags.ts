import { checkText } from '../../base/options/index.js'
import { flagNamed } from './flag.js'

/** One word of LIBTPU_INIT_ARGS or XLA_FLAGS. */
export interface Word {
  /** As it stands there. */
  readonly text: string
  /** The flag's name; empty for a word that is not a flag. */
  readonly name: string
  /** The value given, 'true' and 'false' for bare names and those with no before them. */
  readonly value: string
  /** How it is written. */
  readonly form: 'value' | 'bare' | 'no' | 'undefok' | 'ignored'
}

/** The words of a variable: --name=value, --name, --noname of a boolean, --undefok=name,name; others are ignored. */
export function parseFlags(text: string): Word[] {
  checkText('parseFlags', 'what a variable holds', text)
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(parseWord)
}

function parseWord(text: string): Word {
  const [, name = '', equals, value = ''] = /^--?([\w.-]+)(=?)(.*)$/s.exec(text) ?? []
  if (name === '' || !text.startsWith('--')) return { text, name: '', value: '', form: 'ignored' }
  if (equals) return { text, name, value, form: name === 'undefok' ? 'undefok' : 'value' }
  const positive = name.startsWith('no') ? name.slice(2) : ''
  if (flagNamed(name) === undefined && flagNamed(positive)?.kind === 'bool') {
    return { text, name: positive, value: 'false', form: 'no' }
  }
  return { text, name, value: 'true', form: 'bare' }
}

/** The names that --undefok allows to be unknown. */
export function allowedUnknown(words: readonly Word[]): Set<string> {
  return new Set(words.filter(({ form }) => form === 'undefok').flatMap(({ value }) => value.split(',')))
}
