import type { Op, Tensor } from '../../tensor/index.js'
import { type Elements, trimmed } from './elements.js'
import { exceptionRule } from './exceptionRules.js'
import type { ElementStep, HistoryStep, NonFiniteKind } from './nonFinite.js'

/** The longest history. */
const depth = 8

/** An operand element: its position and its value. */
interface Operand {
  readonly node: number | undefined
  readonly element: number
  readonly value: number
}

/**
 * How the operand that matters was made, from the operation backwards: after a zero where it is one (the operation that
 * rounded it to zero, or cancelled it), else after the largest operand.
 */
export function historyOf(
  elements: Elements,
  node: number,
  element: number,
  kind: NonFiniteKind,
): HistoryStep[] {
  const steps: HistoryStep[] = []
  const first = operandsAt(elements, node, element)
  const zeros = kind !== 'overflow' && kind !== 'Inf - Inf' && kind !== 'constant'
  let at = (zeros && first.find(({ value }) => value === 0)) || largest(first)
  while (at?.node !== undefined && steps.length < depth) {
    const step = elements.step(at.node, at.element)
    const operands = operandsAt(elements, at.node, at.element)
    const op = elements.nodes[at.node]!.record
    const how = howMade(op, step)
    steps.push(trimmed(op, { ...step, how }))
    if (how === 'rounded to zero') break
    if (how === 'cancelled') at = mostRounded(elements, operands)
    else at = (step.value === 0 && operands.find(({ value }) => value === 0)) || largest(operands)
  }
  return steps
}

function howMade(op: Op, { value, exact, operands }: ElementStep): HistoryStep['how'] {
  const all = operands.flat()
  if (value === 0) {
    if (exact !== undefined && exact !== 0) return 'rounded to zero'
    // What float64 too rounds to zero, exp(-1000) or a product of tiny numbers.
    const { vanishes, cancels } = exceptionRule(op)
    if (vanishes && all.every((x) => x !== 0 && Number.isFinite(x))) return 'rounded to zero'
    if (cancels && all.some((x) => x !== 0)) return 'cancelled'
  }
  return exact !== undefined && exact !== value ? 'rounded' : 'passed'
}

function operandsAt(elements: Elements, node: number, element: number): Operand[] {
  const { inputs } = elements.nodes[node]!
  const lists = elements.operands(node)(element)
  return lists.flatMap((list, input) => {
    const from = inputs[input]!
    const tensor: Tensor = elements.inputTensor(node, input)
    const values = elements.values(tensor)
    return list.map((place) => ({
      node: typeof from === 'number' ? from : undefined,
      element: place,
      value: values[place]!,
    }))
  })
}

function largest(operands: readonly Operand[]): Operand | undefined {
  return operands.reduce<Operand | undefined>(
    (a, b) => (!a || Math.abs(b.value) > Math.abs(a.value) ? b : a),
    undefined,
  )
}

/** The operand whose own operation rounded the most, relative to its value; of none that rounded the first computed. */
function mostRounded(elements: Elements, operands: readonly Operand[]): Operand | undefined {
  let worst: Operand | undefined
  let error = 0
  for (const operand of operands) {
    if (operand.node === undefined) continue
    worst ??= operand
    const { exact, value } = elements.step(operand.node, operand.element)
    const lost = exact === undefined ? 0 : Math.abs(exact - value) / Math.abs(value)
    if (lost > error) {
      worst = operand
      error = lost
    }
  }
  return worst
}
