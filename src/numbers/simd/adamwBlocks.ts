import { type Arena, at, block } from './arena.js'
import { elementwiseKernels } from './elementwise.wasm.js'

/** One leaf of an AdamW step: what it reads, and where it writes. Reading and writing arrays may be the same. */
export interface AdamwLeaf {
  readonly grads: Float32Array
  readonly params: Float32Array
  readonly mu: Float32Array
  readonly nu: Float32Array
  readonly newParams: Float32Array
  readonly newMu: Float32Array
  readonly newNu: Float32Array
}

/** The constants of a step, all float32 but the factor. */
export interface AdamwConstants {
  readonly b1: number
  readonly oneMinusB1: number
  readonly b2: number
  readonly oneMinusB2: number
  /** 1 - b1^t and 1 - b2^t. */
  readonly correction1: number
  readonly correction2: number
  readonly eps: number
  readonly epsRoot: number
  /** Minus the learning rate. */
  readonly rate: number
  /** Undefined: no decay. */
  readonly decay: number | undefined
  /** What clipping multiplies by, in float64; 1 where it leaves gradients alone. */
  readonly factor: number
  /** Whether NaNs become zeros before the factor, after it, or not. */
  readonly zeroNans: 'before' | 'after' | 'never'
}

/** Whether the step made a parameter NaN, and whether it zeroed a NaN of the gradients. */
export interface AdamwOutcome {
  readonly poisoned: boolean
  readonly found: boolean
}

/** A whole AdamW step of a leaf, block by block. NaNs come out with whatever bits the processor gives them. */
export function adamwBlocks(arena: Arena, leaf: AdamwLeaf, constants: AdamwConstants): AdamwOutcome {
  const { grads, params, mu, nu, newParams, newMu, newNu } = leaf
  const { adamw } = elementwiseKernels(arena)
  const views = [0, 1, 2, 3].map((i) => new Float32Array(arena.buffer, at.sums + 4 * i * block, block))
  const [g, p, m, v] = views as [Float32Array, Float32Array, Float32Array, Float32Array]
  const [gAt, pAt, mAt, vAt] = [0, 1, 2, 3].map((i) => at.sums + 4 * block * i) as [
    number,
    number,
    number,
    number,
  ]
  const c = constants
  const zeroNans = { never: 0, before: 1, after: 2 }[c.zeroNans]
  let outcome = 0
  for (let start = 0; start < grads.length; start += block) {
    const count = Math.min(block, grads.length - start)
    const end = start + count
    g.set(grads.subarray(start, end))
    p.set(params.subarray(start, end))
    m.set(mu.subarray(start, end))
    v.set(nu.subarray(start, end))
    // The kernel works by fours: what lies behind the last element must not be a NaN.
    for (const view of views) view.fill(0, count, Math.min(block, count + 3))
    outcome |= adamw(
      ...([gAt, pAt, mAt, vAt, count, c.b1, c.oneMinusB1, c.b2, c.oneMinusB2] as const),
      ...([c.correction1, c.correction2, c.eps, c.epsRoot, c.rate, c.decay ?? 0] as const),
      ...([c.decay === undefined ? 0 : 1, c.factor, zeroNans] as const),
    )
    newParams.set(count === block ? p : p.subarray(0, count), start)
    newMu.set(count === block ? m : m.subarray(0, count), start)
    newNu.set(count === block ? v : v.subarray(0, count), start)
  }
  return { poisoned: (outcome & 1) !== 0, found: (outcome & 2) !== 0 }
}
