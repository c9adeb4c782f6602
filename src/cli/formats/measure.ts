import {
  bitsPerElement,
  type JoinedReport,
  type PiecewiseTensor,
  type QuantizationWay,
  reportPieces,
  type Survey,
} from '../../tensors/blocks/index.js'

/** One line of the results: a way of quantising, on a tensor or on all of a data set. */
export interface Measurement {
  readonly data: string
  /** Empty: all tensors of the data set. */
  readonly tensor: string
  readonly values: number
  readonly scheme: string
  readonly way: string
  /** Bits of an element's code, and with its part of the scales. */
  readonly elementBits: number
  readonly bits: number
  /** 10 log10 of the sum of squares over that of the errors. Null: a result is not finite. Infinity: all are exact. */
  readonly sqnr: number | null
  /** Share of values beyond the largest number, in blocks beyond the largest element times the scale. */
  readonly clipped: number
  /** Share of the values other than zero that become zero. */
  readonly underflow: number
  /** Share of results that are Inf or NaN. */
  readonly notFinite: number
  /** Signed mean error, and mean |error|, both relative to the root mean square of the values; null as `sqnr`. */
  readonly meanError: number | null
  readonly meanAbsError: number | null
  /** Of a model: its held-out loss with these tensors quantised; null elsewhere and where it is not finite. */
  readonly loss: number | null
}

/** Quantises a tensor in each way and compares; one measurement a way. */
export function measureTensor(
  data: string,
  tensor: PiecewiseTensor,
  known: Survey,
  ways: readonly QuantizationWay[],
): Measurement[] {
  const reports = reportPieces(tensor, ways, known.amax)
  return ways.map((way, i) => {
    const { scheme, way: name, elementBits } = way
    const bits = bitsPerElement(way, tensor.shape)
    const what = { data, tensor: tensor.name, values: known.values, scheme, way: name, elementBits, bits }
    return { ...what, ...results(reports[i]!, known), loss: null }
  })
}

type Results = Pick<
  Measurement,
  'sqnr' | 'clipped' | 'underflow' | 'notFinite' | 'meanError' | 'meanAbsError'
>

function results(report: JoinedReport, { values, nonzero }: Survey): Results {
  const { sqnr, clipped, underflowed, overflowed, meanError, meanAbsoluteError, rms } = report
  const finite = overflowed === 0
  return {
    sqnr: finite ? sqnr : null,
    clipped,
    underflow: Math.round(underflowed * values) / nonzero,
    notFinite: overflowed,
    meanError: finite ? meanError / rms : null,
    meanAbsError: finite ? meanAbsoluteError / rms : null,
  }
}

const decibels = (ratio: number): number => 10 * Math.log10(ratio)

/**
 * The measurements of several tensors as one, a way: means over all values, errors relative to each tensor's own rms. So
 * a tensor of small numbers counts as much as one of large ones.
 */
export function pooled(
  perTensor: readonly (readonly Measurement[])[],
  surveys: readonly Survey[],
): Measurement[] {
  const total = surveys.reduce((sum, { values }) => sum + values, 0)
  const nonzero = surveys.reduce((sum, s) => sum + s.nonzero, 0)
  return (perTensor[0] ?? []).map((row, i) => {
    const rows = perTensor.map((measurements) => measurements[i]!)
    const mean = (of: (r: Measurement) => number): number =>
      rows.reduce((sum, r, t) => sum + surveys[t]!.values * of(r), 0) / total
    const finite = rows.every((r) => r.sqnr !== null)
    return {
      ...row,
      tensor: '',
      values: total,
      bits: mean((r) => r.bits),
      sqnr: finite ? decibels(1 / mean((r) => 10 ** (-r.sqnr! / 10))) : null,
      clipped: mean((r) => r.clipped),
      underflow: rows.reduce((sum, r, t) => sum + surveys[t]!.nonzero * r.underflow, 0) / nonzero,
      notFinite: mean((r) => r.notFinite),
      meanError: finite ? mean((r) => r.meanError!) : null,
      meanAbsError: finite ? mean((r) => r.meanAbsError!) : null,
    }
  })
}
