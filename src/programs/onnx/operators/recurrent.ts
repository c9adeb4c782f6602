import {
  add,
  cast,
  concat,
  expandDims,
  full,
  matmul,
  mul,
  relu,
  reshape,
  sigmoid,
  slice,
  split,
  stack,
  sub,
  type Tensor,
  tanh,
  transpose,
} from '../../../tensors/tensor/index.js'
import type { Call, Operator } from './call.js'
import { widened } from './wide.js'

const activations: Readonly<Record<string, (x: Tensor) => Tensor>> = { sigmoid, tanh, relu }

/** One direction of a recurrent layer: its weights [gates hidden, ...], and its states. */
interface Direction {
  readonly w: Tensor
  readonly r: Tensor
  /** Of the inputs and of the recurrence, [gates hidden] each. */
  readonly biases: readonly [Tensor, Tensor]
  readonly peepholes: Tensor | undefined
  readonly activations: readonly ((x: Tensor) => Tensor)[]
}

/** What one step makes of the states, the first of which is the output. */
type Cell = (x: Tensor, states: readonly Tensor[], direction: Direction, call: Call) => readonly Tensor[]

const lines = (x: Tensor, w: Tensor, b: Tensor): Tensor => add(matmul(x, transpose(w)), b)

const rnnCell: Cell = (x, [h], { w, r, biases, activations: [f] }) => [
  f!(add(lines(x, w, biases[0]), lines(h!, r, biases[1]))),
]

const gruCell: Cell = (x, [h], { w, r, biases, activations: [f, g] }, call) => {
  const [wz, wr, wh] = split(lines(x, w, biases[0]), 3, { axis: 1 }) as [Tensor, Tensor, Tensor]
  const [rz, rr, rh] = split(r, 3, { axis: 0 }) as [Tensor, Tensor, Tensor]
  const [bz, br, bh] = split(biases[1], 3) as [Tensor, Tensor, Tensor]
  const z = f!(add(wz, lines(h!, rz, bz)))
  const reset = f!(add(wr, lines(h!, rr, br)))
  const inner = call.flag('linear_before_reset')
    ? mul(reset, lines(h!, rh, bh))
    : lines(mul(reset, h!), rh, bh)
  const next = g!(add(wh, inner))
  return [add(mul(sub(1, z), next), mul(z, h!))]
}

const lstmCell: Cell = (x, [h, c], { w, r, biases, peepholes, activations: [f, g, last] }) => {
  const gates = add(lines(x, w, biases[0]), lines(h!, r, biases[1]))
  const [i, o, forget, update] = split(gates, 4, { axis: 1 }) as [Tensor, Tensor, Tensor, Tensor]
  const [pi, po, pf] = (peepholes ? split(peepholes, 3) : []) as Tensor[]
  const looking = (gate: Tensor, p: Tensor | undefined, cell: Tensor): Tensor =>
    p ? add(gate, mul(p, cell)) : gate
  const next = add(mul(f!(looking(forget, pf, c!)), c!), mul(f!(looking(i, pi, c!)), g!(update)))
  return [mul(f!(looking(o, po, next)), last!(next)), next]
}

/** A recurrent layer of so many gates and states, whose cell has these activations unless the node names others. */
function recurrent(cell: Cell, gates: number, defaults: readonly string[], states: number): Operator {
  return (call, ...inputs) => {
    const [x, w, r] = [0, 1, 2].map((i) => call.need(inputs[i], i)) as [Tensor, Tensor, Tensor]
    const [, , , bias, lengths] = inputs
    if (call.has('clip')) throw call.error('has an attribute that is not known here', 'clip')
    const layout = call.flag('layout')
    const sequence = widened(layout ? transpose(x, [1, 0, 2]) : x)
    const [steps, batch] = sequence.shape as [number, number]
    if (lengths && call.known(lengths, 'its lengths').some((length) => length !== steps)) {
      throw call.error('has sequences of different lengths, which is not known here')
    }
    const hidden = r.shape[2]!
    const direction = call.text('direction', 'forward')
    const count = direction === 'bidirectional' ? 2 : 1
    const names = call.texts('activations') ?? Array.from({ length: count }, () => defaults).flat()
    const zeros: Tensor = full([batch, hidden], 0, { dtype: sequence.dtype as 'float32' })
    const outputs: Tensor[] = []
    const ends: (readonly Tensor[])[] = []
    for (let d = 0; d < count; d++) {
      const of = (y: Tensor): Tensor => slice(widened(y), [d])
      const whole = bias && of(bias)
      const none: Tensor = full([gates * hidden], 0, { dtype: sequence.dtype as 'float32' })
      const functions = names.slice(d * defaults.length, (d + 1) * defaults.length).map((name) => {
        const f = activations[name.toLowerCase()]
        if (!f) throw call.error('has an unknown activation', name)
        return f
      })
      const one: Direction = {
        w: of(w),
        r: of(r),
        biases: whole ? (split(whole, 2) as [Tensor, Tensor]) : [none, none],
        peepholes: inputs[7] && of(inputs[7]),
        activations: functions,
      }
      let now: readonly Tensor[] = Array.from({ length: states }, (_, i) => {
        const initial = inputs[5 + i]
        return initial ? slice(widened(layout ? transpose(initial, [1, 0, 2]) : initial), [d]) : zeros
      })
      const rows: Tensor[] = []
      const backwards = direction === 'reverse' || d === 1
      for (let t = 0; t < steps; t++) {
        now = cell(slice(sequence, [backwards ? steps - 1 - t : t]), now, one, call)
        rows.push(now[0]!)
      }
      outputs.push(stack(backwards ? rows.reverse() : rows, { axis: 0 }))
      ends.push(now)
    }
    // [steps, directions, batch, hidden], and the last states [directions, batch, hidden].
    const y = stack(outputs, { axis: 1 })
    const last = Array.from({ length: states }, (_, i) =>
      concat(
        ends.map((end) => expandDims(end[i]!, 0)),
        { axis: 0 },
      ),
    )
    const results = layout
      ? [transpose(y, [2, 0, 1, 3]), ...last.map((state) => transpose(state, [1, 0, 2]))]
      : [y, ...last]
    return results.map((one) => cast(reshape(one, one.shape), x.dtype))
  }
}

/** Recurrent layers. */
export const recurrentOperators: Readonly<Record<string, Operator>> = {
  GRU: recurrent(gruCell, 3, ['Sigmoid', 'Tanh'], 1),
  LSTM: recurrent(lstmCell, 4, ['Sigmoid', 'Tanh', 'Tanh'], 2),
  RNN: recurrent(rnnCell, 1, ['Tanh'], 1),
}
