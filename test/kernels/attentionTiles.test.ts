import fc from 'fast-check'
import * as kernelsHere from 'tpu-toolkit/kernels'
import * as tensorsHere from 'tpu-toolkit/tensor'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { seed } from '../support/seed.js'

type Doors = Readonly<{ kernels: typeof kernelsHere; tensors: typeof tensorsHere }>

const byTiles: Doors = { kernels: kernelsHere, tensors: tensorsHere }
/** The doors of a machine without WebAssembly: the definition, one number after the other. */
let plain: Doors

beforeAll(async () => {
  vi.stubGlobal('WebAssembly', undefined)
  vi.resetModules()
  plain = { kernels: await import('tpu-toolkit/kernels'), tensors: await import('tpu-toolkit/tensor') }
  const simd = await import('#simd')
  expect(simd.arena('simd')).toBeUndefined()
  vi.unstubAllGlobals()
})

afterAll(() => vi.resetModules())

const form = fc.constantFrom('flash2', 'splash', 'pallas')
const at = fc.integer({ min: -20, max: 20 })
const mask = fc.oneof(
  fc.constant(undefined),
  at.map((offset) => ({ kind: 'causal', offset }) as const),
  fc
    .tuple(at, fc.nat(9), fc.nat(9))
    .map(([offset, left, right]) => ({ kind: 'window', offset, left, right })),
  fc.integer({ min: 1, max: 9 }).map((stride) => ({ kind: 'strided', stride }) as const),
)
/** Ordinary numbers, and now and then any: NaN, infinities, those whose products are below or beyond all float32 numbers. */
const scales = fc.constantFrom(1, 1, 1, 30, 1e-22, 1e-38, 1e20)
const anything = fc.constantFrom(Number.NaN, Infinity, -Infinity, -0, 1e-45, 3e38, 1e-20)
const problem = fc.record({
  ...{ form, mask, group: fc.integer({ min: 1, max: 3 }), kvHeads: fc.integer({ min: 1, max: 2 }) },
  ...{ tq: fc.integer({ min: 1, max: 40 }), tk: fc.integer({ min: 0, max: 40 }) },
  ...{ d: fc.integer({ min: 0, max: 11 }), dv: fc.integer({ min: 1, max: 11 }) },
  ...{ blockQ: fc.integer({ min: 1, max: 40 }), blockK: fc.integer({ min: 1, max: 40 }) },
  dtype: fc.constantFrom('float32', 'bfloat16', 'float16', 'float8_e4m3fn'),
  probsDtype: fc.constantFrom(undefined, 'float32', 'bfloat16'),
  delta: fc.constantFrom('out', 'out32'),
  segments: fc.boolean(),
  sizes: fc.tuple(scales, scales, scales, scales),
  odd: fc.array(fc.tuple(fc.nat(3), fc.nat(), anything), { maxLength: 2 }),
  draw: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
})
type Problem = typeof problem extends fc.Arbitrary<infer P> ? P : never

/** Numbers between -1 and 1 that depend on a seed. */
function* numbers(from: number): Generator<number> {
  for (let word = from; ; ) {
    word = (Math.imul(word, 1664525) + 1013904223) | 0
    yield word / 2 ** 31
  }
}

function results({ kernels, tensors }: Doors, given: Problem): Record<string, string> {
  const { form, group, kvHeads, tq, tk, d, dv, blockQ, blockK, dtype, probsDtype, delta, sizes } = given
  const draw = numbers(given.draw)
  const heads = group * kvHeads
  const shapes = [
    [heads, tq, d],
    [kvHeads, tk, d],
    [kvHeads, tk, dv],
    [heads, tq, dv],
  ]
  const [q, k, v, g] = shapes.map((shape, which) => {
    const values = Float32Array.from(
      { length: shape.reduce((n, length) => n * length) },
      () => draw.next().value * sizes[which]!,
    )
    for (const [of, place, value] of given.odd) {
      if (of === which && values.length > 0) values[place % values.length] = value
    }
    return tensors.cast(tensors.tensor(values, { shape }), dtype as 'bfloat16')
  })
  const ids = (length: number): number[] => Array.from({ length }, (_, i) => Math.floor(i / 7))
  const options = {
    ...{ form, blockQ, blockK, delta },
    ...(given.mask ? { mask: given.mask } : {}),
    ...(probsDtype ? { probsDtype } : {}),
    ...(given.segments ? { segments: { q: ids(tq), kv: ids(tk) } } : {}),
  } as Parameters<Doors['kernels']['flashAttention']>[3]
  const all = {
    ...kernels.flashAttention(q!, k!, v!, options),
    ...kernels.attentionGrad(q!, k!, v!, g!, options),
  }
  return Object.fromEntries(Object.entries(all).map(([name, x]) => [name, x.toBits().join(' ')]))
}

/** The names of results that are not the same bits. */
const differences = (a: Record<string, string>, b: Record<string, string>): string[] =>
  Object.keys(a).filter((name) => a[name] !== b[name])

describe(`tiles in the arena (seed ${seed})`, () => {
  it('flashAttention and attentionGrad have the bits of one number after the other', () => {
    fc.assert(
      fc.property(problem, (given) => {
        expect(differences(results(byTiles, given), results(plain, given))).toEqual([])
      }),
      { seed, numRuns: 120 },
    )
  })

  it('flashAttention of tiles that the arena has no room for has them too', () => {
    const common = {
      form: 'flash2',
      group: 1,
      kvHeads: 1,
      d: 2,
      dv: 3,
      dtype: 'float32',
      delta: 'out',
    } as const
    const given: Problem = {
      ...common,
      ...{ mask: { kind: 'causal', offset: 0 }, tq: 700, tk: 700, blockQ: 700, blockK: 700 },
      ...{ probsDtype: undefined, segments: false, sizes: [1, 1, 1, 1], odd: [], draw: 5 },
    }
    const rowByRow = results(byTiles, { ...given, blockQ: 70 })
    // Gradients of keys and values are added block of rows by block of rows.
    expect(differences(results(byTiles, given), rowByRow)).toEqual(['dk', 'dv'])
  })
})
