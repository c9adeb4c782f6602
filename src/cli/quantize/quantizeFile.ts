import {
  magnitudes,
  type PiecewiseTensor,
  piecewise,
  type QuantizationWay,
  type TensorReport,
  tensorReport,
  type WayReport,
  type WayTotal,
  wayTotals,
} from '../../tensors/blocks/index.js'
import { sizeOf, Tensor, transpose } from '../../tensors/tensor/index.js'
import { BadInput } from '../io/badInput.js'
import { type FileTensor, openFloatTensors, type Skipped } from '../io/openFloatTensors.js'
import type { Progress } from '../io/terminal.js'

/** What a way of quantising does to one tensor. */
export interface QuantizeRow extends WayReport {
  readonly tensor: string
}

/** Everything that is printed and written. */
export interface QuantizeResults {
  readonly tensors: readonly {
    readonly name: string
    readonly dtype: string
    readonly shape: readonly number[]
    readonly values: number
    readonly notFinite: number
  }[]
  readonly skipped: readonly Skipped[]
  /** One a tensor and way, tensor by tensor. */
  readonly rows: readonly QuantizeRow[]
  /** One a way. */
  readonly totals: readonly WayTotal[]
  /** Percent of the values with 2^x <= |value| < 2^(x + 1). */
  readonly magnitudes: readonly { readonly x: number; readonly y: number }[]
}

/** A tensor with an axis moved last, where blocks lie, whole in memory; as it is where it has no such axis. */
function blocksAlong(tensor: FileTensor, place: number): PiecewiseTensor {
  const { name, shape } = tensor
  const rank = shape.length
  const axis = place < 0 ? rank + place : place
  if (axis < 0 || axis >= rank - 1) return tensor
  const values = new Float64Array(sizeOf(shape))
  let at = 0
  for (const piece of tensor.pieces()) {
    values.set(piece.values, at)
    at += piece.values.length
  }
  const order = [...shape.keys()].filter((k) => k !== axis)
  const moved = transpose(new Tensor('float64', shape, values), [...order, axis])
  return piecewise(name, moved.shape, (from, to) => moved.data.subarray(from, to))
}

/** Quantises the float tensors of a file in each way, a piece of a tensor in memory at a time where blocks lie along the last axis. */
export function quantizeFile(
  path: string,
  ways: readonly QuantizationWay[],
  progress: Progress = () => {},
  axis = -1,
): QuantizeResults {
  const file = openFloatTensors(path)
  try {
    const skipped = [...file.skipped]
    const done: { tensor: FileTensor; report: TensorReport }[] = []
    file.tensors.forEach((tensor, i) => {
      progress(i, file.tensors.length, tensor.name)
      const report = tensorReport(blocksAlong(tensor, axis), ways)
      if (report.ways.length === 0) skipped.push({ name: tensor.name, why: 'no finite value' })
      else done.push({ tensor, report })
    })
    progress(file.tensors.length, file.tensors.length, '')
    if (done.length === 0) throw new BadInput(`no float tensor to quantize${reasons(skipped)}`)
    const reports = done.map(({ report }) => report)
    return {
      tensors: done.map(({ tensor: { name, dtype, shape }, report }) => ({
        ...{ name, dtype, shape, values: report.survey.values, notFinite: report.survey.notFinite },
      })),
      skipped,
      rows: reports.flatMap(({ name, ways }) => ways.map((way) => ({ tensor: name, ...way }))),
      totals: wayTotals(reports),
      magnitudes: magnitudes(reports.map(({ survey }) => survey)),
    }
  } finally {
    file.close()
  }
}

function reasons(skipped: readonly Skipped[]): string {
  if (skipped.length === 0) return ' [no tensors]'
  const first = skipped.slice(0, 3).map(({ name, why }) => `${name}: ${why}`)
  return ` [${first.join('; ')}${skipped.length > 3 ? '; ...' : ''}]`
}
