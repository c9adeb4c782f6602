import { broadcastPlaces, type Op, ops } from '../../tensor/index.js'
import { exponentOf, type Grid, gridOf } from '../program/grid.js'
import type { EventKind, Happening, PrecisionEvent } from './event.js'
import { ofReduction, reduces } from './reductionEvent.js'

/** The events of one step. */
export function eventsOf(happening: Happening): PrecisionEvent[] {
  const { op, output, operands } = happening
  const elementwise = operands.every((x) => broadcasts(x.shape, output.shape))
  return elementwise && !reduces(op) ? ofElements(happening) : ofReduction(happening)
}

function broadcasts(shape: readonly number[], target: readonly number[]): boolean {
  const lead = target.length - shape.length
  return lead >= 0 && shape.every((length, axis) => length === 1 || length === target[axis + lead])
}

function ofElements(happening: Happening): PrecisionEvent[] {
  const { op, operands, output } = happening
  const values = happening.values()
  const result = happening.result()
  const exact = (i: number): number => happening.exact()[i]!
  const grid = gridOf(output.dtype)
  const least = 2 ** grid.minExponent
  const found = new Map<EventKind, Counted>()
  const places = operands.map((x) => broadcastPlaces(x.shape, output.shape))
  const adds = op === ops.add ? 1 : op === ops.sub ? -1 : 0
  const at = (k: number, i: number): number => values[k]![places[k]?.[i] ?? i]!
  const note = (kind: EventKind, i: number, bits?: number): void => {
    const known = found.get(kind)
    if (!known) found.set(kind, { element: i, count: 1, bits })
    else {
      known.count++
      if (bits !== undefined && bits > known.bits!) known.bits = bits
    }
  }
  const [first, second] = values
  const [p, q] = places
  for (let i = 0; i < result.length; i++) {
    const r = result[i]!
    const a = first ? first[p?.[i] ?? i]! : 0
    const b = second ? second[q?.[i] ?? i]! : 0
    const size = Math.abs(r)
    if (!(size < Infinity)) {
      const kind = unfinished(happening, r, i, at)
      if (kind) note(kind, i)
      continue
    }
    if (adds !== 0) {
      if (a !== 0 && b !== 0) {
        if (r === a || r === adds * b) note('absorb', i)
        const bits = cancelled(a, b, r, grid)
        if (bits >= 2) note('cancel', i, bits)
      }
    } else if (size < least && underflows(op, a, b, r, exact(i))) note('underflow', i)
  }
  return [...found].map(([kind, { element, count, bits }]): PrecisionEvent => {
    const read = operands.map((_, k) => at(k, element))
    const form = kind === 'invalid' ? { form: formOf(op, read[0]!, read[1]!) } : {}
    const lost = bits === undefined ? {} : { bits }
    return {
      step: happening.step,
      kind,
      count,
      element,
      operands: read,
      result: result[element]!,
      ...lost,
      ...form,
    }
  })
}

interface Counted {
  readonly element: number
  count: number
  bits: number | undefined
}

/** What a result that is not finite tells, if its operands do not explain it. */
function unfinished(
  { op, operands, exact }: Happening,
  result: number,
  i: number,
  at: (k: number, i: number) => number,
): EventKind | undefined {
  let finite = true
  for (let k = 0; k < operands.length; k++) {
    const value = at(k, i)
    if (Number.isNaN(value)) return undefined
    if (!Number.isFinite(value)) finite = false
  }
  if (Number.isNaN(result)) return 'invalid'
  if (!finite) return undefined
  return isPole(
    op,
    operands.map((_, k) => at(k, i)),
    exact()[i]!,
  )
    ? 'divideByZero'
    : 'overflow'
}

const poles: ReadonlySet<Op> = new Set([
  ops.div,
  ops.log,
  ops.log2,
  ops.log10,
  ops.log1p,
  ops.pow,
  ops.reciprocal,
  ops.rsqrt,
  ops.atanh,
  ops.lgamma,
])

function isPole(op: Op, operands: readonly number[], exact: number): boolean {
  if (Number.isFinite(exact) || !poles.has(op)) return false
  if (op === ops.div) return operands[1] === 0
  if (op === ops.pow) return operands[0] === 0
  return true
}

function formOf(op: Op, a: number, b: number): string {
  if (op === ops.add || op === ops.sub) return 'Inf - Inf'
  if (op === ops.mul) return '0 * Inf'
  if (op === ops.div) return a === 0 && b === 0 ? '0 / 0' : 'Inf / Inf'
  return `${op.name}(${a})`
}

function underflows(op: Op, a: number, b: number, r: number, exact: number): boolean {
  if (exact !== 0 && exact !== r) return true
  // What float64 lost too: a product of numbers that are not zero.
  if (op === ops.mul || op === ops.div) return exact === 0 && a !== 0 && b !== 0 && Number.isFinite(b)
  // A transcendental function of a rational number is never a value of the format; it may be nearer than float64 sees.
  return transcendental.has(op) && (r !== 0 || (a !== 0 && Number.isFinite(a) && vanishing.has(op)))
}

const vanishing: ReadonlySet<Op> = new Set([
  ops.exp,
  ops.exp2,
  ops.sigmoid,
  ops.softplus,
  ops.silu,
  ops.gelu,
  ops.geluTanh,
  ops.erfc,
])
const transcendental: ReadonlySet<Op> = new Set([
  ...vanishing,
  ...[
    ops.sin,
    ops.tan,
    ops.asin,
    ops.atan,
    ops.sinh,
    ops.tanh,
    ops.asinh,
    ops.atanh,
    ops.expm1,
    ops.log1p,
    ops.erf,
  ],
])

/** Exponent of the larger operand minus that of the result; the whole precision for a zero result. */
function cancelled(a: number, b: number, r: number, grid: Grid): number {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return 0
  if (r === 0) return grid.precision
  return Math.max(exponentOf(a), exponentOf(b)) - exponentOf(r)
}
