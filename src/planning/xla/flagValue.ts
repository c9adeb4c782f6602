import type { FlagKind, FlagVariable } from './flagTable.js'

// libtpu reads booleans with Abseil, jaxlib with a parser of its own that knows four words.
const booleans: Readonly<Record<FlagVariable, readonly string[]>> = {
  LIBTPU_INIT_ARGS: ['true', 'false', '1', '0', 't', 'f', 'y', 'n', 'yes', 'no'],
  XLA_FLAGS: ['true', 'false', '1', '0'],
}
const tristates = ['auto', 'true', 'enabled', 'false', 'disabled']

/** What values a kind takes, for errors. */
export const kindText: Readonly<Record<FlagKind, string>> = {
  bool: 'true or false',
  tristate: 'auto, true, enabled, false or disabled',
  int: 'a whole number',
  float: 'a number',
  other: 'text',
}

/** Whether the variable's reader takes a value for a flag of that kind; any other ends the process. */
export function takesValue(kind: FlagKind, value: string, variable: FlagVariable): boolean {
  switch (kind) {
    case 'bool':
      return booleans[variable].includes(value.toLowerCase())
    case 'tristate':
      return tristates.includes(value.toLowerCase())
    case 'int':
      return /^[-+]?\d+$/.test(value)
    case 'float':
      return value.trim() !== '' && Number.isFinite(Number(value))
    case 'other':
      return value !== ''
    default:
      return kind satisfies never
  }
}
