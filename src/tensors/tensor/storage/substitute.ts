import { checkFunction } from '../../../base/options/index.js'
import type { Op, Tensor } from './tensor.js'

/** What stands in for an operation; undefined where it is to run as it is. */
export type Substitution = (op: Op, inputs: readonly Tensor[], attributes: unknown) => Tensor | undefined

// What a running `substitute` asks for. It lives while that runs.
let current: Substitution | undefined

/** What is asked to stand in for operations, if anything. */
export function substitution(): Substitution | undefined {
  return current
}

/**
 * Runs `f` with operations replaced: `by` is asked before each one, and what it gives is the result. The operations that `by`
 * runs itself are not replaced, and are what gradients and recordings see.
 *
 * Special   `f` is run to its end: what an asynchronous one does later runs as it is.
 *
 * @example substitute(() => add(tensor(1), tensor(2)), (op, inputs) => (op.name === 'add' ? mul(...inputs) : undefined)).item() // 2
 */
export function substitute<T>(f: () => T, by: Substitution): T {
  checkFunction('substitute', 'f', f)
  checkFunction('substitute', 'by', by)
  const before = current
  current = (op, inputs, attributes) => {
    const running = current
    current = before
    try {
      return by(op, inputs, attributes)
    } finally {
      current = running
    }
  }
  try {
    return f()
  } finally {
    current = before
  }
}
