import { type Program, type ProgramOptions, type ProgramValue, parse, programOf } from 'tpu-toolkit/stablehlo'
import type { Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { differenceOf } from '../../scripts/stablehlo/differenceOf.js'
import { arrayType, bytesOfValue, valueOfBytes } from '../../scripts/stablehlo/values.js'
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
    const own = (all: Uint8Array): Uint8Array => (upToSigns.has(key.name) ? magnitudes(all) : all)
    const { facts } = arrayType(type)
    const difference = differenceOf(facts, tolerance, own(bytesOfValue(found[i]!)), own(bytes))
    if (difference) return `${key.name}: result ${i} of ${oracle}: ${difference}`
  }
  return undefined
}

/** Programs of eigenvectors, which are one up to their signs: magnitudes alone are compared. */
const upToSigns: ReadonlySet<string> = new Set(['eigh f32'])

function magnitudes(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => (i % 4 === 3 ? byte & 0x7f : byte))
}

const files = { elementwise: 743, structural: 408, whole: 84 } as const

describe.each(Object.entries(files) as [keyof typeof files, number][])(
  'programOf, %s programs of JAX',
  (file, count) => {
    const keys = stablehloKeys(file)

    it(`has ${count} of them`, () => {
      expect(keys.length).toBe(count)
      expect(new Set(keys.map(({ name }) => name)).size).toBe(count)
    })

    it.each(['interpreter', 'jit'] as const)(
      'gives the results of %s within the tolerance of each',
      (oracle) => {
        const problems = keys
          .filter((key) => key.oracles[oracle])
          .flatMap((key) => problemOf(key, oracle) ?? [])
        expect(problems).toEqual([])
      },
    )
  },
)

describe('programOf, its options', () => {
  const key = stablehloKeys('structural').find(({ name }) => name === 'dot of 300 ones bf16')!
  const values = key.arguments.map(({ type, bytes }) => valueOfBytes(arrayType(type), bytes))
  const sum = (options: ProgramOptions): number => {
    const [result] = programOf(parse(key.text), options).run(...values)
    return (result as Tensor).item() as number
  }

  it("dot: 300 ones are 300 in float32 and 256 in the operands' bfloat16, as XLA and the reference interpreter have it", () => {
    expect([sum({}), sum({ dot: 'float32' }), sum({ dot: 'operands' })]).toEqual([300, 300, 256])
  })
})
