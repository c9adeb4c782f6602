import { checkFunction, checkRecord } from '../../options/index.js'
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

/** Who is told of what runs, and when it began and ended, in milliseconds of `performance.now()`. What lies within another is told first. */
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

// Who a running `timed` tells. It lives while that runs and changes no result.
let asked: Timer | undefined

/** Who is told of times, if anybody. */
export function timer(): Timer | undefined {
  return asked
}

/**
 * Runs `f` and tells a timer of every operation and of every step of a compiled program, which stays compiled: results are the same
 * bits. `untimed` parts of it are not told.
 *
 * Special   `f` is run to its end: what an asynchronous one does later is not seen.
 * Cost      two readings of the clock an operation.
 *
 * @example const names = []
 * const told = { sites: false, operation: ({ op }) => names.push(op.name), work: () => undefined }
 * timed(() => exp(neg(tensor(1))), told).item() // 0.3678794503211975
 * names // ['neg', 'exp']
 */
export function timed<T>(f: () => T, told: Timer): T {
  checkFunction('timed', 'f', f)
  checkRecord('timed', 'told', told, ['sites', 'operation', 'work'])
  return telling(told, f)
}

/** Runs `f` without telling anybody of its parts. */
export function untimed<T>(f: () => T): T {
  checkFunction('untimed', 'f', f)
  return asked === undefined ? f() : telling(undefined, f)
}

/** Runs `f` as one piece of work, told as what `work` says where somebody asks; where `f` gives undefined it did none. */
export function timedWork<T>(work: () => Work, f: () => T): T {
  checkFunction('timedWork', 'work', work)
  checkFunction('timedWork', 'f', f)
  const told = asked
  if (!told) return f()
  const began = performance.now()
  const result = telling(undefined, f)
  const ended = performance.now()
  if (result !== undefined) told.work(work(), began, ended)
  return result
}

function telling<T>(told: Timer | undefined, f: () => T): T {
  const before = asked
  asked = told
  try {
    return f()
  } finally {
    asked = before
  }
}
