import * as optimizer from 'tpu-toolkit/optimizer'
import { add, cast, type FloatDType, mul, square, stack, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { leavesOf, mapTree, pathsOf, type Treelike } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { isLong } from '../../support/long.js'
import {
  bitsOf,
  dtypeOf,
  type LeafBits,
  optimizerKey,
  tensorBits,
  tensorOfBits,
  ulpsFrom,
} from '../../support/optimizerKeys.js'

interface MoreKey {
  readonly runs: readonly {
    readonly name: string
    readonly optimizer: string
    readonly dtype: string
    readonly records: Readonly<Record<string, LeafBits>>
  }[]
  readonly oneElement: readonly {
    readonly optimizer: string
    readonly dtype: string
    readonly rows: readonly { readonly p: number; readonly g: number; readonly u: string }[]
  }[]
}

const key = optimizerKey<MoreKey>('more')
const arithmetic = 'xla-cpu'
const shapes = { b: [3], one: [1], w: [5, 4] }

/** The formula of scripts/golden/optimizer_more.py: five significant bits, exact in both dtypes. */
function leaf(shape: readonly number[], step: number, dtype: FloatDType) {
  const n = shape.reduce((a, b) => a * b)
  const values = Array.from(
    { length: n },
    (_, i) => (((7 * i + 13 * step + 5 * n) % 31) - 15) / 2 ** (step % 9),
  )
  return tensor(values, { shape, dtype })
}
const treeAt = (step: number, dtype: FloatDType, w: readonly number[] = shapes.w) => ({
  b: leaf(shapes.b, step, dtype),
  one: leaf(shapes.one, step, dtype),
  w: leaf(w, step, dtype),
})
/** Three axes of the same elements, for what looks at more than two. */
const threeAxes: readonly string[] = ['muonHeads', 'muonBatch']
const shapeOfW = (name: string): readonly number[] => (threeAxes.includes(name) ? [2, 5, 2] : shapes.w)

const halving = (step: number): number => Math.fround(Math.fround(0.55) / Math.fround(1 + step))
const slower = (step: number): number =>
  Math.fround(1 - Math.fround(Math.fround(0.1) / Math.fround(1 + step)))
const rate = optimizer.scale(-0.013, { arithmetic })
const scaleByAdam = optimizer.scaleByAdam({ arithmetic })
const adam = optimizer.adam({ learningRate: 0.013, arithmetic })
const climb = optimizer.chain(
  optimizer.normalize({ arithmetic }),
  optimizer.sgd({ learningRate: 0.05, arithmetic }),
)
const squares: optimizer.GradientTransformation = {
  init: () => ({}),
  update: (updates, state) => [mapTree((g): Tensor => square(g), updates), state],
}
const squareOfSum = (params: Treelike): Tensor => {
  const total = leavesOf(params).reduce((t: Tensor, x) => add(t, sum(cast(x, 'float32'))), tensor(0))
  return mul(square(total), 0.5)
}
const frozen = { b: true, one: false, w: false }
const everyThird = (step: number): boolean => step % 3 === 0
const made: Readonly<Record<string, optimizer.GradientTransformation>> = {
  identity: optimizer.identity(),
  setToZero: optimizer.setToZero(),
  signSgd: optimizer.signSgd({ learningRate: 0.013, arithmetic }),
  signum: optimizer.signum({ learningRate: 0.013, arithmetic }),
  signumFloat32: optimizer.signum({
    learningRate: 0.013,
    beta: 0.7,
    accumulatorDtype: 'float32',
    arithmetic,
  }),
  adamaxw: optimizer.adamaxw({ learningRate: 0.013, weightDecay: 0.1, arithmetic }),
  optimisticGradientDescent: optimizer.optimisticGradientDescent({
    learningRate: 0.013,
    alpha: 1.1,
    beta: 0.7,
    arithmetic,
  }),
  ademamix: optimizer.ademamix({ learningRate: 0.013, b3: 0.99, weightDecay: 0.1, arithmetic }),
  ademamixScheduled: optimizer.ademamix({ learningRate: 0.013, b3: slower, alpha: halving, arithmetic }),
  adan: optimizer.adan({ learningRate: 0.013, weightDecay: 0.1, arithmetic }),
  adopt: optimizer.adopt({ learningRate: 0.013, b2: 0.99, arithmetic }),
  adoptNesterov: optimizer.adopt({ learningRate: 0.013, nesterov: true, useClipping: false, arithmetic }),
  rprop: optimizer.rprop({ learningRate: 0.013, arithmetic }),
  novograd: optimizer.novograd({ learningRate: 0.013, weightDecay: 0.1, arithmetic }),
  sm3: optimizer.sm3({ learningRate: 0.013, arithmetic }),
  fromage: optimizer.fromage({ learningRate: 0.013, arithmetic }),
  noisySgd: optimizer.noisySgd({ learningRate: 0.013, key: 3, arithmetic }),
  applyEvery: optimizer.chain(optimizer.applyEvery(3, { arithmetic }), rate),
  centralize: optimizer.chain(optimizer.centralize({ arithmetic }), rate),
  normalizeByUpdateNorm: optimizer.chain(
    optimizer.normalizeByUpdateNorm({ scaleFactor: 1.5, arithmetic }),
    rate,
  ),
  muon: optimizer.muon({ learningRate: 0.013, weightDecay: 0.1, arithmetic }),
  muonAol: optimizer.muon({
    learningRate: 0.013,
    preconditioning: 'aol',
    adaptive: true,
    consistentRms: 0.2,
    arithmetic,
  }),
  muonSchatten: optimizer.muon({
    learningRate: 0.013,
    preconditioning: 'schatten',
    nesterov: false,
    arithmetic,
  }),
  muonHeads: optimizer.muon({
    learningRate: 0.013,
    weightDecay: 0.1,
    muonWeightDimensionNumbers: { b: null, one: null, w: { reductionAxis: [1], outputAxis: [2, 0] } },
    arithmetic,
  }),
  muonBatch: optimizer.muon({
    learningRate: 0.013,
    muonWeightDimensionNumbers: () => ({ b: null, one: null, w: { reductionAxis: -1, outputAxis: 1 } }),
    arithmetic,
  }),
  scheduleFree: optimizer.scheduleFree(optimizer.adam({ learningRate: 0.013, b1: 0, arithmetic }), {
    learningRate: 0.013,
    arithmetic,
  }),
  scheduleFreeScheduled: optimizer.scheduleFree(optimizer.sgd({ learningRate: halving, arithmetic }), {
    learningRate: halving,
    b1: 0.8,
    weightLrPower: 1,
    stateDtype: 'float32',
    arithmetic,
  }),
  scheduleFreeSgd: optimizer.scheduleFreeSgd({ learningRate: 0.013, weightDecay: 0.1, arithmetic }),
  scheduleFreeAdamw: optimizer.scheduleFreeAdamw({ learningRate: 0.013, weightDecay: 0.1, arithmetic }),
  prodigy: optimizer.prodigy({ weightDecay: 0.1, estimLr0: 1e-3, arithmetic }),
  prodigySafeguard: optimizer.prodigy({ learningRate: 0.5, safeguardWarmup: true, arithmetic }),
  prodigyScheduled: optimizer.prodigy({ learningRate: halving, estimLr0: 1e-3, arithmetic }),
  reduceOnPlateau: optimizer.chain(
    optimizer.sgd({ learningRate: 0.013, arithmetic }),
    optimizer.reduceOnPlateau({ factor: 0.5, patience: 3, cooldown: 2, accumulationSize: 2, arithmetic }),
  ),
  polyakSgd: optimizer.polyakSgd({ maxLearningRate: 0.1, scaling: 0.5, fMin: 0.1, arithmetic }),
  sophia: optimizer.sophia({ learningRate: 0.013, hessianDiagonalFn: squares, arithmetic }),
  sophiaHutchinson: optimizer.sophia({
    learningRate: 0.013,
    updateInterval: 3,
    hessianDiagonalFn: optimizer.hutchinsonEstimatorDiagHessian({ key: 5 }),
    arithmetic,
  }),
  differentiallyPrivateAggregate: optimizer.chain(
    optimizer.differentiallyPrivateAggregate({ l2NormClip: 1.5, noiseMultiplier: 0.1, key: 5, arithmetic }),
    rate,
  ),
  lbfgs: optimizer.lbfgs({ learningRate: 0.3, memorySize: 4, linesearch: null, arithmetic }),
  lbfgsZoom: optimizer.lbfgs({ memorySize: 3, arithmetic }),
  sgdZoom: optimizer.chain(
    optimizer.sgd({ learningRate: 0.7, arithmetic }),
    optimizer.scaleByZoomLinesearch({
      maxLinesearchSteps: 6,
      maxLearningRate: 8,
      tol: 1e-3,
      increaseFactor: 1.7,
      curvRtol: 0.2,
      approxDecRtol: null,
      arithmetic,
    }),
  ),
  dog: optimizer.dog({ arithmetic }),
  dogDistance: optimizer.dog({
    learningRate: 0.7,
    initStep: ['distance', 0.01],
    weightDecay: 0.1,
    arithmetic,
  }),
  dogRate: optimizer.dog({ learningRate: halving, initStep: ['learning_rate', 0.03], arithmetic }),
  dowg: optimizer.dowg({ arithmetic }),
  dowgDistance: optimizer.dowg({ learningRate: 0.7, initEstimSqDist: 0.01, weightDecay: 0.1, arithmetic }),
  cocob: optimizer.cocob({ arithmetic }),
  cocobDecay: optimizer.cocob({ learningRate: 0.7, alpha: 20, weightDecay: 0.1, arithmetic }),
  dadaptAdamw: optimizer.dadaptAdamw({ estimLr0: 1e-3, weightDecay: 0.1, arithmetic }),
  dadaptAdamwScheduled: optimizer.dadaptAdamw({ learningRate: halving, betas: [0.8, 0.99], arithmetic }),
  momo: optimizer.momo({ arithmetic }),
  momoAdaptive: optimizer.momo({
    learningRate: 0.3,
    beta: 0.8,
    weightDecay: 0.1,
    lowerBound: 0.1,
    adaptLowerBound: true,
    arithmetic,
  }),
  momoScheduled: optimizer.momo({ learningRate: halving, weightDecay: 0.1, arithmetic }),
  momoAdam: optimizer.momoAdam({ arithmetic }),
  momoAdamAdaptive: optimizer.momoAdam({
    learningRate: 0.3,
    b1: 0.8,
    b2: 0.99,
    weightDecay: 0.1,
    lowerBound: 0.1,
    adaptLowerBound: true,
    arithmetic,
  }),
  lbfgsBacktracking: optimizer.lbfgs({
    memorySize: 3,
    scaleInitPrecond: false,
    linesearch: optimizer.scaleByBacktrackingLinesearch({ maxBacktrackingSteps: 8, arithmetic }),
    arithmetic,
  }),
  sam: optimizer.sam(adam, climb, { arithmetic }),
  samOpaque: optimizer.sam(optimizer.sgd({ learningRate: 0.013, momentum: 0.9, arithmetic }), climb, {
    syncPeriod: 3,
    resetState: false,
    opaqueMode: true,
    arithmetic,
  }),
  namedChain: optimizer.namedChain({ adam: scaleByAdam, rate }),
  partition: optimizer.partition(
    { fast: optimizer.sgd({ learningRate: 0.1, arithmetic }), slow: adam },
    { b: 'fast', one: 'slow', w: 'fast' },
  ),
  freeze: optimizer.chain(optimizer.sgd({ learningRate: 0.013, arithmetic }), optimizer.freeze(frozen)),
  selectiveTransform: optimizer.selectiveTransform(adam, frozen),
  conditionallyTransform: optimizer.chain(optimizer.conditionallyTransform(scaleByAdam, everyThird), rate),
  conditionallyMask: optimizer.chain(optimizer.conditionallyMask(scaleByAdam, everyThird), rate),
  scheduledDecay: optimizer.chain(
    optimizer.addDecayedWeights(halving, { arithmetic }),
    optimizer.scale(-0.01, { arithmetic }),
  ),
  injectedSchedule: optimizer.injectHyperparams(optimizer.sgd)({ learningRate: halving, arithmetic }),
}

const paths = ['b', 'one', 'w'] as const
const curvature = { b: 1, one: 2, w: 0.5 }
/** Half the sum of curvature p^2, leaf after leaf. */
const bowl = (params: Treelike): Tensor => {
  const squares = leavesOf(params).map((p, i) => mul(sum(mul(p, p), inFloat32), 0.5 * curvature[paths[i]!]))
  return squares.reduce((total, part) => add(total, part))
}
const inFloat32 = { accumulate: 'float32' } as const

/** The gradients of a step at these parameters, by the formulas of the script. */
function gradsAt(name: string, step: number, dtype: FloatDType, params: ReturnType<typeof treeAt>) {
  const grads = treeAt(step, dtype, shapeOfW(name))
  const each = (f: (path: (typeof paths)[number]) => Tensor) => ({ b: f('b'), one: f('one'), w: f('w') })
  if (name.startsWith('lbfgs') || name === 'sgdZoom') {
    return each((path) => add(mul(params[path], curvature[path]), mul(grads[path], 1 / 128)))
  }
  if (name !== 'differentiallyPrivateAggregate') return grads
  const examples = [0, 1, 2, 3].map((i) => treeAt(step + 200 * i, dtype))
  return each((path) => stack(examples.map((tree): Tensor => tree[path])))
}

/** What transforms are told besides, by the formulas of the script. */
function extraAt(
  name: string,
  step: number,
  dtype: FloatDType,
  params: ReturnType<typeof treeAt>,
): optimizer.ExtraArgs {
  const gradFn = (_: unknown, i: number) => treeAt(step + 300 * (i + 1), dtype)
  if (name === 'sophiaHutchinson') return { valueFn: squareOfSum }
  if (['lbfgsBacktracking', 'lbfgsZoom', 'sgdZoom'].includes(name)) {
    return { value: bowl(params), grad: gradsAt(name, step, dtype, params), valueFn: bowl }
  }
  return name === 'samOpaque' ? { gradFn } : { value: (((11 * step) % 29) + 1) / 8 }
}

/** The largest distance in ulps of each leaf's largest element. */
function ulpsOfLeaf(params: Treelike, bits: LeafBits): number {
  return Math.max(
    ...pathsOf(params).map(({ path, leaf }) => {
      const expected = tensorOfBits(bits[path]!, leaf.dtype as FloatDType, leaf.shape).toNumbers()
      const apart = leaf.toNumbers().map((x, i) => Math.abs(x - expected[i]!))
      const largest = Math.max(...expected.map(Math.abs))
      return Math.max(...apart) / 2 ** (Math.floor(Math.log2(largest)) - (leaf.dtype === 'bfloat16' ? 7 : 23))
    }),
  )
}

/**
 * Largest distances from optax in ulps of the dtype, 0 where there is none: XLA's 1 / sqrt begins with the processor's
 * estimate (sm3), its norm of a matrix is summed in another order for some shapes (fromage), and a draw of the normal
 * distribution, once in some thousands, is an ulp off (noisySgd).
 */
const ulps: Readonly<Record<string, number>> = {
  'sm3-f32': 8,
  'fromage-f32': 2,
  'noisySgd-f32': 16,
}

/**
 * The same in ulps of a leaf's largest element: products of matrices, which XLA sums in an order of its own, and sums over
 * examples with noise in them.
 */
const leafUlps: Readonly<Record<string, number>> = {
  'muon-f32': 1,
  'muonAol-f32': 2,
  'muonSchatten-f32': 1,
  'muonHeads-f32': 1,
  'muonBatch-f32': 2,
  'differentiallyPrivateAggregate-f32': 1,
}

/** The keys end at step 200; what goes wrong does so early, in most runs in the first three. */
const steps = isLong ? 200 : 50

describe(`${steps} steps of optax, arithmetic 'xla-cpu'`, () => {
  it.each(key.runs)('$name agrees in every bit, or within the ulps stated', (run) => {
    const dtype = dtypeOf(run.dtype)
    const transform = made[run.optimizer]!
    const params = treeAt(0, dtype, shapeOfW(run.optimizer))
    let point = { params, state: transform.init(params) }
    let looked = 0
    for (let step = 1; step <= steps; step++) {
      const extra = extraAt(run.optimizer, step, dtype, point.params)
      const grads = gradsAt(run.optimizer, step, dtype, point.params)
      point = optimizer.applyGradients(transform, grads, point, { arithmetic, extra })
      const expected = run.records[step]
      if (!expected) continue
      const ofLeaf = leafUlps[run.name]
      const apart = ofLeaf ? ulpsOfLeaf(point.params, expected) : ulpsFrom(point.params, expected)
      expect(apart, `step ${step}`).toBeLessThanOrEqual(ofLeaf ?? ulps[run.name] ?? 0)
      looked++
    }
    expect(looked).toBe(isLong ? 7 : 5)
  })
})

describe('a leaf of one element whose square leaves the range', () => {
  it.each(key.oneElement)('$optimizer, $dtype: every bit of optax', (run) => {
    const dtype = dtypeOf(run.dtype)
    const transform =
      run.optimizer === 'lars'
        ? optimizer.lars({ learningRate: 1, arithmetic })
        : optimizer.lamb({ learningRate: 1, eps: 0, arithmetic })
    for (const { p, g, u } of run.rows) {
      const [params, grads] = [p, g].map((x) => [tensor([x], { dtype })])
      const [updates] = transform.update(grads!, transform.init(params!), params)
      const nan = run.dtype === 'f32' ? /^[7f]fc00000$/ : /^[7f]fc0$/
      const got = tensorBits(leavesOf(updates)[0]!)
      if (nan.test(u)) expect(got.trim(), `p ${p}, g ${g}`).toBe('nan')
      else expect(got, `p ${p}, g ${g}`).toBe(u)
    }
  })
})

describe('createPythonOptimizer', () => {
  it("is createOptimizer with the Python toolkit's defaults, any of which may be replaced", () => {
    const params = [tensor([1, -2])]
    const options = { totalSteps: 40, warmupSteps: 2, nRestarts: 2 }
    const [python, same] = [
      optimizer.createPythonOptimizer(options),
      optimizer.createOptimizer({ ...options, lr: 1e-4, weightDecay: 0.01, b2: 0.95 }),
    ]
    const run = (of: typeof python) => {
      let point = { params, state: of.init(params) }
      for (let i = 0; i < 5; i++) point = optimizer.applyGradients(of, params, point)
      return bitsOf(point.params)
    }
    expect(run(python)).toEqual(run(same))
    expect(run(python)).not.toEqual(bitsOf(params))
  })
})
