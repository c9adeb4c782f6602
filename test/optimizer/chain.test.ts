import {
  type ApplyIfFiniteState,
  adamw,
  applyIfFinite,
  applyUpdates,
  chain,
  clipByGlobalNorm,
  type GradientTransformation,
  globalNorm,
  incrementalUpdate,
  zeroNans,
} from 'tpu-toolkit/optimizer'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import {
  bitsOf,
  dtypeOf,
  gradsAt,
  type LeafBits,
  type Leaves,
  optimizerKey,
  stored,
  tensorBits,
  tensorOfBits,
  treeOf,
} from '../support/optimizerKeys.js'

interface ChainKey {
  readonly leaves: Leaves
  readonly grads: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly runs: readonly {
    readonly name: string
    readonly chain: readonly string[]
    readonly dtype: string
    readonly params0: LeafBits
    readonly records: readonly {
      readonly step: number
      readonly params: LeafBits
      readonly gnorm?: string
      readonly found_nan?: Readonly<Record<string, boolean>>
      readonly mu?: LeafBits
      readonly nu?: LeafBits
      readonly count?: number
      readonly notfinite_count?: number
      readonly total_notfinite?: number
      readonly last_finite?: boolean
    }[]
  }[]
  readonly order_table: readonly {
    readonly case: string
    readonly order: string
    readonly dtype: string
    readonly in: readonly (number | string)[]
    readonly out: string
  }[]
  readonly clip_table: readonly {
    readonly case: string
    readonly dtype: string
    readonly in: string
    readonly max_norm: number | string
    readonly norm: string
    readonly out: string
  }[]
  readonly ema: readonly {
    readonly dtype: string
    readonly tau: number
    readonly kind?: string
    readonly start: number | LeafBits
    readonly target: number
    readonly targets?: Readonly<Record<string, readonly string[]>>
    readonly records?: readonly { readonly step: number; readonly ema: LeafBits }[]
    readonly first_60: string
    readonly stall_after_updates: number | null
    readonly last_step: number
    readonly last: string
  }[]
}

const key = optimizerKey<ChainKey>('chain')
const xla = { arithmetic: 'xla-cpu' } as const
const links: Readonly<Record<string, () => GradientTransformation>> = {
  clip: () => clipByGlobalNorm(1, xla),
  zero_nans: () => zeroNans(),
  adamw: () => adamw({ learningRate: 1e-3, weightDecay: 0.01, ...xla }),
  'finite(adamw)': () => applyIfFinite(links['adamw']!(), 2),
  'finite(clip>adamw)': () => applyIfFinite(chain(links['clip']!(), links['adamw']!()), 2),
}
const numberOf = (x: number | string): number =>
  typeof x === 'number' ? x : { nan: Number.NaN, inf: Infinity, '-inf': -Infinity }[x]!

describe("60 steps with NaN, Inf and huge gradients, arithmetic 'xla-cpu'", () => {
  it.each(key.runs)('$name agrees with optax in every bit of every step', (run) => {
    const dtype = dtypeOf(run.dtype)
    const transform = chain(...run.chain.map((name) => links[name]!()))
    let params = treeOf(key.leaves, run.params0, dtype)
    let state = transform.init(params)
    for (const record of run.records) {
      const step = `step ${record.step}`
      const grads = gradsAt(key.leaves, key.grads[run.dtype]!, record.step - 1, dtype)
      const [updates, next] = transform.update(grads, state, params)
      params = applyUpdates(params, updates, xla)
      state = next
      expect(bitsOf(params), `params, ${step}`).toEqual(stored(record.params, key.leaves, dtype))
      if (record.gnorm) {
        expect(tensorBits(globalNorm(grads, xla)), `norm, ${step}`).toBe(
          tensorBits(tensorOfBits(record.gnorm, dtype, [])),
        )
      }
      const at = run.chain.indexOf('zero_nans')
      if (record.found_nan) {
        const { foundNan } = state[at] as { foundNan: Tree }
        expect(
          leavesOf(foundNan).map((x) => x.item() === 1),
          step,
        ).toEqual(key.leaves.map(([path]) => record.found_nan![path]))
      }
      if (record.mu && record.nu) {
        const [adam] = state[run.chain.indexOf('adamw')] as unknown as [{ count: number; mu: Tree; nu: Tree }]
        expect(adam.count).toBe(record.count)
        expect(bitsOf(adam.mu), `mu, ${step}`).toEqual(stored(record.mu, key.leaves, dtype))
        expect(bitsOf(adam.nu), `nu, ${step}`).toEqual(stored(record.nu, key.leaves, dtype))
      }
      if (record.notfinite_count !== undefined) {
        const counts = state[0] as unknown as ApplyIfFiniteState
        expect([counts.notfiniteCount, counts.totalNotfinite, counts.lastFinite], step).toEqual([
          record.notfinite_count,
          record.total_notfinite,
          record.last_finite,
        ])
      }
    }
  })
})

describe('the order of clipByGlobalNorm and zeroNans', () => {
  const expected = (row: ChainKey['order_table'][number]): string =>
    tensorBits(tensorOfBits(row.out, dtypeOf(row.dtype), [3]))
  const run = (row: ChainKey['order_table'][number], arithmetic: 'ieee' | 'xla-cpu'): Tensor => {
    const make = { clip: () => clipByGlobalNorm(1, { arithmetic }), zero_nans: () => zeroNans() }
    const transform = chain(...row.order.split('>').map((name) => make[name as 'clip']()))
    const grads = { g: tensor(row.in.map(numberOf), { dtype: dtypeOf(row.dtype) }) }
    return leavesOf(transform.update(grads, transform.init(grads))[0])[0]!
  }

  it.each(key.order_table)("$order on $case, $dtype, agrees with optax's table in every bit", (row) => {
    expect(tensorBits(run(row, 'xla-cpu'))).toBe(expected(row))
  })

  const notFinite = key.order_table.filter((row) => row.case !== 'finite' && row.order.includes('clip'))
  it.each(notFinite)("$order on $case, $dtype, has the same zeros and NaNs in 'ieee'", (row) => {
    const kinds = (x: Tensor) => Array.from(x.toNumbers(), (v) => (v === 0 || Number.isNaN(v) ? v : 'finite'))
    expect(kinds(run(row, 'ieee'))).toEqual(kinds(tensorOfBits(row.out, dtypeOf(row.dtype), [3])))
  })
})

describe('clipByGlobalNorm of one leaf', () => {
  it.each(key.clip_table)('$case, $dtype, maxNorm $max_norm: every bit of optax, or an error', (row) => {
    const dtype = dtypeOf(row.dtype)
    const limit = numberOf(row.max_norm)
    const grads = { g: tensorOfBits(row.in, dtype, [row.in.length / (dtype === 'bfloat16' ? 4 : 8)]) }
    if (!(limit >= 0)) {
      expect(() => clipByGlobalNorm(limit, xla)).toThrow(
        `clipByGlobalNorm: maxNorm is not a number from 0 [${limit}]`,
      )
      return
    }
    const [updates] = clipByGlobalNorm(limit, xla).update(grads, {})
    expect(tensorBits(globalNorm(grads, xla))).toBe(row.norm)
    expect(tensorBits(leavesOf(updates)[0]!)).toBe(row.out)
  })
})

describe("incrementalUpdate, arithmetic 'xla-cpu'", () => {
  const scalars = key.ema.filter((run) => run.kind !== 'tree')
  it.each(scalars)('$dtype, tau $tau, from $start to $target: every bit, and the stall of optax', (run) => {
    const dtype = dtypeOf(run.dtype)
    const target = [tensor(run.target, { dtype })]
    let mean: Tensor[] = [tensor(run.start as number, { dtype })]
    const first: string[] = []
    let stall: number | null = null
    for (let step = 1; step <= run.last_step; step++) {
      const next = incrementalUpdate(target, mean, 1 - run.tau, xla)
      if (stall === null && bitsOf(next)['0'] === bitsOf(mean)['0']) stall = step - 1
      mean = next
      if (step <= 60) first.push(bitsOf(mean)['0']!)
    }
    expect(first.join('')).toBe(run.first_60)
    expect(bitsOf(mean)['0']).toBe(run.last)
    expect(stall).toBe(run.stall_after_updates)
  })

  it.each(key.ema.filter((run) => run.kind === 'tree'))(
    'follows moving targets in every bit, $dtype',
    (run) => {
      const dtype = dtypeOf(run.dtype)
      let mean = treeOf(key.leaves, run.start as LeafBits, dtype)
      const records = new Map(run.records!.map((record) => [record.step, record.ema]))
      const last = Math.max(...records.keys())
      for (let step = 1; step <= last; step++) {
        mean = incrementalUpdate(
          gradsAt(key.leaves, run.targets!, step - 1, dtype),
          mean,
          1 - Number(run.tau),
          xla,
        )
        const expected = records.get(step)
        if (expected) expect(bitsOf(mean), `step ${step}`).toEqual(stored(expected, key.leaves, dtype))
      }
    },
  )
})
