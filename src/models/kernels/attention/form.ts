import { float32Unary } from '../../../numbers/functions/index.js'
import { arena, float32UnaryBlocks } from '../../../numbers/simd/index.js'
import type { FlashPlan } from './plan.js'

/** One block of logits on its way. */
export interface Tile {
  readonly rows: number
  /** Columns. */
  readonly width: number
  /** rows x width: products of queries and keys, then logits, then probabilities. */
  readonly s: Float32Array
  /** rows x width, 1 where a pair is allowed; undefined: everywhere. */
  readonly allowed: Uint8Array | undefined
  /** rows x width, added to the logits; undefined: nothing. */
  readonly bias?: Float32Array | undefined
}

/** What a block of rows carries from one block of columns to the next. */
export interface State {
  /** The running maximum of every row. */
  readonly m: Float32Array
  /** The running sum of every row. */
  readonly l: Float32Array
  /** rows x dv. */
  readonly acc: Float32Array
  /** What acc is multiplied by, for every row. */
  readonly factor: Float32Array
  /** What the block's product is multiplied by, where a form does. */
  readonly share: Float32Array
}

/** Where a kernel rounds between its products. */
export interface FlashForm {
  readonly firstMax: number
  /** Products to logits, in place. */
  logits(tile: Tile): void
  /** Logits to probabilities, in place; m, l and the factors of the rows. */
  weigh(tile: Tile, state: State): void
  /** Adds the product of probabilities and values, rows x dv, to acc. */
  add(state: State, w: Float32Array, rows: number, dv: number): void
  /** Row i of acc as the output before its last rounding, in place; gives the logsumexp. */
  finish(state: State, i: number, dv: number): number
}

/** What a row's output is multiplied by at the end, and its logsumexp. */
export interface End {
  readonly by: number
  readonly logsumexp: number
}

/** The `finish` of a form whose rows end so. */
export const finishBy =
  (end: (m: number, l: number) => End): FlashForm['finish'] =>
  (state, i, dv) => {
    const { by, logsumexp } = end(state.m[i]!, state.l[i]!)
    scaleRow(state, i, dv, by)
    return logsumexp
  }

/** How a form is made of a plan. */
export type FormOf = (plan: FlashPlan) => FlashForm

/** exp, or exp2, of float32 numbers in place, correctly rounded. */
export function exponentials(values: Float32Array, name: 'exp' | 'exp2' = 'exp'): void {
  const simd = arena('simd')
  if (simd) {
    float32UnaryBlocks(simd, name, values, values)
    return
  }
  const f = float32Unary[name]
  for (let i = 0; i < values.length; i++) values[i] = f(values[i]!)
}

/** tanh(s / cap) cap in float32, each step rounded, in place. */
export function softCapped(s: Float32Array, cap: number): void {
  const { tanh } = float32Unary
  for (let i = 0; i < s.length; i++) s[i] = tanh(Math.fround(s[i]! / cap)) * cap
}

/** Writes `value` where the tile's mask does not allow. */
export function select({ s, allowed }: Tile, value: number): void {
  if (!allowed) return
  for (let i = 0; i < s.length; i++) if (allowed[i] === 0) s[i] = value
}

/** The largest logit of a row; with `ties`, one that several share is moved away: see `flashAttention`. */
export function rowMax(
  tile: Tile,
  i: number,
  ties: number | undefined,
  round: (x: number) => number,
): number {
  const { s, width } = tile
  const end = (i + 1) * width
  let largest = -Infinity
  for (let j = i * width; j < end; j++) if (s[j]! > largest) largest = s[j]!
  if (ties === undefined || !Number.isFinite(largest)) return largest
  let count = 0
  for (let j = i * width; j < end; j++) if (s[j] === largest) count++
  if (count < 2 || largest === 0) return largest
  return largest > 0 ? round(ties * largest) : 0
}

/**
 * Logits to their exponentials, less the maximum so far of their row: m, and in `factor` what the exponentials before are to be
 * multiplied by.
 */
export function weighFromMax(tile: Tile, { m, factor }: State): void {
  const { rows, width, s } = tile
  for (let i = 0; i < rows; i++) {
    const next = Math.max(m[i]!, rowMax(tile, i, undefined, Math.fround))
    for (let j = i * width; j < (i + 1) * width; j++) s[j] = s[j]! - next
    factor[i] = float32Unary.exp(Math.fround(m[i]! - next))
    m[i] = next
  }
  exponentials(s)
}

/** The running float32 sum of a row from +0. */
export function rowSum({ s, width }: Tile, i: number): number {
  const end = (i + 1) * width
  let sum = 0
  for (let j = i * width; j < end; j++) sum = Math.fround(sum + s[j]!)
  return sum
}

/** acc = f(f(a acc) + w), as forms have it that leave acc unnormalised. */
export function addRescaled({ acc, factor }: State, w: Float32Array, rows: number, dv: number): void {
  for (let i = 0; i < rows; i++) {
    const a = factor[i]!
    for (let e = i * dv; e < (i + 1) * dv; e++) acc[e] = Math.fround(a * acc[e]!) + w[e]!
  }
}

/** Row i of acc times a number. */
export function scaleRow({ acc }: State, i: number, dv: number, by: number): void {
  for (let e = i * dv; e < (i + 1) * dv; e++) acc[e] = acc[e]! * by
}
