import { foldIn } from '../../../tensors/random/index.js'
import { dtypeFacts, isFloat, reshape, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { mapTreeWithPath, pathsOf, type Tree } from '../../../tensors/tree/index.js'
import { checkFinite, rowsOf } from '../rows/rowsOf.js'
import { type Candidate, chooseWithin, upgradesOf } from './chooseSchemes.js'
import type { CodedTensor } from './codedTensor.js'
import { decibelsOf, importanceOf, type LayerNoise, noiseOf, relativeNoise } from './layerNoise.js'
import { type ModelPlan, modelPlan, type QuantizeModelOptions } from './modelOptions.js'
import { asMatrix, type SchemeResult } from './weightScheme.js'

/** What a way does to a layer, or to all of them. */
export interface WayRow {
  /** `vq 2 x 256`: vectors of 2, 256 codes; or a baseline's name; 'chosen' for the mixture. */
  readonly way: string
  /** Codes, scales and tables over the values. */
  readonly bitsPerValue: number
  /** Of the weights, dB. */
  readonly sqnr: number
  /** Of the outputs for the calibration inputs, dB; null where there are none. */
  readonly outputSqnr: number | null
  /** Codes used evenly that have the same entropy, the mean over codebooks; null where there is none. */
  readonly perplexity: number | null
  /** Unused codes; null without a codebook. */
  readonly deadCodes: number | null
}

/** What a way does to one layer. */
export interface LayerRow extends WayRow {
  readonly path: string
  readonly values: number
  /** Whether it was chosen for the layer. */
  readonly chosen: boolean
}

/** What a way does to the whole model. */
export interface TotalRow extends WayRow {
  /** The share of the task's number that is kept; null without a task. */
  readonly retention: number | null
}

/** What was reached, as far as it was measured. */
export interface ModelMetrics {
  /** Values that were quantised, and those that were left as they are. */
  readonly values: number
  readonly keptValues: number
  /** Of the quantised values, codes, scales and tables counted. */
  readonly bitsPerValue: number
  /** Of all tensors. */
  readonly bytesBefore: number
  readonly bytesAfter: number
  readonly compression: number
  readonly sqnr: number
  readonly outputSqnr: number | null
  readonly deadCodes: number
  /** The user's own number before and after; null without a task. */
  readonly task: { readonly before: number; readonly after: number; readonly retention: number } | null
  /** Whether `targetRetention` was reached; null without one. */
  readonly reached: boolean | null
  /** Multiplications and additions with the weights for one row of inputs: as before. */
  readonly flopsPerRow: number
  /** Vectors that are looked up to decode all weights once. */
  readonly lookUps: number
  /** What no number here says. */
  readonly notMeasured: 'speed'
}

/** A model in few bits. */
export interface QuantizedModel<P extends Tree = Tree> {
  /** The parameters as they are decoded, each in its dtype. */
  readonly params: P
  /** The codes of layers for which vectors were chosen, by path: for `storeCodes`. */
  readonly coded: Readonly<Record<string, CodedTensor>>
  /** Every layer in every way. */
  readonly layers: readonly LayerRow[]
  /** All layers in every way, and as chosen: the table that says what to use. */
  readonly totals: readonly TotalRow[]
  /** What was reached, as far as it was measured. */
  metrics(): ModelMetrics
}

interface Measured {
  readonly result: Omit<SchemeResult, 'restored'>
  readonly restored: Tensor
  readonly noise: LayerNoise
}

interface Layer {
  readonly path: string
  readonly tensor: Tensor
  /** One for each scheme. */
  readonly measured: readonly Measured[]
}

/**
 * Quantises a model's weights, choosing for each layer the method with the least error: codebooks of several sizes, integers with a
 * scale for each column, MX and NVFP4 blocks and bfloat16, all measured alike.
 *
 * Shape     weights of two axes and more count as [rows, columns], the last axis apart; vectors are neighbours in a row.
 * Dtype     any float; the decoded parameters keep theirs.
 * Rounding  codebooks are bfloat16; errors are measured in float64, on the parameters as they are decoded.
 * Special   with calibration inputs X the error of a layer is |X (W' - W)|^2 / |X W|^2, and codebooks are fitted with the mean
 *           squares of X, the diagonal of its Hessian, as weights; without, |W' - W|^2 / |W|^2. Layers share the bits so that the
 *           sum of these is least along the lower convex hull of each. The task is run once for every way and choice.
 * Throws    RangeError for weights that are not finite, calibration of other sizes, and a budget below the cheapest ways.
 * Cost      k-means of every layer for every codebook; keeps a copy of the weights for every way.
 *
 * @example const w = tensor(Float32Array.from({ length: 4096 }, (_, i) => Math.sin(i * i)), { shape: [64, 64] })
 * const small = quantizeModel({ w }, { bits: 4.6, vectorLength: 2, codebookSize: 256 })
 * small.metrics().bitsPerValue <= 4.6 // true
 * small.totals.map(({ way }) => way).slice(0, 3) // ['chosen', 'vq 2 x 256', 'int4 per channel']
 */
export function quantizeModel<P extends Tree>(
  params: P,
  options?: QuantizeModelOptions<P>,
): QuantizedModel<P> {
  const leaves = pathsOf(params)
  const plan = modelPlan(options)
  const chosenLeaves = leaves.filter(
    ({ path, leaf }) => isFloat(leaf.dtype) && leaf.rank >= 2 && leaf.size > 0 && plan.select(path, leaf),
  )
  if (chosenLeaves.length === 0) {
    throw new RangeError(`quantizeModel: no float tensor of two axes to quantise [${leaves.length} tensors]`)
  }
  for (const path of Object.keys(plan.calibration)) {
    if (!chosenLeaves.some((one) => one.path === path)) {
      throw new RangeError(`quantizeModel: calibration of no layer that is quantised [${path}]`)
    }
  }
  const total = chosenLeaves.length * plan.schemes.length
  const layers = chosenLeaves.map(({ path, leaf }, i): Layer => {
    const begin = i * plan.schemes.length
    return {
      path,
      tensor: leaf,
      measured: measure(path, leaf, plan, i, (at, what) => plan.onProgress(begin + at, total, what)),
    }
  })
  plan.onProgress(total, total, '')
  const treeOf = (choice: readonly number[]): P => decoded(params, layers, choice)
  const before = plan.task?.(params)
  const retentionOf = (choice: readonly number[]): Task | null =>
    plan.task && before !== undefined ? taskOf(before, plan.task(treeOf(choice)), plan.better) : null
  const { choice, task } = choose(layers, plan, retentionOf)
  const every = plan.schemes.map((_, scheme) => layers.map(() => scheme))
  const totals = [
    { ...totalRow('chosen', layers, choice), retention: task?.retention ?? null },
    ...every.map((all, i) => ({
      ...totalRow(plan.schemes[i]!.name, layers, all),
      retention: retentionOf(all)?.retention ?? null,
    })),
  ]
  const keptTensors = leaves.filter(({ path }) => !layers.some((layer) => layer.path === path))
  return {
    params: treeOf(choice),
    coded: codedOf(layers, choice),
    layers: layers.flatMap(({ path, tensor: { size }, measured }, i) =>
      measured.map((one, scheme) => ({
        ...{ path, values: size, chosen: choice[i] === scheme },
        ...rowOf(plan.schemes[scheme]!.name, size, [one]),
      })),
    ),
    totals,
    metrics: () =>
      metricsOf(
        layers,
        choice,
        keptTensors.map(({ leaf }) => leaf),
        { task, target: plan.targetRetention },
      ),
  }
}

type Task = NonNullable<ModelMetrics['task']>

function taskOf(before: number, after: number, better: 'higher' | 'lower'): Task {
  const retention = before === after ? 1 : better === 'higher' ? after / before : before / after
  return { before, after, retention }
}

function measure(
  path: string,
  leaf: Tensor,
  plan: ModelPlan<never>,
  index: number,
  onWay: (at: number, what: string) => void,
): Measured[] {
  const op = 'quantizeModel'
  const matrix = asMatrix(leaf)
  checkFinite(op, path, matrix.toNumbers(), matrix.shape[1]!)
  const inputs = plan.calibration[path]
  if (inputs !== undefined) checkInputs(path, inputs, matrix)
  const weights = { tensor: matrix, importance: inputs && importanceOf(inputs) }
  const key = foldIn(plan.key, index)
  return plan.schemes.map(({ name, quantize }, i) => {
    onWay(i, `${path}, ${name}`)
    const { restored, ...result } = quantize(weights, key)
    const given = tensor(restored, { shape: matrix.shape, dtype: leaf.dtype })
    return {
      result: result.coded
        ? { ...result, coded: { ...result.coded, shape: leaf.shape, dtype: leaf.dtype as never } }
        : result,
      restored: reshape(given, leaf.shape),
      noise: noiseOf({ matrix, inputs }, given),
    }
  })
}

function checkInputs(path: string, inputs: Tensor, matrix: Tensor): void {
  const { lead, d } = rowsOf('quantizeModel', `calibration of ${path}`, inputs)
  if (lead.length !== 1 || d !== matrix.shape[0] || lead[0] === 0) {
    throw new RangeError(
      `quantizeModel: calibration of ${path} is not [samples, ${matrix.shape[0]}] [${inputs.shape.join(', ')}]`,
    )
  }
  checkFinite('quantizeModel', `calibration of ${path}`, inputs.toNumbers(), d)
}

function choose<P extends Tree>(
  layers: readonly Layer[],
  plan: ModelPlan<P>,
  retentionOf: (choice: readonly number[]) => Task | null,
): { choice: readonly number[]; task: Task | null } {
  const usable = plan.allowed.flatMap((allowed, i) => (allowed ? [i] : []))
  const candidates = layers.map(({ tensor: { size }, measured }) =>
    usable.map((i): Candidate => {
      const { result, noise } = measured[i]!
      return { bits: result.bitsPerValue * size, noise: relativeNoise(noise) }
    }),
  )
  const values = layers.reduce((sum, { tensor: { size } }) => sum + size, 0)
  const within = (budget: number): number[] => chooseWithin(candidates, budget).chosen.map((i) => usable[i]!)
  const least = chooseWithin(candidates, 0).bits
  if (least > plan.bits * values) {
    throw new RangeError(
      `quantizeModel: the cheapest ways take more than ${plan.bits} bits a value [${(least / values).toFixed(3)}]`,
    )
  }
  const most = within(plan.bits * values)
  const atMost = { choice: most, task: retentionOf(most) }
  const target = plan.targetRetention
  if (target === undefined || (atMost.task?.retention ?? 0) < target) return atMost
  // The fewest upgrades that keep enough, by halving: retention rises with them but for noise.
  const budgets = budgetsOf(candidates, least).filter((budget) => budget <= plan.bits * values)
  let found = atMost
  let [low, high] = [0, budgets.length - 1]
  while (low <= high) {
    const middle = (low + high) >>> 1
    const choice = within(budgets[middle]!)
    const task = retentionOf(choice)
    if ((task?.retention ?? 0) >= target) {
      found = { choice, task }
      high = middle - 1
    } else {
      low = middle + 1
    }
  }
  return found
}

function budgetsOf(candidates: readonly (readonly Candidate[])[], least: number): number[] {
  let bits = least
  return [least, ...upgradesOf(candidates).upgrades.map((upgrade) => (bits += upgrade.bits))]
}

function decoded<P extends Tree>(params: P, layers: readonly Layer[], choice: readonly number[]): P {
  const byPath = new Map(layers.map(({ path, measured }, i) => [path, measured[choice[i]!]!.restored]))
  return mapTreeWithPath((path, leaf: Tensor) => byPath.get(path) ?? leaf, params) as P
}

function codedOf(layers: readonly Layer[], choice: readonly number[]): Record<string, CodedTensor> {
  const coded = layers.flatMap(({ path, measured }, i): [string, CodedTensor][] => {
    const one = measured[choice[i]!]!.result.coded
    return one ? [[path, one]] : []
  })
  return Object.fromEntries(coded)
}

function rowOf(way: string, values: number, measured: readonly Measured[], bits?: number): WayRow {
  const usages = measured.flatMap(({ result: { usage } }) => (usage ? [usage] : []))
  const sums = sumsOf(measured)
  return {
    way,
    bitsPerValue: bits === undefined ? measured[0]!.result.bitsPerValue : bits / values,
    sqnr: decibelsOf(sums.signal, sums.error),
    outputSqnr: sums.outputs && decibelsOf(sums.outputs.signal, sums.outputs.error),
    perplexity:
      usages.length === 0
        ? null
        : usages.reduce((sum, { perplexity }) => sum + perplexity, 0) / usages.length,
    deadCodes: usages.length === 0 ? null : usages.reduce((sum, { dead }) => sum + dead, 0),
  }
}

interface Power {
  readonly signal: number
  readonly error: number
}

function sumsOf(measured: readonly Measured[]): Power & { readonly outputs: Power | null } {
  const together = (powers: readonly Power[]): Power => ({
    signal: powers.reduce((sum, { signal }) => sum + signal, 0),
    error: powers.reduce((sum, { error }) => sum + error, 0),
  })
  const outputs = measured.flatMap(({ noise }) => noise.outputs ?? [])
  return {
    ...together(measured.map(({ noise }) => noise)),
    outputs: outputs.length === 0 ? null : together(outputs),
  }
}

function totalRow(way: string, layers: readonly Layer[], choice: readonly number[]): WayRow {
  const measured = layers.map((layer, i) => layer.measured[choice[i]!]!)
  const values = layers.reduce((sum, { tensor: { size } }) => sum + size, 0)
  return rowOf(way, values, measured, bitsOf(layers, choice))
}

function bitsOf(layers: readonly Layer[], choice: readonly number[]): number {
  return layers.reduce(
    (sum, { tensor: { size }, measured }, i) => sum + measured[choice[i]!]!.result.bitsPerValue * size,
    0,
  )
}

function metricsOf(
  layers: readonly Layer[],
  choice: readonly number[],
  kept: readonly Tensor[],
  { task, target }: { task: Task | null; target: number | undefined },
): ModelMetrics {
  const row = totalRow('chosen', layers, choice)
  const bytesOf = (x: Tensor): number => Math.ceil((x.size * dtypeFacts(x.dtype).bits) / 8)
  const keptBytes = kept.reduce((sum, x) => sum + bytesOf(x), 0)
  const before = layers.reduce((sum, layer) => sum + bytesOf(layer.tensor), keptBytes)
  const after = keptBytes + Math.ceil(bitsOf(layers, choice) / 8)
  const values = layers.reduce((sum, layer) => sum + layer.tensor.size, 0)
  return {
    values,
    keptValues: kept.reduce((sum, x) => sum + x.size, 0),
    ...{
      bitsPerValue: row.bitsPerValue,
      bytesBefore: before,
      bytesAfter: after,
      compression: before / after,
    },
    ...{ sqnr: row.sqnr, outputSqnr: row.outputSqnr, deadCodes: row.deadCodes ?? 0, task },
    reached: target === undefined ? null : (task?.retention ?? 0) >= target,
    flopsPerRow: 2 * values,
    lookUps: Object.values(codedOf(layers, choice)).reduce((sum, { codes }) => sum + codes.size, 0),
    notMeasured: 'speed',
  }
}
