import { checkFunction } from '../../options/index.js'
import type { Op, Tensor } from './tensor.js'

/** One run of an operation: what it read, as it was before, and what it gave. */
export interface Applied {
  readonly op: Op
  readonly inputs: readonly Tensor[]
  readonly attributes: unknown
  readonly output: Tensor
}

// What a running `observe` asks for. It lives while that runs and changes no result.
let asked: ((applied: Applied) => void) | undefined

/** Who is told of every operation, if anybody. */
export function observer(): ((applied: Applied) => void) | undefined {
  return asked
}

/**
 * Runs `f` and tells `seen` of every operation right after it ran, those on constants, in backward passes and with results
 * that nothing reads too. Results are the same bits. Operations that `seen` itself runs are not told.
 *
 * Special   `f` is run to its end: what an asynchronous one does later is not seen.
 *
 * @example const names = []
 * observe(() => exp(neg(tensor(1))), ({ op }) => names.push(op.name)).item() // 0.3678794503211975
 * names // ['neg', 'exp']
 */
export function observe<T>(f: () => T, seen: (applied: Applied) => void): T {
  checkFunction('observe', 'f', f)
  checkFunction('observe', 'seen', seen)
  const before = asked
  const telling = (applied: Applied): void => {
    asked = undefined
    try {
      seen(applied)
    } finally {
      asked = telling
    }
  }
  asked = telling
  try {
    return f()
  } finally {
    asked = before
  }
}
