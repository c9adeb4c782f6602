import { decodeSafetensors, encodeSafetensors, treeFromJson, treeToJson } from 'tpu-toolkit/files'
import {
  adamw,
  applyIfFinite,
  applyUpdates,
  chain,
  createOptimizer,
  ema,
  type GradientTransformation,
  injectHyperparams,
  lookahead,
  masked,
  multiSteps,
  multiTransform,
  mup,
  type State,
  scaleBySchedule,
  sgd,
  stateFromTree,
  stateToTree,
  trace,
} from 'tpu-toolkit/optimizer'
import { type FloatDType, Tensor, tensor } from 'tpu-toolkit/tensor'
import { mapTree, pathsOf, type Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { bitsOf } from '../../support/optimizerKeys.js'
import { made, makerNames } from '../../support/optimizerMakers.js'

const shapes = { w: [3, 2], b: [[2], [2]] }
const cases: Readonly<Record<string, GradientTransformation>> = {
  ...Object.fromEntries(makerNames.map((name) => [name, made(name)])),
  'sgd, momentum in bfloat16': sgd({ learningRate: 0.1, momentum: 0.9, accumulatorDtype: 'bfloat16' }),
  'adamw, schedule, mask, mu in bfloat16': adamw({
    learningRate: (step) => 1 / (step + 1),
    mask: { b: false, w: true },
    muDtype: 'bfloat16',
  }),
  createOptimizer: createOptimizer({ lr: 0.1, totalSteps: 20, nRestarts: 2 }),
  mup: mup({ base: shapes, target: { w: [6, 2], b: [[2], [4]] }, readout: [] }).adamw({ learningRate: 0.1 }),
  masked: masked(trace(0.5), { b: [true, false], w: true }),
  multiTransform: multiTransform(
    { a: adamw({ learningRate: 0.1 }), z: scaleBySchedule(() => -1) },
    { b: 'a', w: 'z' },
  ),
  multiSteps: multiSteps(adamw({ learningRate: 0.1 }), 3),
  injectHyperparams: injectHyperparams(adamw)({ learningRate: (step) => 1 / (step + 1), b1: 0.9 }),
  applyIfFinite: applyIfFinite(adamw({ learningRate: 0.1 }), 2),
  ema: chain(ema(0.9), trace(0.5)),
}
const roads: Readonly<Record<string, (tree: Tree) => Tree>> = {
  'JSON text': (tree) => treeFromJson(JSON.stringify(treeToJson(tree))),
  safetensors: (tree) => decodeSafetensors(encodeSafetensors(tree)).tree(),
}

function walk(optimizer: GradientTransformation, dtype: FloatDType, pause: (state: State) => State): unknown {
  const start: Tree = {
    b: [tensor([1, -2], { dtype }), tensor([0.5, 3], { dtype })],
    w: tensor(
      [
        [1, 2],
        [-3, 4],
        [5, -6],
      ],
      { dtype },
    ),
  }
  let params: Tree = start
  let state: State = optimizer.init(params)
  for (let step = 0; step < 8; step++) {
    // One gradient that is not finite, for the counters and for the bits of NaN.
    const grads = mapTree(
      (x) =>
        tensor(
          x.toNumbers().map((y) => (step === 3 ? Number.NaN : Math.sin(y + step))),
          { shape: x.shape, dtype },
        ),
      start,
    )
    const [updates, next]: readonly [Tree, State] = optimizer.update(grads, state, params)
    params = applyUpdates(params, updates)
    state = step === 2 || step === 4 ? pause(next) : next
  }
  return [bitsOf(params), bitsOf(stateToTree(state))]
}

describe.each(Object.entries(roads))(
  'a state after steps 3 and 5 through stateToTree, %s and stateFromTree',
  (_, road) => {
    it.each(Object.entries(cases))('%s: goes on as if nothing had been, in every bit', (_, optimizer) => {
      for (const dtype of ['float32', 'bfloat16'] as const) {
        const stored = walk(optimizer, dtype, (state) => {
          const back = stateFromTree(road(stateToTree(state)), state)
          expect(plain(back)).toEqual(plain(state))
          return back
        })
        expect(stored).toEqual(walk(optimizer, dtype, (state) => state))
      }
    })

    it('lookahead, whose parameters are pairs', () => {
      const optimizer = lookahead(adamw({ learningRate: 0.1 }), { syncPeriod: 2, slowStepSize: 0.5 })
      const state = optimizer.init({ fast: [tensor([1])], slow: [tensor([1])] })
      const [, next] = optimizer.update([tensor([1])], state, { fast: [tensor([1])], slow: [tensor([1])] })
      expect(plain(stateFromTree(road(stateToTree(next)), state))).toEqual(plain(next))
    })
  },
)

/** A state with each tensor as its dtype, shape and bits. */
function plain(state: State): unknown {
  if (state instanceof Tensor) return [state.dtype, state.shape, [...state.toBits()].map(String)]
  if (Array.isArray(state)) return state.map(plain)
  if (typeof state !== 'object') return state
  return Object.fromEntries(Object.entries(state).map(([key, value]) => [key, plain(value)]))
}

describe('stateToTree and stateFromTree', () => {
  it('keep numbers of every kind', () => {
    for (const value of [
      0,
      -0,
      1,
      -1,
      2 ** 31 - 1,
      2 ** 31,
      -(2 ** 31),
      0.1,
      2 ** 53,
      Infinity,
      Number.NaN,
      5e-324,
    ]) {
      const back = stateFromTree(stateToTree({ count: value }), { count: 0 })
      expect(Object.is(back.count, value), String(value)).toBe(true)
    }
    expect(pathsOf(stateToTree([1, 0.5, true])).map(({ leaf }) => leaf.dtype)).toEqual([
      'int32',
      'float64',
      'bool',
    ])
  })

  it.each([
    ['stateFromTree: trees differ at 0.count [leaf, nothing]', [{}], [{ count: 0 }], RangeError],
    [
      'stateFromTree: shapes differ at mu.w [2 and 3]',
      { mu: { w: tensor([1, 2, 3]) } },
      { mu: { w: tensor([1, 2]) } },
      RangeError,
    ],
    [
      'stateFromTree: shapes differ at count [ and 1]',
      { count: tensor([1], { dtype: 'int32' }) },
      { count: 1 },
      RangeError,
    ],
    [
      'stateFromTree: dtypes differ at mu.w [float32 and bfloat16]',
      { mu: { w: tensor([1], { dtype: 'bfloat16' }) } },
      { mu: { w: tensor([1]) } },
      TypeError,
    ],
    [
      'stateFromTree: dtypes differ at on [bool and int32]',
      { on: tensor(1, { dtype: 'int32' }) },
      { on: true },
      TypeError,
    ],
    [
      'stateFromTree: dtypes differ at count [int32 and float32]',
      { count: tensor(1) },
      { count: 1 },
      TypeError,
    ],
  ] as const)('%s', (message, tree, like, kind) => {
    expect(() => stateFromTree(tree as Tree, like as State)).toThrow(kind)
    expect(() => stateFromTree(tree as Tree, like as State)).toThrow(message)
  })
})
