import {
  checkFunction,
  checkInteger,
  checkOptions,
  checkRecord,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import { bits, foldIn, type Key } from '../../tensors/random/index.js'
import {
  checkFloatDType,
  dtypeFacts,
  type FloatDType,
  isFloat,
  type Op,
  type Shape,
  sizeOf,
  type Tensor,
  tensor,
} from '../../tensors/tensor/index.js'
import { leavesOf, replaceLeaves, type Tree } from '../../tensors/tree/index.js'
import { programOf, recorded, type TensorFunction } from '../program/program.js'
import type { RealRule } from '../reals/realArithmetic.js'
import { chosenReference } from '../trust/chosenReference.js'
import { checkTarget, type ErrorName, errorsOf, errorTarget } from '../tune/tuneTarget.js'

/** Numbers between two ends, as inputs to draw. */
export interface Interval {
  readonly low: number
  readonly high: number
  /** Default [], one number. */
  readonly shape?: Shape
  /** Default 'float32'. */
  readonly dtype?: FloatDType
  /**
   * 'value': numbers alike likely; 'exponent': powers of two alike likely, from the end that is nearer to zero, as ranges that
   * span many of them need. Default 'value'.
   */
  readonly by?: 'value' | 'exponent'
}

/** An error of the outputs that is not to be exceeded, as in `tune`. */
export type ErrorLimit =
  | { readonly meanBits: number }
  | { readonly maxBits: number }
  | { readonly meanRelative: number }
  | { readonly maxRelative: number }

/** How inputs are drawn, and the target for the errors. */
export interface ErrorOverOptions {
  readonly target: ErrorLimit
  readonly key: Key
  /** Inputs drawn. Default 200. */
  readonly samples?: number
  /** Inputs near the worst one that are tried for a worse one; of intervals only. Default half as many. */
  readonly refine?: number
  readonly reference?: 'auto' | 'float64' | 'real'
  readonly rules?: ReadonlyMap<Op, RealRule>
}

const overNames: OptionTable<ErrorOverOptions> = {
  target: 'required',
  key: 'required',
  samples: 'optional',
  refine: 'optional',
  reference: 'optional',
  rules: 'optional',
}

/** The errors of a function over many inputs. */
export interface ErrorOver<T> {
  readonly samples: number
  /** The share of the drawn inputs whose error is past the target. */
  readonly past: number
  /** The worst input found, its measure, and whether it was drawn or found near a drawn one. */
  readonly worst: { readonly inputs: T; readonly value: number; readonly refined: boolean }
  /** The target's measure of every drawn input, in order. */
  readonly values: readonly number[]
  readonly mean: number
  readonly median: number
  /** 99 of 100 inputs are off by no more. */
  readonly p99: number
  /** The inputs in words: what was drawn from, how often. */
  readonly text: string
}

/**
 * The error of a computation over a range of inputs: the worst input found, and the share of inputs past a target. Inputs are
 * drawn from intervals, in the form that `f` takes them, or by a custom sampler from a key.
 *
 * Rounding  numbers are drawn in float64 and rounded once to the interval's dtype, ends included.
 * Special   an error that is not a number is the worst there is. What was not drawn may be worse: `certify` bounds one input.
 * Cost      a run and its reference for each sample.
 * Source    the definitions of bits are those of `tune`
 *
 * @example errorOver((x) => sub(add(x, 1), 1), { low: 1e-30, high: 1, by: 'exponent' }, { target: { maxRelative: 0.5 }, key: random.key(2) }).past > 0.6 // true
 */
export function errorOver<T extends Tree = Tensor>(
  f: TensorFunction<T>,
  inputs: Interval | ((key: Key) => T) | IntervalTree,
  options: ErrorOverOptions,
): ErrorOver<T> {
  checkFunction('errorOver', 'f', f)
  checkOptions('errorOver', options, overNames)
  const { target, key, samples = 200, reference = 'auto', rules } = options
  checkTarget(target)
  const limit = errorTarget(target)
  if (!limit) {
    throw new RangeError(
      `errorOver: the target is no error of the outputs [${Object.keys(target).join(', ')}]`,
    )
  }
  checkInteger('errorOver', 'samples', samples, 1)
  if (!key?.data) throw new TypeError(`errorOver: needs a key of random [${shown(key)}]`)
  const sampler = typeof inputs === 'function'
  if (!sampler && !Array.isArray(inputs)) checkRecord('errorOver', 'inputs', inputs)
  const refine = options.refine ?? (sampler ? 0 : Math.ceil(samples / 2))
  checkInteger('errorOver', 'refine', refine, 0)
  if (sampler && refine > 0) {
    throw new RangeError(`errorOver: a sampler's inputs cannot be refined [${refine}]`)
  }
  const draw = sampler ? inputs : (k: Key): T => drawTree(inputs, k) as T
  const measure = (x: T): number => {
    const program = programOf('errorOver', f, x)
    const { run } = chosenReference(program, reference, rules)
    const outputs = program.outputs.map((output) => recorded(program, output))
    return badness(errorsOf(program, outputs, run)[limit.name as ErrorName])
  }
  const values: number[] = []
  let worst: { inputs: T; value: number; refined: boolean } | undefined
  const look = (x: T, refined: boolean): number => {
    const value = measure(x)
    if (!worst || value > worst.value) worst = { inputs: x, value, refined }
    return value
  }
  for (let k = 0; k < samples; k++) values.push(look(draw(foldIn(key, k)), false))
  for (let k = 0; k < refine; k++) {
    const fresh = foldIn(key, samples + k)
    look(mixed(worst!.inputs, draw(fresh), fresh), true)
  }
  const sorted = [...values].sort((a, b) => a - b)
  return {
    samples,
    past: values.filter((value) => value > limit.limit).length / samples,
    worst: worst!,
    values,
    mean: values.reduce((a, b) => a + b, 0) / samples,
    median: sorted[Math.floor(samples / 2)]!,
    p99: sorted[Math.min(samples - 1, Math.floor(0.99 * samples))]!,
    text: `${samples} inputs ${sampler ? 'of a sampler' : `of ${intervalText(inputs)}`}${refine > 0 ? `, and ${refine} near the worst` : ''}`,
  }
}

/** A tree of intervals, in the form of the inputs that are drawn from it. */
export type IntervalTree =
  | { readonly [name: string]: Interval | IntervalTree }
  | readonly (Interval | IntervalTree)[]

function isInterval(x: Interval | IntervalTree): x is Interval {
  return !Array.isArray(x) && 'low' in x && typeof x.low === 'number'
}

function drawTree(at: Interval | IntervalTree, key: Key): Tree {
  if (!Array.isArray(at)) checkRecord('errorOver', 'an interval', at)
  if (isInterval(at)) return drawn(at, key)
  if (Array.isArray(at)) return at.map((x: Interval | IntervalTree, i) => drawTree(x, foldIn(key, i)))
  const names = Object.entries(at as { readonly [name: string]: Interval | IntervalTree })
  return Object.fromEntries(names.map(([name, x], i) => [name, drawTree(x, foldIn(key, i))]))
}

function drawn({ low, high, shape = [], dtype = 'float32', by = 'value' }: Interval, key: Key): Tensor {
  if (!(Number.isFinite(low) && Number.isFinite(high) && low <= high)) {
    throw new RangeError(`errorOver: needs finite ends, the lower one first [${low}, ${high}]`)
  }
  if (!isFloat(dtype)) throw new TypeError(`errorOver: needs a floating-point dtype [${shown(dtype)}]`)
  checkFloatDType('errorOver', 'dtype', dtype)
  const words = bits(key, sizeOf(shape))
  const least = 2 ** dtypeFacts(dtype).minExponent
  const between = (u: number): number => {
    if (by === 'value') return low + u * (high - low)
    // Through zero: each side by its share, down to the least normal number.
    if (low < 0 && high > 0) {
      const left = 0.5
      return u < left
        ? -geometric(least, -low, 1 - u / left)
        : geometric(least, high, (u - left) / (1 - left))
    }
    return high > 0
      ? geometric(Math.max(low, least), high, u)
      : -geometric(Math.max(-high, least), -low, 1 - u)
  }
  const numbers = Float64Array.from(words, (word) =>
    Math.min(high, Math.max(low, between(word / (2 ** 32 - 1)))),
  )
  return tensor(numbers, { shape, dtype })
}

function geometric(from: number, to: number, u: number): number {
  return from * (to / from) ** u
}

/** Some elements of one input, the others of another. */
function mixed<T extends Tree>(a: T, b: T, key: Key): T {
  const others = leavesOf(b)
  const leaves = leavesOf(a).map((x, i) => {
    const other = others[i]!.toNumbers()
    const words = bits(foldIn(key, i), x.size + 1)
    // A few of many, each of one.
    const share = x.size === 1 ? 1 : ((words[x.size]! % 4) + 1) / 8
    const numbers = x.toNumbers().map((value, k) => (words[k]! < share * 2 ** 32 ? other[k]! : value))
    return tensor(numbers, { shape: x.shape, dtype: x.dtype })
  })
  return replaceLeaves(a, leaves) as T
}

/** An error that is not a number is worse than any. */
function badness(value: number): number {
  return Number.isNaN(value) ? Infinity : value
}

function intervalText(at: Interval | IntervalTree): string {
  if (isInterval(at)) return `[${at.low}, ${at.high}]${at.by === 'exponent' ? ' by exponent' : ''}`
  const parts: readonly (Interval | IntervalTree)[] = Array.isArray(at) ? at : Object.values(at)
  return parts.map(intervalText).join(', ')
}
