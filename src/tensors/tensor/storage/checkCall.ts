import { checkOptions, type OptionHints, type OptionNames, shown } from '../../../base/options/index.js'
import { Tensor } from './tensor.js'

/** Throws a TypeError unless `x` is a tensor: arrays are made one first. */
export function checkTensor(op: string, x: unknown): asserts x is Tensor {
  if (x instanceof Tensor) return
  const written = Array.isArray(x) || ArrayBuffer.isView(x) ? ', write tensor(...)' : ''
  throw new TypeError(`${op}: not a tensor${written} [${shown(x)}]`)
}

/** Checks the tensor and the options of a call; the options only where there are any, so that a call without pays nothing. */
export function checkCall(
  op: string,
  x: unknown,
  options: unknown,
  known: OptionNames,
  hints?: OptionHints,
): void {
  checkTensor(op, x)
  if (options !== undefined) checkOptions(op, options, known, hints)
}

/** Checks the `out` of an elementwise operation, the only option that it has. */
export function checkOutOption(op: string, options: unknown): void {
  if (options !== undefined) checkOptions(op, options, outNames)
}

const outNames: OptionNames = { out: 'optional' }

/** What NumPy and JAX pass by position. */
export const axisFirst: OptionHints = { positional: 'axis' }
