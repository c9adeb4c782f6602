import type { Operation } from '../module.js'
import { placeOf } from './sourceOf.js'

const reported = new WeakSet<Error>()

/** The error of an operation with its name and its source line; one that has them already stays as it is. */
export function located(error: unknown, op: Operation): unknown {
  if (!(error instanceof Error) || reported.has(error)) return error
  const message = `programOf: ${error.message} [${op.name} at ${placeOf(op)}]`
  const made =
    error instanceof TypeError
      ? new TypeError(message, { cause: error })
      : error instanceof RangeError
        ? new RangeError(message, { cause: error })
        : new Error(message, { cause: error })
  reported.add(made)
  return made
}
