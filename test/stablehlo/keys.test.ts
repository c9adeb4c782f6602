import { type Program, type ProgramOptions, type ProgramValue, parse, programOf } from 'tpu-toolkit/stablehlo'
import { describe, expect, it } from 'vitest'
import { differenceOf } from '../../scripts/stablehlo/differenceOf.js'
import { arrayType, bytesOfValue, valueOfBytes } from '../../scripts/stablehlo/values.js'
import { isLong } from '../support/long.js'
import { type KeyArray, type StableHloKey, stablehloKeys } from '../support/stablehloKeys.js'

/** What the specification leaves open, as each oracle has it. */
const semantics = {
  interpreter: { dot: 'operands', reduce: 'sequential' },
  jit: { dot: 'float32', reduce: 'sequential' },
} as const satisfies Readonly<Record<string, ProgramOptions>>

type Oracle = keyof typeof semantics

/** What differs from an oracle's results, or is refused; undefined where nothing is. */
function problemOf(key: StableHloKey, oracle: Oracle): string | undefined {
  let program: Program
  let found: readonly ProgramValue[]
  const { tolerance, results } = key.oracles[oracle]!
  try {
    program = programOf(parse(key.text), semantics[oracle])
    found = program.run(
      ...key.arguments.map(({ type, bytes }: KeyArray) => valueOfBytes(arrayType(type), bytes)),
    )
  } catch (thrown) {
    return `${key.name}: refused, ${(thrown as Error).message.split('\n')[0]}`
  }
  if (found.length !== results.length) return `${key.name}: ${found.length} results for ${results.length}`
  for (const [i, { type, bytes }] of results.entries()) {
    const difference = differenceOf(arrayType(type).facts, tolerance, bytesOfValue(found[i]!), bytes)
    if (difference) return `${key.name}: result ${i} of ${oracle}: ${difference}`
  }
  return undefined
}

/** Programs whose result is another today, by oracle: an empty list is the aim. A program that agrees again has to leave it. */
const known: Readonly<Record<string, readonly string[]>> = {}

const files = isLong
  ? (['elementwise', 'structural', 'whole'] as const)
  : (['elementwise', 'structural'] as const)

describe.each(files)('programOf, %s programs of JAX', (file) => {
  it.each(['interpreter', 'jit'] as const)(
    'gives the results of %s within the tolerance of each',
    (oracle) => {
      const keys = stablehloKeys(file).filter((key) => key.oracles[oracle])
      const problems = keys.flatMap((key) => problemOf(key, oracle) ?? [])
      expect(problems.filter((text) => !known[oracle]?.some((name) => text.startsWith(`${name}:`)))).toEqual(
        [],
      )
      expect(keys.length).toBeGreaterThan(file === 'elementwise' && oracle === 'jit' ? -1 : 20)
    },
  )
})
