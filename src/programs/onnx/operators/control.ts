import {
  full,
  isSealed,
  type Range,
  slice,
  stack,
  type Tensor,
  where,
} from '../../../tensors/tensor/index.js'
import type { Call, Operator } from './call.js'
import { int64s } from './layout.js'

/** The taken branch; both, and a choice between their results, where the condition is an argument of a compiled program. */
function choose(call: Call, condition?: Tensor): readonly Tensor[] {
  const on = call.need(condition, 0)
  const run = (name: string): readonly Tensor[] => call.run(call.graph(name), [])
  if (!isSealed(on)) return run(call.known(on, 'its condition')[0] ? 'then_branch' : 'else_branch')
  const [yes, no] = [run('then_branch'), run('else_branch')]
  return yes.map((x, i) => {
    if (x.shape.join() !== no[i]!.shape.join()) throw call.error('has branches of different shapes')
    return where(on as Tensor<'bool'>, x, no[i]!)
  })
}

/** Values that are carried, and one row of each scanned output an iteration. */
function loop(
  call: Call,
  count?: Tensor,
  condition?: Tensor,
  ...initial: (Tensor | undefined)[]
): readonly Tensor[] {
  const body = call.graph('body')
  const limit = count ? call.known(count, 'its count')[0]! : Infinity
  let going = condition ? call.known(condition, 'its condition')[0] !== 0 : true
  let carried = initial.map((x, i) => call.need(x, i + 2))
  const rows: Tensor[][] = []
  for (let i = 0; i < limit && going; i++) {
    const [goOn, ...results] = call.run(body, [int64s([i], []), full([], 1, { dtype: 'bool' }), ...carried])
    carried = results.slice(0, carried.length)
    rows.push(results.slice(carried.length))
    going = call.known(goOn!, 'its condition')[0] !== 0
  }
  const scanned = body.outputs.length - 1 - carried.length
  if (scanned > 0 && rows.length === 0) throw call.error('scans outputs over no iterations')
  return [
    ...carried,
    ...Array.from({ length: scanned }, (_, j) =>
      stack(
        rows.map((row) => row[j]!),
        { axis: 0 },
      ),
    ),
  ]
}

function scan(call: Call, ...inputs: (Tensor | undefined)[]): readonly Tensor[] {
  const body = call.graph('body')
  const given = inputs.map((x, i) => call.need(x, i))
  const scannedInputs = call.number('num_scan_inputs', 1)
  let carried = given.slice(0, given.length - scannedInputs)
  const outputs = body.outputs.length - carried.length
  const zeros = Array.from({ length: scannedInputs }, () => 0)
  const axes = call.numbers('scan_input_axes') ?? zeros
  const directions = call.numbers('scan_input_directions') ?? zeros
  const sequences = given.slice(carried.length)
  const along = sequences.map((x, i) => call.axis(axes[i]!, x.rank))
  const length = sequences[0]!.shape[along[0]!]!
  const rows: Tensor[][] = []
  for (let t = 0; t < length; t++) {
    const now = sequences.map((x, i) => {
      const at = directions[i] ? length - 1 - t : t
      return slice(
        x,
        x.shape.map((_, axis): Range => (axis === along[i] ? at : null)),
      )
    })
    const results = call.run(body, [...carried, ...now])
    carried = results.slice(0, carried.length)
    rows.push(results.slice(carried.length))
  }
  const outputAxes = call.numbers('scan_output_axes') ?? []
  const outputDirections = call.numbers('scan_output_directions') ?? []
  return [
    ...carried,
    ...Array.from({ length: outputs }, (_, j) => {
      const column = rows.map((row) => row[j]!)
      if (outputDirections[j]) column.reverse()
      return stack(column, { axis: outputAxes[j] ?? 0 })
    }),
  ]
}

/** Operators with graphs inside. */
export const controlOperators: Readonly<Record<string, Operator>> = { If: choose, Loop: loop, Scan: scan }
