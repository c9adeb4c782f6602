import { basename } from 'node:path'
import { type FormatName, formatNames, round } from '../../numbers/formats/index.js'
import {
  leastExponent,
  type QuantizationWay,
  quantizationWays,
  type Survey,
  survey,
} from '../../tensors/blocks/index.js'
import { BadInput } from '../io/badInput.js'
import { type FloatTensors, openFloatTensors, type Skipped } from '../io/openFloatTensors.js'
import type { Progress } from '../io/terminal.js'
import { measureCodebooks } from './codebooks.js'
import type { DataSet } from './dataSet.js'
import { finding, summaryFinding } from './finding.js'
import { type FormatsOptions, fileName } from './formatsOptions.js'
import type { FormatsResults, SetResults } from './formatsResults.js'
import { madeData, madeNames } from './made.js'
import { type Measurement, measureTensor, pooled } from './measure.js'
import { type TrainedModel, trainModel } from './model.js'
import { modelData, modelNames, quantisedLoss } from './modelData.js'

/** Runs every way on all data asked for. */
export function runFormats(options: FormatsOptions, progress: Progress = () => {}): FormatsResults {
  const chosen = quantizationWays.filter(({ scheme }) => options.schemes.includes(scheme))
  const weights = options.data.includes(fileName) ? openFloatTensors(options.weights!) : undefined
  try {
    const skipped = [...(weights?.skipped ?? [])]
    const trained = options.data.some((name) => modelNames.includes(name))
    const total = options.data.length + (trained ? 1 : 0)
    if (trained) progress(0, total, 'training')
    const model = trained ? trainModel(options.seed) : undefined
    const sets = options.data.map((name, i): SetResults => {
      progress(total - options.data.length + i, total, name)
      const codebooks = options.codebooks && (name === fileName || name === 'weights')
      return measureSet(dataSet(name, options, model, weights), { chosen, codebooks }, model, skipped)
    })
    progress(total, total, '')
    return {
      seed: options.seed,
      file: options.weights === undefined ? undefined : basename(options.weights),
      finding: summaryFinding(sets),
      model: model && { before: model.before, after: model.after },
      sets,
      skipped,
    }
  } finally {
    weights?.close()
  }
}

function dataSet(
  name: string,
  { seed, weights: path }: FormatsOptions,
  model: TrainedModel | undefined,
  weights: FloatTensors | undefined,
): DataSet {
  if (madeNames.includes(name)) return madeData(name, seed)
  if (model && modelNames.includes(name)) return modelData(name, model)
  const about = `the float tensors of ${basename(path ?? '')}`
  return { name, title: 'File', about, tensors: weights?.tensors ?? [] }
}

function measureSet(
  set: DataSet,
  { chosen, codebooks }: { readonly chosen: readonly QuantizationWay[]; readonly codebooks: boolean },
  model: TrainedModel | undefined,
  skipped: Skipped[],
): SetResults {
  const { name, title, about } = set
  const surveyed = set.tensors.map((tensor) => ({ tensor, known: survey(tensor) }))
  const sound = surveyed.filter(({ tensor, known }) => {
    const why = unfit(known)
    if (why !== undefined) skipped.push({ name: tensor.name, why })
    return why === undefined
  })
  if (sound.length === 0) throw new BadInput(`${name}: no float tensor can be measured [${about}]`)
  const surveys = sound.map(({ known }) => known)
  const amax = surveys.reduce((most, known) => Math.max(most, known.amax), 0)
  const fitting = chosen.filter((way) => way.way !== 'saturating' || overflows(way.scheme, amax))
  const measured = sound.map(({ tensor, known }) => measureTensor(name, tensor, known, fitting))
  const together = pooled(measured, surveys)
  const rows = model ? together.map((row, i) => withLoss(row, fitting[i]!, model)) : together
  return {
    name,
    title,
    about,
    finding: finding(name, rows, model?.after),
    rows,
    perTensor: measured.length > 1 ? measured.flat() : [],
    tensors: sound.map(({ tensor }) => ({ name: tensor.name, shape: tensor.shape })),
    codebooks: codebooks ? measureCodebooks(name, sound) : [],
    histogram: histogram(surveys),
  }
}

/** Why a tensor cannot be measured, or nothing. */
function unfit({ notFinite, nonzero }: Survey): string | undefined {
  if (notFinite > 0) return `holds Inf or NaN (${notFinite} values)`
  return nonzero === 0 ? 'all zeros' : undefined
}

/** Whether a cast makes something else than a finite number of it. */
function overflows(scheme: string, amax: number): boolean {
  return formatNames.includes(scheme as FormatName) && !Number.isFinite(round(amax, scheme as FormatName))
}

function withLoss(row: Measurement, way: QuantizationWay, model: TrainedModel): Measurement {
  if (row.data !== 'weights' && row.data !== 'activations') return row
  return { ...row, loss: quantisedLoss(model, way, row.data) }
}

function histogram(surveys: readonly Survey[]): { x: number; y: number }[] {
  const values = surveys.reduce((sum, known) => sum + known.values, 0)
  const bars = Array.from({ length: 255 }, (_, i) => ({
    x: leastExponent + i,
    y: (100 * surveys.reduce((sum, { exponents }) => sum + exponents[i]!, 0)) / values,
  }))
  return bars.filter(({ y }) => y > 0)
}
