import * as failures from 'tpu-toolkit/failures'
import { describe, expect, it } from 'vitest'

// How the failures of kernels move with their options. Their readings by default are held to independent programs in events.test.ts.

describe('ropeScoreDrifts', () => {
  it('run({ distance: 0 }): a position turned against itself is itself, whatever the angles', () => {
    const { naive, verdict } = failures.ropeScoreDrifts.run({ distance: 0 })
    // cos^2 + sin^2 of two numbers off by 2^-9 of themselves each.
    expect(naive['drift'] as number).toBeLessThan(4 * 2 ** -9)
    expect(verdict.holds).toBe(false)
  })

  it('run().stable: float32 angles of 4,095 are off by at most 2^-13, the score by twice that', () => {
    expect(failures.ropeScoreDrifts.run().stable['drift'] as number).toBeLessThan(2 ** -12)
  })
})

describe('routerChangesExperts', () => {
  it('run({ mean }) changes more tokens the larger a mean that no softmax sees, until every logit is one number', () => {
    const changed = [0, 8, 32].map((mean) => failures.routerChangesExperts.run({ mean }).naive['changed'])
    expect(changed).toEqual([...changed].sort((a, b) => Number(a) - Number(b)))
    // From 1000 on bfloat16 numbers are 4 apart: draws within 2 of the mean are all 1000, and experts 0 to 7 win the ties.
    expect(failures.routerChangesExperts.run({ mean: 1000 }).naive).toMatchObject({ ties: 512, changed: 512 })
  })
})

describe('capacityDropsTokens', () => {
  it('run({ order }) drops as many choices in either order, of other tokens', () => {
    const [token, choice] = (['token', 'choice'] as const).map(
      (order) => failures.capacityDropsTokens.run({ order }).naive,
    )
    expect(choice!['dropped']).toBe(token!['dropped'])
    expect(choice!['lost']).not.toBe(token!['lost'])
  })
})

describe('layerNormFastVariance', () => {
  it('run(): a row of variance 0 is its spread times 1 / sqrt(eps), a thousand', () => {
    const { naive } = failures.layerNormFastVariance.run()
    const scales = naive['scales'] as readonly number[]
    expect(scales.filter((scale) => scale > 500)).toHaveLength(naive['zeroVariance'] as number)
    // The root mean square of 256 draws is within a fifth of 1.
    for (const scale of scales.filter((scale) => scale > 500)) {
      expect(Math.abs(scale - 1000)).toBeLessThan(200)
    }
  })
})

describe('fp8ScaleLate', () => {
  it('run({ history }): the spike is paid for as long as it is remembered', () => {
    const quiet = (noise: unknown): number[] => (noise as number[]).map((y, i) => (y > 0.05 ? i + 1 : 0))
    const loud = (history: number): number[] =>
      quiet(failures.fp8ScaleLate.run({ history }).naive['noise']).filter((step) => step > 0)
    for (const history of [4, 16]) {
      expect(loud(history)).toEqual(Array.from({ length: history }, (_, i) => 25 + i))
    }
  })
})

describe('fp8SumsShort', () => {
  it('run({ block }) stays under 2^-9 of the sum where every 128 or fewer are promoted', () => {
    for (const block of [32, 128]) {
      expect(failures.fp8SumsShort.run({ block }).naive['worst'] as number).toBeLessThan(2 ** -9)
    }
  })
})

describe('bf16x3Low', () => {
  it('run() is off by less than what a product leaves out, 2^-13, and what 512 float32 sums round', () => {
    const { naive } = failures.bf16x3Low.run()
    expect(naive['worst'] as number).toBeLessThan(2 ** -13 + 515 * 2 ** -24)
    expect(failures.bf16x3Low.run({ precision: 'default' }).naive['worst'] as number).toBeGreaterThan(
      2 ** -13,
    )
  })
})

describe('servingDisagrees', () => {
  it('run({ chunk }): the more partial products are rounded, the more logits differ', () => {
    const differing = [256, 64, 16].map(
      (chunk) => failures.servingDisagrees.run({ chunk }).naive['differing'],
    )
    expect(differing[0]).toBe(0)
    expect(differing[2] as number).toBeGreaterThan(differing[1] as number)
  })
})

describe('run(options) of kernels refuses', () => {
  const wrong = <O extends object>(failure: failures.Failure<O>, options: O, message: string) =>
    [message, () => failure.run(options), message] as const

  it.each([
    wrong(
      failures.ropeScoreDrifts,
      { distance: -1 },
      'rope-score-drifts: distance is not a whole number from 0 to 32768 [-1]',
    ),
    wrong(
      failures.routerChangesExperts,
      { k: 65 },
      'router-changes-experts: k is not a whole number from 1 to 64 [65]',
    ),
    wrong(
      failures.capacityDropsTokens,
      { factor: 0 },
      'capacity-drops-tokens: factor is not a number from 0.125 to 8 [0]',
    ),
    wrong(
      failures.capacityDropsTokens,
      { order: 'tokens' as 'token' },
      'capacity-drops-tokens: unknown order, did you mean token [tokens]',
    ),
    wrong(
      failures.layerNormFastVariance,
      { variance: 'one-pass' as 'fast' },
      'layer-norm-fast-variance: unknown variance, did you mean two-pass [one-pass]',
    ),
    wrong(
      failures.fp8ScaleLate,
      { history: 0 },
      'fp8-scale-late: history is not a whole number from 1 to 1024 [0]',
    ),
    wrong(
      failures.fp8SumsShort,
      { block: 0 },
      'fp8-sums-short: block is not a whole number from 1 to 4096 [0]',
    ),
    wrong(
      failures.bf16x3Low,
      { split: 'round' as 'nearest' },
      'bf16x3-low: unknown split, there are truncate, nearest [round]',
    ),
    wrong(
      failures.servingDisagrees,
      { chunk: 0 },
      'serving-disagrees: chunk is not a whole number from 1 to 256 [0]',
    ),
  ])('%s', (_, run, message) => {
    expect(run).toThrow(new RangeError(message))
  })
})

describe('batchChangesRow', () => {
  const ways = ['batch', 'chunked', 'split-k', 'tiles'] as const
  it.each(ways)(
    'run({ way: %s }) changes every row of the logits, and none with one order of sums',
    (way) => {
      const { naive, stable } = failures.batchChangesRow.run({ way })
      expect(naive['rows']).toBeGreaterThan(20)
      expect(stable).toMatchObject({ rows: 0, first: null, otherTokens: 0, largest: 0 })
    },
  )

  it('run({ way: split-k }) begins with the first product, the others with attention', () => {
    const first = ways.map((way) => failures.batchChangesRow.run({ way }).naive['first'])
    expect(first).toEqual([3, 3, 2, 3])
  })

  it('run({ kernels: fixed }) has no row of any operation in any way, length and dtype', () => {
    for (const [way, tokens, chunk] of [
      ['batch', 21, 8],
      ['chunked', 21, 5],
      ['chunked', 40, 16],
      ['tiles', 17, 8],
    ] as const) {
      for (const dtype of ['bfloat16', 'float16'] as const) {
        const { naive } = failures.batchChangesRow.run({
          kernels: 'fixed',
          way,
          tokens,
          chunk,
          dtype,
          batch: 3,
        })
        expect(naive['differing']).toEqual(new Array(8).fill(0))
      }
    }
  })

  it('run({ chunk }) of one chunk, and of a batch of one, is the prompt alone', () => {
    expect(failures.batchChangesRow.run({ way: 'chunked', tokens: 16, chunk: 16 }).naive['rows']).toBe(0)
    expect(failures.batchChangesRow.run({ batch: 1 }).naive['rows']).toBe(0)
  })
})
