import { checkRecord } from '../../base/options/index.js'
import { flagNamed } from './flag.js'
import type { Environment } from './lintFlags.js'
import { parseFlags } from './parseFlags.js'

/** What one flag that is set does. */
export interface FlagExplanation {
  readonly variable: 'LIBTPU_INIT_ARGS' | 'XLA_FLAGS'
  readonly name: string
  readonly value: string
  /** What it does, and who sets it so. */
  readonly text: string
}

/**
 * Describes each flag that is set.
 *
 * @example explainFlags({ LIBTPU_INIT_ARGS: '--xla_enable_async_all_gather=true' })[0].text // 'asynchronous all-gather; so in scripts of MaxText: v4 2, v5e 8, v5p 9, v6e 6'
 */
export function explainFlags(environment: Environment): FlagExplanation[] {
  checkRecord('explainFlags', 'environment', environment)
  return (['LIBTPU_INIT_ARGS', 'XLA_FLAGS'] as const).flatMap((variable) =>
    parseFlags(environment[variable] ?? '')
      .filter(({ form }) => form !== 'ignored' && form !== 'undefok')
      .map(({ name, value }) => ({ variable, name, value, text: textOf(name, value) })),
  )
}

function textOf(name: string, value: string): string {
  const known = flagNamed(name)
  if (known === undefined) return 'not in the table of known flags'
  const scripts = Object.entries(known.scripts).flatMap(([generation, values]) =>
    values[value] === undefined ? [] : [`${generation} ${values[value]}`],
  )
  const meaning = known.meaning === '' ? 'nothing published says what it does' : known.meaning
  return scripts.length === 0 ? meaning : `${meaning}; so in scripts of MaxText: ${scripts.join(', ')}`
}
