import fc from 'fast-check'
import { checkGrads, grad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import {
  type Assignment,
  assignExperts,
  balanceLoss,
  combine,
  dispatch,
  expertCapacity,
  type RouteOptions,
  route,
  routerZLoss,
} from 'tpu-toolkit/kernels'
import { add, cast, fromBits, matmul, mul, reshape, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

interface Case {
  readonly case: string
  readonly tokens: number
  readonly experts: number
  readonly k: number
  readonly d: number
  readonly capacityFactor: number
  readonly capacity: number
  readonly capacityMaxText: number
  readonly tokensRoutedDifferently16: number
}

const key = new Columns('kernels/moe')
const cases = key.facts['cases'] as readonly Case[]
const asUint = (x: Tensor<'int32'>): Uint32Array => Uint32Array.from(x.data)

/** Expert e multiplies by e + 1. */
const experts = (x: Tensor<'bfloat16'>): Tensor<'bfloat16'> => {
  const [number] = x.shape as [number]
  const factors = Array.from({ length: number }, (_, e) => e + 1)
  return mul(x, tensor(factors, { shape: [number, 1, 1], dtype: 'bfloat16' }))
}

describe.each(cases)('routing, $case, against an emulation in NumPy', (one) => {
  const { case: name, tokens, experts: number, k, d } = one
  const x = fromBits(key.u16(`${name}_x`), { shape: [tokens, d], dtype: 'bfloat16' })
  const router = fromBits(key.u16(`${name}_router`), { shape: [d, number], dtype: 'bfloat16' })
  const logits = matmul(cast(x, 'float32'), cast(router, 'float32'))
  const routing = route(logits, { k })

  it('route has its experts, scores and weights in every form', () => {
    expect(logits.toBits()).toEqual(key.u32(`${name}_logits`))
    expect(asUint(routing.experts)).toEqual(key.u32(`${name}_experts`))
    expect(routing.scores.toBits()).toEqual(key.u32(`${name}_probs`))
    const forms: Readonly<Record<string, RouteOptions>> = {
      weights: { k },
      weights_renormalised: { k, weights: 'renormalised' },
      weights_after: { k, weights: 'after' },
    }
    for (const [form, options] of Object.entries(forms)) {
      expect(route(logits, options).weights.toBits()).toEqual(key.u32(`${name}_${form}`))
    }
  })

  it('route of logits in bfloat16 has its experts, some of them others', () => {
    const narrow = cast(logits, 'bfloat16')
    expect(narrow.toBits()).toEqual(key.u16(`${name}_logits16`))
    const other = asUint(route(narrow, { k }).experts)
    expect(other).toEqual(key.u32(`${name}_experts16`))
    const sets = (list: Uint32Array): string[] =>
      Array.from({ length: tokens }, (_, t) => [...list.slice(t * k, t * k + k)].sort().join())
    const [wide, rounded] = [sets(asUint(routing.experts)), sets(other)]
    expect(wide.filter((set, t) => set !== rounded[t]).length).toBe(one.tokensRoutedDifferently16)
  })

  it('expertCapacity is that of the codes', () => {
    const sizes = { tokens, experts: number, k, factor: one.capacityFactor }
    expect(expertCapacity(sizes)).toBe(one.capacity)
    expect(expertCapacity({ ...sizes, formula: 'maxtext' })).toBe(one.capacityMaxText)
  })

  it.each(['token', 'choice'] as const)(
    'assignExperts, dispatch and combine by %s have its bits',
    (order) => {
      const assignment = assignExperts(routing.experts, { experts: number, capacity: one.capacity, order })
      expect(asUint(assignment.position)).toEqual(key.u32(`${name}_position_${order}`))
      expect(assignment.kept.toBits()).toEqual(key.u8(`${name}_kept_${order}`))
      expect(asUint(assignment.load)).toEqual(key.u32(`${name}_load_${order}`))
      const sent = dispatch(x, assignment)
      expect(sent.toBits()).toEqual(key.u16(`${name}_dispatched_${order}`))
      expect(combine(experts(sent), assignment, routing.weights).toBits()).toEqual(
        key.u16(`${name}_combined_${order}`),
      )
    },
  )

  it('balanceLoss and routerZLoss have its bits', () => {
    expect([...balanceLoss(routing, { choices: 'first' }).toBits()]).toEqual([
      ...key.u32(`${name}_aux_first`),
    ])
    expect([...balanceLoss(routing).toBits()]).toEqual([...key.u32(`${name}_aux_all`)])
    expect([...routerZLoss(logits).toBits()]).toEqual([...key.u32(`${name}_z_loss`)])
  })
})

const tables = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 6 }))
  .chain(([tokens, number]) =>
    fc.tuple(
      fc.array(fc.constantFrom(-1, -0, 0, 0.5, 1, Number.NaN, Infinity), {
        minLength: tokens * number,
        maxLength: tokens * number,
      }),
      fc.integer({ min: 1, max: number }),
      fc.constantFrom('token' as const, 'choice' as const),
      fc.integer({ min: 1, max: 9 }),
      fc.constant({ tokens, number }),
    ),
  )

describe(`routing, properties (seed ${seed})`, () => {
  it('route takes the largest first and of equals the lowest index, NaN above all, -0 below 0', () => {
    fc.assert(
      fc.property(tables, ([values, k, , , { tokens, number }]) => {
        const rank = (v: number): number => (Number.isNaN(v) ? 9 : Object.is(v, -0) ? -0.25 : Math.min(v, 8))
        const { experts: best } = route(tensor(values, { shape: [tokens, number] }), { k })
        for (let t = 0; t < tokens; t++) {
          const row = values.slice(t * number, t * number + number).map(rank)
          const sorted = [...row.keys()].sort((a, b) => row[b]! - row[a]! || a - b).slice(0, k)
          expect([...best.data.slice(t * k, t * k + k)]).toEqual(sorted)
        }
      }),
      { seed, numRuns: 200 },
    )
  })

  it('combine of dispatch is x times the weights of what was kept', () => {
    fc.assert(
      fc.property(tables, ([values, k, order, capacity, { tokens, number }]) => {
        const finite = values.map((v) => (Number.isFinite(v) ? v : 2))
        const { experts: best, weights } = route(tensor(finite, { shape: [tokens, number] }), { k })
        const assignment = assignExperts(best, { experts: number, capacity, order })
        const x = tensor(finite.slice(0, tokens), { shape: [tokens, 1] })
        const back = combine(dispatch(x, assignment), assignment, weights)
        const { count, load, kept } = assignment
        expect([...load.data]).toEqual([...count.data].map((c) => Math.min(c, capacity)))
        expect(kept.data.reduce((n, one) => n + one, 0)).toBe(load.data.reduce((n, one) => n + one, 0))
        for (let t = 0; t < tokens; t++) {
          let total = 0
          for (let c = 0; c < k; c++) {
            if (kept.data[t * k + c]) {
              total = Math.fround(total + Math.fround((weights.data[t * k + c] as number) * finite[t]!))
            }
          }
          expect(back.data[t]).toBe(total)
        }
      }),
      { seed, numRuns: 200 },
    )
  })

  it('nothing is dropped where every expert has a place for every token', () => {
    const { experts: best, weights } = route(
      tensor([
        [1, 2],
        [3, 4],
        [5, 7],
      ]),
      { k: 2, weights: 'renormalised' },
    )
    const assignment = assignExperts(best, { experts: 2, capacity: 3 })
    const x = tensor([[1], [2], [4]])
    const back = combine(dispatch(x, assignment), assignment, weights)
    // Weights of two are exact complements here, and x a power of 2.
    expect(back.toNested()).toEqual(mul(x, sum(weights, { axis: 1, keepDims: true })).toNested())
  })

  it('a dropped choice with a weight of NaN gives nothing', () => {
    const best = tensor([[0], [0]], { dtype: 'int32' })
    const assignment = assignExperts(best, { experts: 1, capacity: 1 })
    expect(combine(tensor([[[5]]]), assignment, tensor([[1], [Number.NaN]])).toNested()).toEqual([[5], [0]])
  })
})

describe('routing, gradients and programs', () => {
  const logits = tensor(
    [
      [0.1, 0.9, -0.3],
      [0.4, 0.2, 0.5],
      [0.3, 0.1, 0.2],
      [1, 2, 3],
    ].flat(),
    { shape: [4, 3] },
  )
  const x = tensor([1, -2, 0.5, 3, 0.25, -1, 2, 1], { shape: [4, 2] })
  const layer =
    (form: 'scores' | 'renormalised' | 'after') =>
    (l: Tensor, v: Tensor): Tensor => {
      const { experts: best, weights } = route(l, { k: 2, weights: form })
      const assignment = assignExperts(best, { experts: 3, capacity: 2 })
      const out = combine(mul(dispatch(v, assignment), 3), assignment, weights)
      return sum(mul(out, out))
    }

  it.each(['scores', 'renormalised', 'after'] as const)(
    'grad of a layer with weights %s is that of differences',
    (form) => {
      expect(checkGrads(layer(form), [logits, x])?.error).toBeLessThan(1e-7)
    },
  )

  it('grad of both losses is that of differences', () => {
    const f = (l: Tensor): Tensor => add(balanceLoss(route(l, { k: 2 })), routerZLoss(l))
    expect(checkGrads(f, [logits])?.error).toBeLessThan(1e-7)
  })

  it('a layer compiles to the same bits, and follows other logits', () => {
    const f = layer('scores')
    const compiled = compile(f)
    const gradient = compile(grad(f))
    for (const l of [logits, mul(logits, -1)]) {
      expect(compiled(l, x).toBits()).toEqual(f(l, x).toBits())
      expect(gradient(l, x).toBits()).toEqual(grad(f)(l, x).toBits())
    }
  })

  it('route chooses by biased scores and weighs without the bias', () => {
    const {
      experts: best,
      weights,
      scores,
    } = route(tensor([[0, 1, 2]]), {
      k: 1,
      scores: 'sigmoid',
      bias: tensor([10, 0, 0]),
    })
    expect(best.toNested()).toEqual([[0]])
    expect(weights.item()).toBe(scores.data[0])
  })
})

describe('routing, wrong arguments', () => {
  const logits = tensor([[1, 2]])
  const best = tensor([[0], [1]], { dtype: 'int32' })
  const assignment: Assignment = assignExperts(best, { experts: 2, capacity: 1 })
  const wrong: readonly [() => unknown, string][] = [
    [() => route(logits, { k: 3 }), 'route: k is not a whole number from 1 to 2 [3]'],
    [() => route(logits, { k: 0 }), 'route: k is not a whole number from 1 to 2 [0]'],
    [() => route(reshape(logits, [2]), { k: 1 }), 'route: logits are no table [2]'],
    [
      () => route(logits, { k: 1, scores: 'sigmoid', weights: 'after' }),
      'route: weights after the choice are a softmax, scores are not [sigmoid]',
    ],
    [
      () => assignExperts(best, { experts: 2, capacity: 0 }),
      'assignExperts: capacity is not a whole number, 1 or more [0]',
    ],
    [() => assignExperts(best, { experts: 1, capacity: 1 }), 'assignExperts: an expert outside 1 [1]'],
    [
      () => assignExperts(cast(best, 'float32') as unknown as typeof best, { experts: 2, capacity: 1 }),
      'assignExperts: experts are not int32 [float32]',
    ],
    [() => dispatch(logits, assignment), 'dispatch: x is not [2 tokens, d] [1, 2]'],
    [() => combine(logits, assignment, logits), 'combine: y is not [2, 1, d] [1, 2]'],
    [() => expertCapacity({ tokens: 4, experts: 2, factor: 0 }), 'expertCapacity: factor is not above 0 [0]'],
    [
      () => expertCapacity({ tokens: 4, experts: 2, k: 3 }),
      'expertCapacity: k is not a whole number from 1 to 2 [3]',
    ],
  ]
  it.each(wrong)('%s says what is wrong', (call, message) => expect(call).toThrow(message))
})
