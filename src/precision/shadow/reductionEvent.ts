import { exceptionRule } from '../../tensors/autodiff/index.js'
import {
  dtypeFacts,
  type FloatDType,
  formOf,
  isFloat,
  lanesRead,
  roundingTo,
  type Tensor,
} from '../../tensors/tensor/index.js'
import type { Happening, PrecisionEvent } from './event.js'

/**
 * The events of sums, matrix products and operations of unknown form: infinities from finite operands, NaN from none, and in
 * sums from left to right the additions of something that changed nothing.
 */
export function ofReduction(happening: Happening): PrecisionEvent[] {
  const { step, op, output } = happening
  const events: PrecisionEvent[] = []
  const absorbed = absorbedAdditions(happening)
  if (absorbed) events.push(absorbed)
  if (isFinite(output)) return events
  const result = happening.result()
  const note = (kind: 'overflow' | 'invalid', { first, count }: Found): void => {
    if (count === 0) return
    const form = kind === 'invalid' ? { form: `${op.name} of infinities` } : {}
    events.push({ step, kind, count, element: first, operands: [], result: result[first]!, ...form })
  }
  const out = unfinished(result)
  const read = happening.values().map(unfinished)
  const unknown = read.some(({ nan }) => nan.count > 0)
  if (!unknown) note('invalid', out.nan)
  if (!unknown && read.every(({ infinite }) => infinite.count === 0)) note('overflow', out.infinite)
  return events
}

/** Whether all elements are finite, without decoding them where the format says it of a code. */
function isFinite(x: Tensor): boolean {
  const { dtype } = x
  if (!isFloat(dtype)) return true
  const data = x.data as Tensor<FloatDType>['data']
  const record = dtypeFacts(dtype).format
  if (record && record.infinityCode !== null) {
    const { infinityCode, magnitudeMask } = record
    for (let i = 0; i < data.length; i++) if ((data[i]! & magnitudeMask) >= infinityCode) return false
    return true
  }
  if (record) return false
  for (let i = 0; i < data.length; i++) if (!Number.isFinite(data[i])) return false
  return true
}

interface Found {
  readonly first: number
  readonly count: number
}

/** The NaN and the infinities among some numbers. */
function unfinished(list: Float64Array): { nan: Found; infinite: Found } {
  const nan = { first: -1, count: 0 }
  const infinite = { first: -1, count: 0 }
  for (let i = 0; i < list.length; i++) {
    const x = list[i]!
    if (x - x === 0) continue
    const found = Number.isNaN(x) ? nan : infinite
    if (found.count++ === 0) found.first = i
  }
  return { nan, infinite }
}

interface Sum {
  readonly axes?: readonly number[]
  readonly axis?: number
  readonly how?: { readonly order: unknown; readonly accumulate: FloatDType }
}

/** The additions of a sequential sum in a float that left the running sum where it was though a term was not zero. */
function absorbedAdditions({
  step,
  op,
  operands,
  values,
  attributes,
}: Happening): PrecisionEvent | undefined {
  if (!exceptionRule(op).addsAlong) return undefined
  const { axes, axis, how } = attributes as Sum
  if (how?.order !== 'sequential' || !isFloat(how.accumulate)) return undefined
  const round = roundingTo(how.accumulate)
  const { lanes, length, at } = lanesRead(operands[0]!.shape, axes ?? [axis!])
  const terms = values()[0]!
  let first: Pick<PrecisionEvent, 'element' | 'operands' | 'result'> | undefined
  let count = 0
  for (let k = 0; k < lanes; k++) {
    let sum = length > 0 ? round(terms[at[k * length]!]!) : 0
    for (let i = 1; i < length; i++) {
      const place = at[k * length + i]!
      const term = terms[place]!
      const next = round(sum + term)
      // Into a sum of zero nothing is lost.
      if (next === sum && term !== 0 && Number.isFinite(sum)) {
        count++
        first ??= { element: formOf(op) === 'scan' ? place : k, operands: [sum, term], result: next }
      }
      sum = next
    }
  }
  return first && { step, kind: 'absorb', count, ...first }
}
