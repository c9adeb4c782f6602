import { exceptionRule, invalidKind } from '../../tensors/autodiff/index.js'
import { broadcastPlaces, type DTypeFacts, dtypeFacts, formOf, type Op } from '../../tensors/tensor/index.js'
import { exponentOf } from '../program/spacing.js'
import type { EventKind, Happening, PrecisionEvent } from './event.js'
import { ofReduction } from './reductionEvent.js'

/** The events of one step. */
export function eventsOf(happening: Happening): PrecisionEvent[] {
  const { op, operands } = happening
  // A constant has no operands to compare with.
  const inStep = formOf(op) === 'elementwise' || operands.length === 0
  return inStep ? ofElements(happening) : ofReduction(happening)
}

function ofElements(happening: Happening): PrecisionEvent[] {
  const { op, operands, output } = happening
  const values = happening.values()
  const result = happening.result()
  const exact = (i: number): number => happening.exact()[i]!
  const grid = dtypeFacts(output.dtype)
  const least = 2 ** grid.minExponent
  const found = new Map<EventKind, Counted>()
  const places = operands.map((x) => broadcastPlaces(x.shape, output.shape))
  const { adds = 0 } = exceptionRule(op)
  const at = (k: number, i: number): number => values[k]![places[k]?.[i] ?? i]!
  const note = (kind: EventKind, i: number, bits?: number): void => {
    const known = found.get(kind)
    if (!known) {
      found.set(kind, { element: i, count: 1, bits })
    } else {
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
    } else if (size < least && underflows(op, a, second ? b : 1, r, exact(i))) {
      note('underflow', i)
    }
  }
  return [...found].map(([kind, { element, count, bits }]): PrecisionEvent => {
    const read = operands.map((_, k) => at(k, element))
    const form = kind === 'invalid' ? { form: invalidForm(op, read) } : {}
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

/** The event of a non-finite result that its operands do not explain. */
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
  if (finite && exceptionRule(op).pole?.(at(0, i), operands[1] ? at(1, i) : 0)) return 'divideByZero'
  // A format without infinities overflows to NaN.
  if (Number.isNaN(result)) return finite && Number.isFinite(exact()[i]!) ? 'overflow' : 'invalid'
  return finite ? 'overflow' : undefined
}

/** Which invalid operation it was: by name where it has one, else as the call. */
function invalidForm(op: Op, read: readonly number[]): string {
  const kind = invalidKind(
    op,
    read.map((x) => [x]),
  )
  return kind === 'outside the domain' || kind === 'operation' ? `${op.name}(${read.join(', ')})` : kind
}

function underflows(op: Op, a: number, b: number, r: number, exact: number): boolean {
  if (exact !== 0 && exact !== r) return true
  const { vanishes = false, inexact } = exceptionRule(op)
  if (r !== 0) return inexact?.(a) ?? false
  // What float64 lost too.
  return vanishes && a !== 0 && b !== 0 && Number.isFinite(a) && Number.isFinite(b)
}

/** Exponent of the larger operand minus that of the result; the whole precision for a zero result. */
function cancelled(a: number, b: number, r: number, grid: DTypeFacts): number {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return 0
  if (r === 0) return grid.precision
  return Math.max(exponentOf(a), exponentOf(b)) - exponentOf(r)
}
