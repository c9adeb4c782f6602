import {
  adamw,
  addDecayedWeights,
  applyUpdates,
  chain,
  type GradientTransformation,
  lrForDModel,
  type MupShapes,
  masked,
  mup,
  type Shapes,
  type State,
  sgd,
} from 'tpu-toolkit/optimizer'
import { tensor } from 'tpu-toolkit/tensor'
import { leavesOf, mapTreeWithPath, type Tree, treeFromPaths } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { bitsOf, optimizerKey } from '../../support/optimizerKeys.js'

interface Row {
  readonly param: string
  readonly shape: readonly number[]
  readonly base_shape: readonly (number | null)[]
  readonly ninf: number
  readonly width_mult: number
  readonly kind: string
  readonly adam_lr_mult: number
  readonly adam_wd_mult: number
  readonly adamw_lr_mult: number
  readonly adamw_wd_mult: number
  readonly sgd_lr_mult: number
  readonly sgd_wd_mult: number
  readonly default_init_std: number
  readonly mup_init_std?: Readonly<Record<string, number>>
  readonly forward_mult: number
}
interface MupKey {
  readonly base_width: number
  readonly models: readonly {
    readonly model: string
    readonly width: number
    readonly readout_forward_mult: number
    readonly lr_mult_inv_sqrt_d: number
    readonly attention: null | Readonly<Record<string, number>>
    readonly params: readonly Row[]
  }[]
}

const key = optimizerKey<MupKey>('mup')
const shapesOf = (rows: readonly Row[], shape: (row: Row) => readonly number[]): Shapes =>
  treeFromPaths<readonly number[]>(rows.map((row) => ({ path: row.param, leaf: shape(row) })))
const base = (row: Row): number[] => row.base_shape.map((length, axis) => length ?? row.shape[axis]!)
const delta = (row: Row): number[] => row.base_shape.map((n, axis) => (n === null ? row.shape[axis]! : 2 * n))
const turned = (shape: readonly number[]): number[] => [...shape].reverse()
const kinds: Readonly<Record<string, string>> = {
  input_or_embedding: 'input',
  bias_or_norm: 'vector',
  hidden_matrix: 'hidden',
  readout_weight: 'readout',
  readout_bias: 'finite',
}
/** Standard deviations by the shape [out, in], as torch's initial values have them. */
const initial: Readonly<Record<string, (shape: readonly number[]) => number>> = {
  normal_std1: () => 1,
  kaiming_normal_fan_in_relu: ([, fanIn]) => Math.sqrt(2 / fanIn!),
  xavier_normal: ([fanOut, fanIn]) => Math.sqrt(2 / (fanIn! + fanOut!)),
}

describe("mup's table", () => {
  it.each(key.models)(
    "agrees with that of the package mup, $model at width $width, in torch's layout",
    (m) => {
      const { table } = mup({
        base: shapesOf(m.params, base),
        delta: shapesOf(m.params, delta),
        target: shapesOf(m.params, (row) => row.shape),
        readout: ['readout'],
        layout: 'out-in',
      })
      const rows = new Map(table.map((row) => [row.path, row]))
      expect(rows.size).toBe(m.params.length)
      for (const row of m.params) {
        const ours = rows.get(row.param)!
        expect(ours, row.param).toMatchObject({
          kind: kinds[row.kind],
          baseShape: row.base_shape,
          growing: row.ninf,
          widthMult: row.width_mult,
          adamLrMult: row.adam_lr_mult,
          sgdLrMult: row.sgd_lr_mult,
          forwardMult: row.forward_mult,
        })
        expect([row.adamw_lr_mult, row.adamw_wd_mult]).toEqual([row.adam_lr_mult, row.adam_wd_mult])
        // The package's decays were read back from lr wd: a float64 rounding or two.
        expect(Math.abs(ours.adamWdMult / row.adam_wd_mult - 1)).toBeLessThan(2 ** -51)
        expect(Math.abs(ours.sgdWdMult / row.sgd_wd_mult - 1)).toBeLessThan(2 ** -51)
        // A few float64 roundings on either side.
        for (const [rule, std] of Object.entries(row.mup_init_std ?? {})) {
          expect(Math.abs((ours.initMult * initial[rule]!(base(row))) / std - 1), rule).toBeLessThan(2 ** -50)
        }
      }
    },
  )

  it.each(key.models)('is the same with every matrix turned and the default layout, $model, $width', (m) => {
    const shapes = (shape: (row: Row) => readonly number[]) => shapesOf(m.params, (row) => turned(shape(row)))
    const { table } = mup({
      base: shapes(base),
      delta: shapes(delta),
      target: shapes((row) => row.shape),
      readout: ['readout.weight'],
    })
    for (const row of m.params) {
      const { adamLrMult, sgdLrMult, forwardMult, widthMult } = table.find(({ path }) => path === row.param)!
      expect([adamLrMult, sgdLrMult, forwardMult, widthMult], row.param).toEqual([
        row.adam_lr_mult,
        row.sgd_lr_mult,
        row.forward_mult,
        row.width_mult,
      ])
    }
  })

  it('takes parameters for shapes, and without delta what differs from base for what grows', () => {
    const params = { w: tensor([[1, 2, 3, 4]]), out: tensor([[1], [2], [3], [4]]), b: tensor([1, 2, 3, 4]) }
    const small = { w: [1, 2], out: [2, 1], b: [2] }
    const { table, at } = mup({ base: small, target: params, readout: ['out'], outputMult: 3 })
    expect(table.map((row) => [row.path, row.kind, row.widthMult, row.forwardMult])).toEqual([
      ['b', 'vector', 2, 1],
      ['out', 'readout', 2, 1.5],
      ['w', 'input', 2, 1],
    ])
    expect(at('w').baseShape).toEqual([null, 2])
    const same = mup({ base: small, target: small, readout: ['out'] }).table
    expect(same.map((row) => [row.growing, row.adamLrMult, row.sgdLrMult, row.forwardMult])).toEqual(
      same.map(() => [0, 1, 1, 1]),
    )
  })

  it('a matrix whose sides grow differently has the fan-in as its width, and SGD the quotient', () => {
    const row = mup({ base: { w: [8, 2] }, target: { w: [32, 4] }, readout: [] }).at('w')
    expect(row).toMatchObject({
      adamLrMult: 1 / 4,
      adamWdMult: 4,
      initMult: 1 / 2,
      sgdLrMult: 1 / 2,
      sgdWdMult: 2,
    })
  })
})

describe('what goes with the table', () => {
  it.each(key.models.filter((m) => m.attention))(
    'mup().attentionScale and lrForDModel, width $width',
    (m) => {
      const { attentionScale } = mup({ base: [1], target: [1], readout: [] })
      const a = m.attention!
      expect(attentionScale(a['d_head']!)).toBe(a['mup_scale_1_over_d'])
      const matching = attentionScale(a['d_head']!, (64 / m.width) * a['d_head']!)
      expect(matching).toBeCloseTo(a['mup_scale_matching_sp_at_base']!, 15)
      expect(attentionScale(a['d_head']!, 64)).toBeCloseTo(a['mup_scale_8_over_d']!, 15)
      expect(lrForDModel({ baseLr: 1, baseD: 64, targetD: m.width })).toBeCloseTo(m.lr_mult_inv_sqrt_d, 15)
    },
  )

  const params: Tree = {
    w: tensor(
      Float32Array.from({ length: 32 }, (_, i) => Math.sin(i)),
      { shape: [4, 8] },
    ),
    out: tensor([[1], [-2], [3], [0.5], [1], [1], [2], [2]]),
    b: tensor([1, 2, 3, 4, 5, 6, 7, 8]),
  }
  const m = mup({ base: { w: [2, 2], out: [2, 1], b: [2] }, target: params, readout: ['out'] })
  const walk = (optimizer: GradientTransformation<readonly State[]>) => {
    let now = params
    let state = optimizer.init(now)
    for (let step = 0; step < 10; step++) {
      const grads = mapTreeWithPath(
        (path, x) =>
          tensor(
            x.toNumbers().map((y) => Math.cos(step + y + path.length)),
            { shape: x.shape },
          ),
        now,
      )
      const [updates, next] = optimizer.update(grads, state, now)
      now = applyUpdates(now, updates)
      state = next
    }
    return bitsOf(now)
  }
  /** One optimizer a leaf, each with its own rate and decay: the parameter groups of the package mup. */
  const groups = (make: (row: ReturnType<typeof m.at>) => GradientTransformation) =>
    chain(
      ...m.table.map((row) =>
        masked(make(row), (tree: Tree) => mapTreeWithPath((path) => path === row.path, tree)),
      ),
    )

  it('mup().adamw is AdamW with a rate and a decay for each leaf, in every bit where r is a power of 2', () => {
    const [learningRate, weightDecay] = [0.03, 0.1]
    const apart = groups((row) =>
      adamw({ learningRate: learningRate * row.adamLrMult, weightDecay: weightDecay * row.adamWdMult }),
    )
    expect(walk(m.adamw({ learningRate, weightDecay }))).toEqual(walk(apart))
    expect(m.at('w').adamLrMult).toBe(1 / 2)
    expect(walk(m.adamw({ learningRate, weightDecay }))).not.toEqual(
      walk(adamw({ learningRate, weightDecay })),
    )
    expect(walk(m.adam({ learningRate }))).toEqual(walk(m.adamw({ learningRate, weightDecay: 0 })))
  })

  it('mup().scaleUpdates before a decay and SGD is SGD with a rate and a decay for each leaf', () => {
    const [learningRate, momentum, decay] = [0.03, 0.9, 0.1]
    const apart = groups((row) =>
      chain(
        addDecayedWeights(decay * row.sgdWdMult),
        sgd({ learningRate: learningRate * row.sgdLrMult, momentum }),
      ),
    )
    expect(
      walk(chain(m.scaleUpdates('sgd'), addDecayedWeights(decay), sgd({ learningRate, momentum }))),
    ).toEqual(walk(apart))
    expect(walk(m.sgd({ learningRate }))).toEqual(
      walk(groups((row) => sgd({ learningRate: learningRate * row.sgdLrMult }))),
    )
  })

  it('mup().scaleUpdates hands on the very leaf whose multiplier is 1', () => {
    const [scaled] = m.scaleUpdates('adam').update(params, {})
    const same = leavesOf(scaled).map((leaf, i) => leaf === leavesOf(params)[i])
    expect(same).toEqual(m.table.map((row) => row.adamLrMult === 1))
  })
})

describe('bad input', () => {
  const make = (changes: Partial<MupShapes>) => () =>
    mup({ base: { w: [2, 2] }, target: { w: [4, 4] }, readout: [], ...changes })
  it.each([
    ['mup: trees differ at v [nothing, leaf]', make({ base: { v: [2, 2], w: [2, 2] } })],
    ['mup: ranks differ at w [1, 2, 2]', make({ base: { w: [2] } })],
    ['mup: not a shape at w [2, 1.5]', make({ base: { w: [2, 1.5] } })],
    ['mup: no parameter of the readout [head]', make({ readout: ['head'] })],
    ['mup: the outputs of a readout grow at w [4, 4]', make({ readout: ['w'] })],
    [
      'mup: more than two dimensions grow at w [4, 4, 4]',
      make({ base: { w: [2, 2, 2] }, target: { w: [4, 4, 4] } }),
    ],
    [
      'mup: a dimension that is the same in base and delta is another in target at w [2, 4]',
      make({ delta: { w: [2, 8] } }),
    ],
    ['mup: unknown layout, there are in-out, out-in [nchw]', make({ layout: 'nchw' as 'in-out' })],
    ['mup: outputMult is not a number [NaN]', make({ outputMult: Number.NaN })],
    ['mup: no such parameter [v]', () => make({})().at('v')],
    [
      'mup: no such parameter [v]',
      () =>
        make({})()
          .scaleUpdates('adam')
          .update({ v: tensor([1]) }, {}),
    ],
    ['mup: unknown rule, there are adam, sgd [lion]', () => make({})().scaleUpdates('lion' as 'sgd')],
    ['mup: headDim is not a positive number [0]', () => make({})().attentionScale(0)],
    [
      'lrForDModel: targetD is not a positive number [0]',
      () => lrForDModel({ baseLr: 1, baseD: 1, targetD: 0 }),
    ],
    [
      'lrForDModel: baseLr is not a number from 0 to 1.7976931348623157e+308 [NaN]',
      () => lrForDModel({ baseLr: Number.NaN, baseD: 1, targetD: 1 }),
    ],
  ])('%s', (message, call) => {
    expect(call).toThrow(RangeError)
    expect(call).toThrow(message)
  })
})
