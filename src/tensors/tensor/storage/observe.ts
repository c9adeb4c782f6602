import { checkFunction } from '../../../base/options/index.js'
import type { Op, Tensor } from './tensor.js'

/** One run of an operation: what it read, as it was before, and what it gave. */
export interface Applied {
  readonly op: Op
  readonly inputs: readonly Tensor[]
  readonly attributes: unknown
  readonly output: Tensor
}

// The observer of the running `observe`. It changes no result.
let current: ((applied: Applied) => void) | undefined

/** The observer of the running `observe`, if there is one. */
export function observer(): ((applied: Applied) => void) | undefined {
  return current
}

/**
 * Runs `f` and calls `seen` with every operation right after it ran, those on constants, in backward passes and with results
 * that nothing reads too. Results are the same bits. Operations that `seen` itself runs are not reported.
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
  const before = current
  const notify = (applied: Applied): void => {
    current = undefined
    try {
      seen(applied)
    } finally {
      current = notify
    }
  }
  current = notify
  try {
    return f()
  } finally {
    current = before
  }
}
