import {
  bitsPerElement,
  joinReports,
  leastExponent,
  type QuantizationWay,
  reportPieces,
  survey,
} from 'tpu-toolkit/blocks'
import type { FileTensorRow, FileTold, FileTotal, WayRow } from './fileMessages.js'
import type { OpenTensor, OpenTensors } from './openTensors.js'

type JoinedReport = ReturnType<typeof joinReports>

/** Quantises the tensors one after the other and tells of each as soon as it is done, then of all together. */
export function quantizeTensors(
  { tensors, skipped }: OpenTensors,
  ways: readonly QuantizationWay[],
  tell: (told: FileTold) => void,
): readonly FileTotal[] {
  for (const one of skipped) tell({ skipped: one })
  const reports: {
    readonly tensor: string
    readonly reports: readonly JoinedReport[]
    readonly bits: readonly number[]
  }[] = []
  for (const tensor of tensors) {
    const known = survey(tensor)
    if (known.notFinite === known.values) {
      tell({ skipped: { name: tensor.name, why: 'no finite value' } })
      continue
    }
    const made = reportPieces(tensor, ways, known.amax)
    const bits = ways.map((way) => bitsPerElement(way, tensor.shape))
    reports.push({ tensor: tensor.name, reports: made, bits })
    tell({ tensor: rowOf(tensor, known, ways, made, bits) })
  }
  if (reports.length === 0) return []
  return ways.map(({ scheme, way }, i) => {
    const joined = joinReports(reports.map((one) => one.reports[i]!))
    const bits = reports.reduce((sum, one) => sum + one.reports[i]!.count * one.bits[i]!, 0) / joined.count
    const least = reports.reduce((a, b) => (b.reports[i]!.sqnr < a.reports[i]!.sqnr ? b : a))
    return {
      ...{ scheme, way, bits, ...shown(joined) },
      worst: { tensor: least.tensor, sqnr: least.reports[i]!.sqnr },
    }
  })
}

function rowOf(
  { name, dtype, shape, pieces }: OpenTensor,
  { values, notFinite, exponents }: ReturnType<typeof survey>,
  ways: readonly QuantizationWay[],
  reports: readonly JoinedReport[],
  bits: readonly number[],
): FileTensorRow {
  const there = [...exponents.keys()].filter((i) => exponents[i]! > 0)
  const [piece] = pieces()
  return {
    ...{ name, dtype, shape, values, notFinite },
    ways: ways.map(({ scheme, way }, i) => ({ scheme, way, bits: bits[i]!, ...shown(reports[i]!) })),
    magnitudes: {
      x: there.map((i) => leastExponent + i),
      y: there.map((i) => (100 * exponents[i]!) / values),
    },
    first: [...(piece?.values ?? []).slice(0, 256)],
  }
}

function shown(report: JoinedReport): Omit<WayRow, 'scheme' | 'way' | 'bits'> {
  const { count, sqnr, clipped, underflowed, overflowed, maxError } = report
  return { count, sqnr, clipped, underflowed, overflowed, maxError }
}
