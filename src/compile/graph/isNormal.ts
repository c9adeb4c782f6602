import { flushOp } from '../../numerics/index.js'
import { type DType, dtypeFacts, isFloat, ops } from '../../tensor/index.js'
import type { Node } from './graph.js'

/** The least normal number of float32. */
const least = 2 ** -126

/** A constant of more elements than this is not looked through. */
const mostElements = 64

/** Whether no element is a subnormal float32 number, as far as can be told before they are there: `flush` gives such a value as it is. */
export function isNormal({ dtype, inputs, source }: Node): boolean {
  if (isAbove(dtype)) return true
  if (source.kind === 'reshaped') return isNormal(inputs[0]!)
  if (source.kind === 'constant') {
    const { tensor } = source
    return tensor.size <= mostElements && tensor.toNumbers().every((x) => !(x !== 0 && Math.abs(x) < least))
  }
  if (source.kind !== 'operation') return false
  const { op } = source
  if (op === flushOp) return dtype === 'float32'
  // Of 8 bits or 24, what is normal is rounded to a normal number: the exponents are the same.
  return op === ops.cast && (dtype === 'float32' || dtype === 'bfloat16') && isNormal(inputs[0]!)
}

/** Whether the least number of a dtype is no subnormal float32 number. */
function isAbove(dtype: DType): boolean {
  return !isFloat(dtype) || dtypeFacts(dtype).minPositive >= least
}
