import {
  magnitudes,
  type QuantizationWay,
  type TensorReport,
  tensorReport,
  type WayReport,
  wayTotals,
} from 'tpu-toolkit/blocks'
import type { FileTensorRow, FileTold, FileTotal, WayRow } from './fileMessages.js'
import type { OpenTensor, OpenTensors } from './openTensors.js'

/** Quantises the tensors one after the other and tells of each as soon as it is done, then of all together. */
export function quantizeTensors(
  { tensors, skipped }: OpenTensors,
  ways: readonly QuantizationWay[],
  tell: (told: FileTold) => void,
): readonly FileTotal[] {
  for (const one of skipped) tell({ skipped: one })
  const reports = tensors.map((tensor) => {
    const report = tensorReport(tensor, ways)
    tell(
      report.ways.length === 0
        ? { skipped: { name: tensor.name, why: 'no finite value' } }
        : { tensor: rowOf(tensor, report) },
    )
    return report
  })
  return wayTotals(reports).map((total) => ({ ...shown(total), worst: total.worst }))
}

function rowOf({ dtype, pieces }: OpenTensor, { name, shape, survey, ways }: TensorReport): FileTensorRow {
  const { values, notFinite } = survey
  const there = magnitudes([survey])
  const [piece] = pieces()
  return {
    ...{ name, dtype, shape, values, notFinite },
    ways: ways.map(shown),
    magnitudes: { x: there.map(({ x }) => x), y: there.map(({ y }) => y) },
    first: [...(piece?.values ?? []).slice(0, 256)],
  }
}

function shown({ scheme, way, bits, ...report }: WayReport): WayRow {
  const { count, sqnr, clipped, underflowed, overflowed, maxError } = report
  return { scheme, way, bits, count, sqnr, clipped, underflowed, overflowed, maxError }
}
