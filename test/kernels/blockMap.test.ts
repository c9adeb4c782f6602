import fc from 'fast-check'
import {
  andMask,
  blockMap,
  blockMapSvg,
  blockMask,
  causalMask,
  chunkedMask,
  dilatedMask,
  fixedMask,
  globalMask,
  type Mask,
  orMask,
  prefixMask,
  segmentMask,
  stridedMask,
  windowMask,
} from 'tpu-toolkit/kernels'
import { tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

const keys = new Columns('kernels/masks')

interface Case {
  readonly case: string
  readonly tq: number
  readonly tk: number
  readonly blockQ: number
  readonly blockK: number
  readonly spec: Mask
  readonly [count: string]: unknown
}

const counts = [
  ...['skipped', 'partial', 'full', 'distinctPartial', 'steps', 'stepsDkv', 'allowed'],
  ...['emptyRows', 'emptyBlockRows'],
] as const

describe("blockMap against splash attention's own maps", () => {
  it.each((keys.facts['cases'] as readonly Case[]).map((one) => [one.case, one] as const))(
    'blockMap(%s) is the key',
    (name, one) => {
      const { tq, tk, blockQ, blockK } = one
      const map = blockMap(one.spec, { tq, tk, blockQ, blockK })
      expect(map.blocks).toEqual(keys.u8(`${name}_blocks`))
      const picked = (from: Readonly<Record<string, unknown>>): unknown[] =>
        counts.map((count) => from[count])
      expect(picked({ ...map })).toEqual(picked(one))
    },
  )
})

/** The README's sentence for every kind, written once more. */
function allowed(mask: Mask, i: number, j: number): boolean {
  switch (mask.kind) {
    case 'causal':
      return j <= i + mask.offset
    case 'window':
      return (
        (mask.left === null || j >= i + mask.offset - mask.left) &&
        (mask.right === null || j <= i + mask.offset + mask.right)
      )
    case 'chunked':
      return j <= i && i - (i % mask.size) === j - (j % mask.size)
    case 'prefix':
      return j < mask.length || j <= i
    case 'segments': {
      const ends = mask.lengths.map((_, k) => mask.lengths.slice(0, k + 1).reduce((a, b) => a + b))
      return ends.findIndex((end) => i < end) === ends.findIndex((end) => j < end)
    }
    case 'strided':
      return j <= i && Number.isInteger((i - j) / mask.stride)
    case 'fixed':
      return j <= i && (i - (i % mask.stride) <= j || (j % mask.stride) + mask.summary >= mask.stride)
    case 'dilated':
      return Number.isInteger((i - j) / mask.step) && Math.abs((i - j) / mask.step) <= mask.reach
    case 'globals':
      return Math.min(i, j) < mask.count
    case 'blocks':
      return mask.pairs.some(
        ([row, column]) => row === Math.floor(i / mask.size) && column === Math.floor(j / mask.size),
      )
    case 'and':
      return mask.of.reduce((all, part) => all && allowed(part, i, j), true)
    case 'or':
      return mask.of.reduce((any, part) => any || allowed(part, i, j), false)
    default:
      return true
  }
}

const small = fc.integer({ min: 0, max: 9 })
const positive = fc.integer({ min: 1, max: 9 })
const offset = fc.integer({ min: -12, max: 12 })
const bound = fc.option(fc.integer({ min: -3, max: 12 }))

/** Masks of an array of t x t or less, whose longer side is t. */
const masks = (t: number): fc.Arbitrary<Mask> =>
  fc.letrec<{ mask: Mask; leaf: Mask }>((tie) => ({
    leaf: fc.oneof(
      fc.record({ offset }).map(causalMask),
      fc.record({ left: bound, right: bound, offset }).map(windowMask),
      fc.record({ size: positive }).map(chunkedMask),
      fc.record({ length: small }).map(prefixMask),
      fc.array(fc.integer({ min: 0, max: t }), { maxLength: 4 }).map((cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), t]
        return segmentMask({ lengths: ends.map((end, k) => end - (ends[k - 1] ?? 0)) })
      }),
      fc.record({ stride: positive }).map(stridedMask),
      fc
        .record({ stride: positive, summary: small })
        .map(({ stride, summary }) => fixedMask({ stride, summary: Math.min(stride, summary) })),
      fc.record({ reach: small, step: positive }).map(dilatedMask),
      fc.record({ count: small }).map(globalMask),
      fc.record({ size: positive, cells: fc.array(fc.boolean(), { maxLength: 9 }) }).map(({ size, cells }) =>
        blockMask({
          size,
          pairs: cells.flatMap((is, k) => (is && k * size < Math.min(t, 3) ? [[k, 0] as const] : [])),
        }),
      ),
    ),
    mask: fc.oneof(
      { withCrossShrink: true },
      tie('leaf'),
      fc.tuple(tie('leaf'), tie('leaf')).map((parts) => andMask(...parts)),
      fc.tuple(tie('leaf'), tie('leaf'), tie('leaf')).map((parts) => orMask(...parts)),
    ),
  })).mask

describe(`blockMap (seed ${seed})`, () => {
  it('blockMap of any mask, shape and blocks is what looking at every pair gives', () => {
    const problems = fc.integer({ min: 3, max: 24 }).chain((t) =>
      fc.record({
        tq: fc.constant(t),
        tk: fc.integer({ min: 3, max: t }),
        blockQ: fc.integer({ min: 1, max: 10 }),
        blockK: fc.integer({ min: 1, max: 10 }),
        mask: masks(t),
      }),
    )
    fc.assert(
      fc.property(problems, ({ mask, ...sizes }) => {
        const { tq, tk, blockQ, blockK } = sizes
        const map = blockMap(mask, sizes)
        const contents = new Set<string>()
        let pairs = 0
        for (let i0 = 0, at = 0; i0 < tq; i0 += blockQ) {
          for (let j0 = 0; j0 < tk; j0 += blockK, at++) {
            const rows: string[] = []
            for (let i = i0; i < Math.min(tq, i0 + blockQ); i++) {
              let row = ''
              for (let j = j0; j < Math.min(tk, j0 + blockK); j++) row += allowed(mask, i, j) ? 1 : 0
              rows.push(row)
            }
            const content = rows.join(',')
            pairs += content.replace(/[^1]/g, '').length
            const kind = content.includes('1') ? (content.includes('0') ? 1 : 2) : 0
            if (kind === 1) contents.add(content)
            expect(map.blocks[at]).toBe(kind)
          }
        }
        expect([map.allowed, map.distinctPartial]).toEqual([pairs, contents.size])
      }),
      { seed, numRuns: 400 },
    )
  })

  it('blockMap of a bool tensor is that of the mask it was written from', () => {
    const mask = causalMask({ offset: 1 })
    const rows = Array.from({ length: 6 }, (_, i) => Array.from({ length: 7 }, (_, j) => allowed(mask, i, j)))
    const sizes = { tq: 6, tk: 7, blockQ: 2, blockK: 3 }
    expect(blockMap(tensor(rows, { dtype: 'bool' }), sizes)).toEqual(blockMap(mask, sizes))
  })

  it('blockMap of no rows or no columns has no blocks', () => {
    for (const sizes of [
      { tq: 0, tk: 3 },
      { tq: 3, tk: 0 },
    ]) {
      const { blocks, steps, saved, emptyRows } = blockMap(causalMask(), sizes)
      expect([blocks.length, steps, saved, emptyRows]).toEqual([0, 1, 0, sizes.tq])
    }
  })

  it('blockMap refuses what is no mask of these rows and columns', () => {
    const sizes = { tq: 4, tk: 5 }
    const mask = tensor([[true, false]], { dtype: 'bool' })
    expect(() => blockMap(mask, sizes)).toThrow(
      new RangeError('blockMap: mask has another shape [1, 2, not 4, 5]'),
    )
    expect(() => blockMap(segmentMask({ lengths: [2, 2] }), sizes)).toThrow(
      new RangeError('blockMap: the lengths of the segments add up to another number [4, not 5]'),
    )
    expect(() => blockMap({ kind: 'casual' } as never, sizes)).toThrow(/did you mean causal \[casual\]$/)
    expect(() => blockMap(tensor([[1]]) as never, sizes)).toThrow(/mask is not of dtype bool \[float32\]$/)
    expect(() => blockMap(blockMask({ size: 4, pairs: [[0, 2]] }), sizes)).toThrow(
      /column of blocks is not a whole number from 0 to 1 \[2\]$/,
    )
  })
})

describe('blockMapSvg', () => {
  it('blockMapSvg draws one rectangle for each run of like blocks', () => {
    const svg = blockMapSvg(blockMap(causalMask(), { tq: 512, tk: 512 }))
    // Rows: partial + skipped, full + partial + skipped, the same, full + partial; then 3 of the legend.
    expect(svg.match(/<rect/g)).toHaveLength(2 + 3 + 3 + 2 + 3)
    expect(svg).toContain('37.5 % of')
  })
})
