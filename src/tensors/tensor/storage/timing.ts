import { checkFunction, checkRecord } from '../../../base/options/index.js'
import type { DType } from './dtype.js'
import type { Applied } from './observe.js'
import type { Shape } from './shape.js'
import type { Tensor } from './tensor.js'

/** A piece of work that is no single operation: a step of a compiled program, a fused pass of an optimizer. */
export interface Work {
  /** What it is: 'loop', 'matmul', 'fused'. */
  readonly kind: string
  /** The operations that it does, in order. */
  readonly operations: readonly string[]
  /** The source lines that led to each of them, `model.ts:12:7`, innermost first; none where nobody looked for them. */
  readonly stacks: readonly (readonly string[])[]
  readonly dtype: DType
  /** The shape of the result. */
  readonly shape: Shape
  /** Of a matrix product [m, k] x [k, n], done `count` times. */
  readonly product?: { readonly m: number; readonly k: number; readonly n: number; readonly count: number }
  /** Multiplications, additions, functions and comparisons of elements. */
  readonly flops: number
  /** Bytes of values read and written. */
  readonly bytes: number
  /** Bytes of values that it makes. */
  readonly memory: number
}

/** Receives each operation and piece of work with its begin and end, in milliseconds of `performance.now()`; nested work comes first. */
export interface Timer {
  /** Whether operations keep where they were called: some microseconds each. */
  readonly sites: boolean
  /** The name of the function that stands at the foot of their stacks. */
  readonly until?: string
  /** An operation ran; `site` is where it was called, where that is kept. */
  operation(applied: Applied, began: number, ended: number, site: Error | undefined): void
  /** Other work was done; `tensors` come into it from outside, or are what it gives. */
  work(work: Work, began: number, ended: number, tensors?: WorkTensors): void
}

/** What a piece of work reads and makes, where that is known. */
export interface WorkTensors {
  readonly reads?: readonly Tensor[]
  readonly makes?: readonly Tensor[]
}

// The timer of the running `timed`. It changes no result.
let current: Timer | undefined

/** The timer of the running `timed`, if there is one. */
export function currentTimer(): Timer | undefined {
  return current
}

/**
 * Runs `f` and reports every operation and every step of a compiled program, which stays compiled, to a timer: results are the same
 * bits. Work inside `untimed` is not reported.
 *
 * Special   `f` is run to its end: what an asynchronous one does later is not seen.
 * Cost      two readings of the clock an operation.
 *
 * @example const names = []
 * const timer = { sites: false, operation: ({ op }) => names.push(op.name), work: () => undefined }
 * timed(() => exp(neg(tensor(1))), timer).item() // 0.3678794503211975
 * names // ['neg', 'exp']
 */
export function timed<T>(f: () => T, timer: Timer): T {
  checkFunction('timed', 'f', f)
  checkRecord('timed', 'timer', timer, ['sites', 'operation', 'work'])
  checkFunction('timed', 'operation', timer.operation)
  checkFunction('timed', 'work', timer.work)
  return withTimer(timer, f)
}

/** Runs `f` without reporting its operations to the timer. */
export function untimed<T>(f: () => T): T {
  checkFunction('untimed', 'f', f)
  return current === undefined ? f() : withTimer(undefined, f)
}

/** Runs `f` as one piece of work, which `work` describes to the timer if there is one; a result of undefined means no work was done. */
export function timedWork<T>(work: () => Work, f: () => T): T {
  checkFunction('timedWork', 'work', work)
  checkFunction('timedWork', 'f', f)
  const timer = current
  if (!timer) return f()
  const began = performance.now()
  const result = withTimer(undefined, f)
  const ended = performance.now()
  if (result !== undefined) timer.work(work(), began, ended)
  return result
}

function withTimer<T>(timer: Timer | undefined, f: () => T): T {
  const before = current
  current = timer
  try {
    return f()
  } finally {
    current = before
  }
}
