import * as collectives from 'tpu-toolkit/collectives'
import * as losses from 'tpu-toolkit/losses'
import * as lowprecision from 'tpu-toolkit/lowprecision'
import * as optimizer from 'tpu-toolkit/optimizer'
import * as schedule from 'tpu-toolkit/schedule'
import * as ssm from 'tpu-toolkit/ssm'
import { ones, tensor } from 'tpu-toolkit/tensor'
import * as tree from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'

/** A call with the given options, whatever the types say; 'none' where a function takes no options. */
type Call = ((options: never) => unknown) | 'none'
/** Every function of a door has its row: a new one without does not compile. */
type Calls<M> = { readonly [K in keyof M as M[K] extends (...args: never[]) => unknown ? K : never]: Call }

const w = [tensor([1])]
const { sgd, scale } = optimizer
const rate = () => 0.1
const layer = { x: ones([2, 1]), dt: ones([2]), A: tensor(0), B: ones([2, 1]), C: ones([2, 1]) }
const ssmForm =
  (f: (inputs: typeof layer, options: never) => unknown): Call =>
  (options) =>
    f(layer, options)

const optimizers: Calls<typeof optimizer> = {
  adabelief: optimizer.adabelief,
  adadelta: optimizer.adadelta,
  adafactor: optimizer.adafactor,
  adagrad: optimizer.adagrad,
  adam: optimizer.adam,
  adamax: optimizer.adamax,
  adamaxw: optimizer.adamaxw,
  adamw: optimizer.adamw,
  adan: optimizer.adan,
  adaptiveGradClip: (options) => optimizer.adaptiveGradClip(0.1, options),
  addDecayedWeights: (options) => optimizer.addDecayedWeights(0.1, options),
  addNoise: optimizer.addNoise,
  ademamix: optimizer.ademamix,
  adopt: optimizer.adopt,
  amsgrad: optimizer.amsgrad,
  applyEvery: (options) => optimizer.applyEvery(2, options),
  applyGradients: (options) => optimizer.applyGradients(scale(1), w, { params: w, state: {} }, options),
  applyIfFinite: 'none',
  applyUpdates: (options) => optimizer.applyUpdates(w, w, options),
  centralize: optimizer.centralize,
  chain: 'none',
  clip: (options) => optimizer.clip(1, options),
  clipByBlockRms: (options) => optimizer.clipByBlockRms(1, options),
  clipByGlobalNorm: (options) => optimizer.clipByGlobalNorm(1, options),
  conditionallyMask: 'none',
  conditionallyTransform: 'none',
  coordinateCheck: optimizer.coordinateCheck,
  createOptimizer: optimizer.createOptimizer,
  createPythonOptimizer: optimizer.createPythonOptimizer,
  ema: (options) => optimizer.ema(0.9, options),
  emaUpdate: (options) => optimizer.emaUpdate(w, w, options),
  keepParamsNonnegative: optimizer.keepParamsNonnegative,
  measureWithEma: (options) => optimizer.measureWithEma((g) => g as typeof w, 0.5, options),
  microbatch: (options) => optimizer.microbatch((x) => x, options),
  monitor: 'none',
  optimisticAdamV2: optimizer.optimisticAdamV2,
  perExampleGlobalNormClip: (options) => optimizer.perExampleGlobalNormClip(w, 1, options),
  perExampleLayerNormClip: (options) => optimizer.perExampleLayerNormClip(w, 1, options),
  periodicUpdate: 'none',
  powerIteration: (options) => optimizer.powerIteration(ones([1, 1]), options),
  projectionBox: 'none',
  projectionHalfspace: 'none',
  projectionHypercube: 'none',
  projectionHyperplane: 'none',
  projectionL1Ball: 'none',
  projectionL1Sphere: 'none',
  projectionL2Ball: 'none',
  projectionL2Sphere: 'none',
  projectionLinfBall: 'none',
  projectionNonNegative: 'none',
  projectionSimplex: 'none',
  projectionVector: 'none',
  scaleByParamBlockNorm: (options) => optimizer.scaleByParamBlockNorm(1e-3, options),
  skipNotFinite: 'none',
  snapshot: 'none',
  treeMapParams: (options) => optimizer.treeMapParams(scale(1), (x) => x, {}, options),
  freeze: 'none',
  fromage: optimizer.fromage,
  globalNorm: (options) => optimizer.globalNorm(w, options),
  identity: 'none',
  incrementalUpdate: (options) => optimizer.incrementalUpdate(w, w, 0.5, options),
  injectHyperparams: (options) => optimizer.injectHyperparams(sgd)(options),
  lamb: optimizer.lamb,
  lars: optimizer.lars,
  lion: optimizer.lion,
  lookahead: (options) => optimizer.lookahead(scale(1), options),
  lrForDModel: optimizer.lrForDModel,
  makeTrainStep: (options) => optimizer.makeTrainStep((p: typeof w) => [0, p], scale(1), options),
  masked: 'none',
  multiSteps: (options) => optimizer.multiSteps(scale(1), 2, options),
  multiTransform: 'none',
  mup: optimizer.mup,
  umup: optimizer.umup,
  nadam: optimizer.nadam,
  nadamw: optimizer.nadamw,
  namedChain: 'none',
  noisySgd: optimizer.noisySgd,
  normalizeByUpdateNorm: optimizer.normalizeByUpdateNorm,
  novograd: optimizer.novograd,
  optimisticGradientDescent: optimizer.optimisticGradientDescent,
  partition: 'none',
  radam: optimizer.radam,
  rmsprop: optimizer.rmsprop,
  rprop: optimizer.rprop,
  scale: (options) => optimizer.scale(1, options),
  scaleByAdadelta: optimizer.scaleByAdadelta,
  scaleByAdam: optimizer.scaleByAdam,
  scaleByAdamax: optimizer.scaleByAdamax,
  scaleByAdan: optimizer.scaleByAdan,
  scaleByAdemamix: optimizer.scaleByAdemamix,
  scaleByAdopt: optimizer.scaleByAdopt,
  scaleByAmsgrad: optimizer.scaleByAmsgrad,
  scaleByBelief: optimizer.scaleByBelief,
  scaleByFactoredRms: optimizer.scaleByFactoredRms,
  scaleByLearningRate: (options) => optimizer.scaleByLearningRate(1, options),
  scaleByLion: optimizer.scaleByLion,
  scaleByNovograd: optimizer.scaleByNovograd,
  scaleByOptimisticGradient: optimizer.scaleByOptimisticGradient,
  scaleByParamBlockRms: (options) => optimizer.scaleByParamBlockRms(1e-3, options),
  scaleByRadam: optimizer.scaleByRadam,
  scaleByRms: optimizer.scaleByRms,
  scaleByRprop: optimizer.scaleByRprop,
  scaleByRss: optimizer.scaleByRss,
  scaleBySchedule: (options) => optimizer.scaleBySchedule(rate, options),
  scaleBySign: optimizer.scaleBySign,
  scaleBySm3: optimizer.scaleBySm3,
  scaleByStddev: optimizer.scaleByStddev,
  scaleByTrustRatio: optimizer.scaleByTrustRatio,
  scaleByYogi: optimizer.scaleByYogi,
  selectiveTransform: 'none',
  setToZero: 'none',
  sgd: optimizer.sgd,
  signSgd: optimizer.signSgd,
  signum: optimizer.signum,
  skipLargeUpdates: (options) => optimizer.skipLargeUpdates(1, options),
  sm3: optimizer.sm3,
  stateFromTree: 'none',
  stateToTree: 'none',
  withTensorState: 'none',
  storedState: 'none',
  trace: (options) => optimizer.trace(0.9, options),
  yogi: optimizer.yogi,
  zeroNans: 'none',
  differentiallyPrivateAggregate: optimizer.differentiallyPrivateAggregate,
  hutchinsonEstimatorDiagHessian: optimizer.hutchinsonEstimatorDiagHessian,
  muon: optimizer.muon,
  normalize: optimizer.normalize,
  polyakSgd: optimizer.polyakSgd,
  prodigy: optimizer.prodigy,
  reduceOnPlateau: optimizer.reduceOnPlateau,
  sam: (options) => optimizer.sam(scale(1), scale(1), options),
  scaleByMuon: optimizer.scaleByMuon,
  scaleByPolyak: optimizer.scaleByPolyak,
  scaleByShape: optimizer.scaleByShape,
  scaleBySophia: optimizer.scaleBySophia,
  scheduleFree: (options) => optimizer.scheduleFree(scale(1), options),
  scheduleFreeAdamw: optimizer.scheduleFreeAdamw,
  scheduleFreeEvalParams: (options) =>
    optimizer.scheduleFreeEvalParams(optimizer.scheduleFreeSgd().init(w), w, options),
  scheduleFreeSgd: optimizer.scheduleFreeSgd,
  sophia: optimizer.sophia,
  lbfgs: optimizer.lbfgs,
  scaleByBacktrackingLinesearch: optimizer.scaleByBacktrackingLinesearch,
  scaleByLbfgs: optimizer.scaleByLbfgs,
  scaleByZoomLinesearch: optimizer.scaleByZoomLinesearch,
  cocob: optimizer.cocob,
  dadaptAdamw: optimizer.dadaptAdamw,
  dog: optimizer.dog,
  dowg: optimizer.dowg,
  momo: optimizer.momo,
  momoAdam: optimizer.momoAdam,
  scaleByCocob: optimizer.scaleByCocob,
  scaleByDog: optimizer.scaleByDog,
  scaleByDowg: optimizer.scaleByDowg,
}

const schedules: Calls<typeof schedule> = {
  constantSchedule: schedule.constantSchedule,
  cosineDecaySchedule: schedule.cosineDecaySchedule,
  cosineOnecycleSchedule: schedule.cosineOnecycleSchedule,
  doublingPeriods: schedule.doublingPeriods,
  doublingRestartsSchedule: schedule.doublingRestartsSchedule,
  exponentialDecay: schedule.exponentialDecay,
  inverseSqrtSchedule: schedule.inverseSqrtSchedule,
  joinSchedules: 'none',
  linearOnecycleSchedule: schedule.linearOnecycleSchedule,
  linearSchedule: schedule.linearSchedule,
  piecewiseConstantSchedule: schedule.piecewiseConstantSchedule,
  piecewiseInterpolateSchedule: schedule.piecewiseInterpolateSchedule,
  polynomialSchedule: schedule.polynomialSchedule,
  sgdrSchedule: (options) => schedule.sgdrSchedule([options]),
  warmupConstantSchedule: schedule.warmupConstantSchedule,
  warmupCosineDecaySchedule: schedule.warmupCosineDecaySchedule,
  warmupExponentialDecaySchedule: schedule.warmupExponentialDecaySchedule,
  wsdSchedule: schedule.wsdSchedule,
}

const trees: Calls<typeof tree> = {
  checkSameTree: (options) => tree.checkSameTree('f', w, w, options),
  foldTree: (options) => tree.foldTree((n: number) => n, 0, w, options),
  isLeaf: 'none',
  leavesOf: (options) => tree.leavesOf(w, options),
  mapTree: 'none',
  mapTreeWith: (options) => tree.mapTreeWith(options, (x) => x, w),
  mapTreeWithPath: 'none',
  pathsOf: (options) => tree.pathsOf(w, options),
  replaceLeaves: (options) => tree.replaceLeaves(w, [1], options),
  treeFromPaths: 'none',
}

const low: Calls<typeof lowprecision> = {
  dynamicLossScale: (options) =>
    lowprecision.dynamicLossScale(lowprecision.storedParams(scale(1), { mode: 'nearest' }), options),
  stalledUpdates: 'none',
  storedParams: (options) => lowprecision.storedParams(scale(1), options),
}

const forms: Calls<typeof ssm> = {
  chunked: ssmForm(ssm.chunked),
  clamped: ssmForm(ssm.clamped),
  factorized: ssmForm(ssm.factorized),
  pairwise: ssmForm(ssm.pairwise),
  pairwiseMaskAfter: ssmForm(ssm.pairwiseMaskAfter),
  recurrence: ssmForm(ssm.recurrence),
  runningSums: 'none',
  segmentSums: (options) => ssm.segmentSums(ones([2]), options),
  segsum: ssmForm(ssm.segsum),
}

const classes = tensor([0], { dtype: 'int32' })
const row = tensor([[1, 2]])
const ofLosses: Calls<typeof losses> = {
  cosineDistance: (options) => losses.cosineDistance(row, row, options),
  cosineSimilarity: (options) => losses.cosineSimilarity(row, row, options),
  ctcLoss: (options) => losses.ctcLoss(ones([1, 2, 3]), tensor([[1]], { dtype: 'int32' }), options),
  diceLoss: (options) => losses.diceLoss(row, row, options),
  makeFenchelYoungLoss: 'none',
  ntxent: (options) => losses.ntxent(row, classes, options),
  tripletMarginLoss: (options) => losses.tripletMarginLoss(row, row, row, options),
  generalizedKlDivergence: (options) => losses.generalizedKlDivergence(row, row, options),
  hingeLoss: (options) => losses.hingeLoss(row, row, options),
  huberLoss: (options) => losses.huberLoss(row, row, options),
  klDivergence: (options) => losses.klDivergence(row, row, options),
  klDivergenceWithLogTargets: (options) => losses.klDivergenceWithLogTargets(row, row, options),
  l2Loss: (options) => losses.l2Loss(row, row, options),
  logCosh: (options) => losses.logCosh(row, row, options),
  multiclassHingeLoss: (options) => losses.multiclassHingeLoss(row, classes, options),
  multiclassPerceptronLoss: (options) => losses.multiclassPerceptronLoss(row, classes, options),
  perceptronLoss: (options) => losses.perceptronLoss(row, row, options),
  polyLossCrossEntropy: (options) => losses.polyLossCrossEntropy(row, row, options),
  safeSoftmaxCrossEntropy: (options) => losses.safeSoftmaxCrossEntropy(row, row, options),
  sigmoidBinaryCrossEntropy: (options) => losses.sigmoidBinaryCrossEntropy(row, row, options),
  sigmoidFocalLoss: (options) => losses.sigmoidFocalLoss(row, row, options),
  smoothLabels: (options) => losses.smoothLabels(row, 0.1, options),
  softmaxCrossEntropy: (options) => losses.softmaxCrossEntropy(row, row, options),
  softmaxCrossEntropyWithIntegerLabels: (options) =>
    losses.softmaxCrossEntropyWithIntegerLabels(row, classes, options),
  squaredError: (options) => losses.squaredError(row, row, options),
}

const reductions: Readonly<Record<string, Call>> = {
  allReduce: (options) => collectives.allReduce([tensor(1)], options),
  reduceScatter: (options) => collectives.reduceScatter([tensor([1])], options),
  collectiveTraffic: collectives.collectiveTraffic,
}

const takers = Object.entries({
  ...optimizers,
  ...schedules,
  ...trees,
  ...low,
  ...forms,
  ...ofLosses,
  ...reductions,
}).filter((row): row is [string, (options: never) => unknown] => row[1] !== 'none')

describe('options of optimizer, schedule, tree, lowprecision, ssm, losses, collectives', () => {
  it.each(takers)('%s refuses a name that it does not know', (_, call) => {
    expect(() => call({ banana: 1 } as never)).toThrow(/: unknown option, .*\[banana\]$/)
  })

  it.each(takers.filter(([name]) => name !== 'constantSchedule'))(
    '%s refuses what is no record of options',
    (_, call) => {
      for (const wrong of [0.5, null, [1], tensor(1)]) {
        expect(() => call(wrong as never)).toThrow(/: options are not an object/)
      }
    },
  )
})

describe('what was accepted in silence', () => {
  const { adamw, createOptimizer, emaUpdate } = optimizer
  const mistakes: readonly (readonly [string, () => unknown])[] = [
    ['emaUpdate: options are not an object, write { tau: 0.5 } [0.5]', () => emaUpdate(w, w, 0.5 as never)],
    [
      'adamw: unknown option, did you mean weightDecay [weight_decay]',
      () => adamw({ learningRate: 1, weight_decay: 1 } as never),
    ],
    ['adamw: option learningRate is missing [no options]', () => (adamw as () => unknown)()],
    ['scaleByAdam: b1 is not below 1 [1]', () => createOptimizer({ lr: 1, totalSteps: 2, b1: 1 })],
    [
      'collectiveTraffic: replicas of order ring is not a whole number from 1 to 1048576 [1099511627776]',
      () => collectives.collectiveTraffic({ order: 'ring', replicas: 2 ** 40, elements: 1 }),
    ],
    [
      'applyGradients: unknown engine, did you mean simd [smd]',
      () => optimizer.applyGradients(scale(1), w, { params: w, state: {} }, { engine: 'smd' as 'simd' }),
    ],
    [
      'chain: link 1 is not a transformation with init and update [3]',
      () => optimizer.chain(scale(1), 3 as never),
    ],
    ['trace: nesterov is not true or false [yes]', () => optimizer.trace(1, { nesterov: 'yes' as never })],
    [
      'scaleByAdam: unknown muDtype, did you mean bfloat16 [bfloat]',
      () => optimizer.scaleByAdam({ muDtype: 'bfloat' as never }),
    ],
    [
      'scaleByAdam: muDtype is no floating-point dtype [int32]',
      () => optimizer.scaleByAdam({ muDtype: 'int32' as never }),
    ],
    [
      'chunked: dtypes: unknown option, did you mean sums [sum]',
      () => ssm.chunked(layer, { dtypes: { sum: 1 } as never }),
    ],
  ]
  it.each(mistakes)('%s', (message, call) => {
    expect(call).toThrow(message)
  })
})
