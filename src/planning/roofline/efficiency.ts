import { checkRecord } from '../../base/options/index.js'
import { type ChipName, chip } from '../hardware/index.js'
import { trainingFlops } from '../model/index.js'
import { measured, measuredExperts } from './measured.js'
import type { Measured } from './published.js'

/** The share of a generation's peak that training of dense models reaches, and what it is fitted on. */
export interface Efficiency {
  /** Null where no measurement was found. */
  readonly value: number | null
  readonly points: readonly Measured[]
  /** Largest relative error of a point's step time. */
  readonly largestError: number
  readonly rule: string
}

/** The share of the peak that a measurement is, all pairs of positions counted. */
export function utilisationOf(point: Measured): number {
  checkRecord('utilisationOf', 'point', point, ['chip', 'sequence'])
  const { config, tokensPerSecondPerChip, sequence, chip: name, mfu } = point
  if (config === undefined || tokensPerSecondPerChip === undefined) return mfu ?? Number.NaN
  const { model } = trainingFlops(config, { batch: 1, sequence, attention: 'full' })
  return ((model / sequence) * tokensPerSecondPerChip) / chip(name).bfloat16FlopsPerSecond
}

const rule =
  'the middle of the smallest and the largest measured utilisation, which makes the largest relative error smallest'

/**
 * The one constant that a generation's estimates have: model FLOPs, all pairs of positions counted, over the peak rate.
 *
 * Shape     none. Dtype bfloat16. Rounding none.
 * Throws    RangeError for an unknown chip.
 * Error     `largestError`, on the points themselves.
 * Source    `points`.
 *
 * @example efficiencyOf('v5p').points.length // 10
 * @example efficiencyOf('v2').value // null
 */
export function efficiencyOf(name: ChipName): Efficiency {
  const points = measured.filter((point) => point.chip === chip(name).name)
  if (points.length === 0) {
    return { value: null, points, largestError: Number.NaN, rule: 'no measurement found' }
  }
  return { ...middleOf(points.map(utilisationOf)), points, rule }
}

/**
 * What routing to experts costs on top: a factor on the constant of every generation, fitted on models of 8 experts of which 2
 * are active. Models of many small experts are slower still: DeepSeek V3 and Qwen 3 reach half of the dense ones on tpu7x.
 *
 * @example routingEfficiency().points.length // 3
 */
export function routingEfficiency(): Efficiency {
  const ratios = measuredExperts.map((point) => utilisationOf(point) / (efficiencyOf(point.chip).value ?? 1))
  return { ...middleOf(ratios), points: measuredExperts, rule }
}

function middleOf(values: readonly number[]): { readonly value: number; readonly largestError: number } {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const value = (least + most) / 2
  return { value, largestError: (most - least) / 2 / value }
}
