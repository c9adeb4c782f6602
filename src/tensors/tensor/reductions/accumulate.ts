import { encoder } from '../../../numbers/formats/index.js'
import {
  type AnyStorage,
  checkFloat,
  type DType,
  elementsIn,
  type FloatDType,
  formatOf,
  type IntegerDType,
  isFloat,
  isInteger,
  isPacked,
  numbersOf,
  roundingTo,
  type Storage,
  wrapping,
} from '../storage/dtype.js'
import type { Tensor } from '../storage/tensor.js'
import { checkOrder, type Order, type Round } from './order.js'

/** How a reduction adds. */
export interface AccumulateOptions {
  /** Default 'sequential'. */
  readonly order?: Order
  /**
   * The dtype that every step is rounded to; elements that it cannot hold are rounded to it first. Integers take none:
   * they wrap in their own.
   */
  readonly accumulate?: FloatDType
}

/** The options, checked and complete: plain data, so that a recorded reduction can be read and run again. */
export interface Accumulation {
  readonly order: Order
  readonly accumulate: FloatDType | IntegerDType
}

/** Checks how a reduction over `dtype` adds; `preferred` is what it accumulates in when nothing is said. */
export function accumulation(
  op: string,
  dtype: DType,
  { order = 'sequential', accumulate }: AccumulateOptions,
  { preferred = dtype, windows = false }: { preferred?: DType; windows?: boolean } = {},
): Accumulation {
  checkOrder(op, order, windows)
  if (dtype === 'bool') throw new TypeError(`${op}: no arithmetic on bool, cast first [bool]`)
  if (isInteger(dtype)) {
    if (accumulate !== undefined) {
      throw new TypeError(`${op}: ${dtype} adds in its own dtype, cast first [${accumulate}]`)
    }
    return { order, accumulate: dtype }
  }
  const wide = accumulate ?? (isFloat(preferred) ? preferred : dtype)
  checkFloat(op, wide)
  return { order, accumulate: wide }
}

/** Stores a value in one element, rounded once to the dtype. */
export function writer(dtype: DType, to: Storage): (index: number, value: number) => void {
  const low = formatOf(dtype)
  const data = elementsIn(to)
  if (isPacked(dtype)) {
    const wrap = wrapping(dtype)
    return (index, value) => {
      data[index] = wrap(value)
    }
  }
  if (!low) {
    return (index, value) => {
      data[index] = Number.isNaN(value) ? Number.NaN : value
    }
  }
  const encode = encoder(low)
  return (index, value) => {
    data[index] = encode(value)
  }
}

/** The rounding of one step. */
export function stepRounding({ accumulate }: Accumulation): Round {
  if (accumulate === 'int32') return (value) => value | 0
  if (accumulate === 'uint32') return (value) => value >>> 0
  if (isInteger(accumulate)) return wrapping(accumulate)
  return roundingTo(accumulate)
}

/** The elements as what is added: rounded to the accumulation dtype where that cannot hold them. */
export function addends(x: Tensor, how: Accumulation): AnyStorage {
  const values = numbersOf(x.dtype, x.data)
  if (holds(how.accumulate, x.dtype)) return values
  return Float64Array.from(values, stepRounding(how))
}

/** Whether every value of `dtype` is one of `wide`, as far as their kinds alone say. */
export function holds(wide: DType, dtype: DType): boolean {
  return wide === dtype || wide === 'float64' || (wide === 'float32' && dtype !== 'float64')
}
