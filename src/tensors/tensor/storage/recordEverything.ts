import { checkFunction, checkOptions } from '../../../base/options/index.js'

// What a running `recordEverything` asks for. It lives while that runs and changes no result: traces are all it adds.
let current: 'with sites' | 'without sites' | undefined

/** Whether a recording runs that wants every operation, and the places they were called at. */
export function recordsEverything(): 'with sites' | 'without sites' | undefined {
  return current
}

/**
 * Runs `f` with every operation recorded, those on constants alone too: what a function computes from tensors that it closes
 * over, and plain numbers that changed when they were rounded to a dtype, beside a tensor or on the way to becoming one. Without it only what depends on a tensor with a
 * trace is recorded. Results are the same bits.
 *
 * Special   operations handed an `out` are not recorded, unless they read something that is. `f` is run to its end: what an
 *           asynchronous one does later is not seen.
 *
 * @example recordEverything(() => mul(tensor(2), 3)).trace.op.name // 'mul'
 * @example mul(tensor(2), 3).trace // undefined
 */
export function recordEverything<T>(f: () => T, options: { readonly sites?: boolean } = {}): T {
  checkFunction('recordEverything', 'f', f)
  checkOptions('recordEverything', options, { sites: 'optional' })
  const { sites = false } = options
  const before = current
  current = sites ? 'with sites' : 'without sites'
  try {
    return f()
  } finally {
    current = before
  }
}
