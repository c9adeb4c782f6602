import { lanesRead, ops, type Reads, reads, type Shape, type Tensor } from '../../tensors/tensor/index.js'
import { apart, boundOf, up } from './upward.js'

/** A tensor as a bound sees it: its elements as computed, and the bounds of their errors. */
export interface Bounded {
  readonly shape: Shape
  readonly values: Float64Array
  readonly bounds: Float64Array
}

/**
 * Bounds of reductions. What is added up is the computed operands, so their sum can be found in twice the precision, and
 * its distance from the computed result is what all the roundings in between, in whatever order and dtype, came to.
 * Only the operands' own bounds have to be added to that.
 *
 * Source    Ogita, Rump, Oishi, Accurate sum and dot product, doi:10.1137/030601818: |Sum2 - s| <= u |s| + (n u)^2 S to
 *           second order; here twice that.
 */
export type ReductionBound = (
  args: readonly Bounded[],
  attributes: unknown,
  result: Bounded,
  narrow: boolean,
) => void

/** A sum in twice the precision, with what it may be off by. */
class WideSum {
  total = 0
  #lost = 0
  #size = 0
  #count = 0
  #exact = true

  add(x: number): void {
    const next = this.total + x
    const back = next - this.total
    const error = this.total - (next - back) + (x - back)
    if (error !== 0) this.#exact = false
    this.#lost += error
    this.total = next
    this.#size += Math.abs(x)
    this.#count++
  }

  /** An upper bound of the distance of the exact sum from r. */
  gap(r: number): number {
    if (!Number.isFinite(this.total) || !Number.isFinite(this.#lost)) return apart(this.total, r)
    if (this.#exact) return up(apart(this.total, r))
    const whole = this.total + this.#lost
    const back = whole - this.total
    const tail = this.total - (whole - back) + (this.#lost - back)
    const n = this.#count * 2 ** -52
    return up(apart(whole, r) + Math.abs(tail) + n * n * this.#size * 2 + 2 ** -1070)
  }

  reset(): void {
    this.total = 0
    this.#lost = 0
    this.#size = 0
    this.#count = 0
    this.#exact = true
  }
}

const summed =
  (mean: boolean): ReductionBound =>
  ([x], attributes, result) => {
    const { axes } = attributes as { axes: readonly number[] }
    const { lanes, length, at } = lanesRead(x!.shape, axes)
    const wide = new WideSum()
    for (let k = 0; k < lanes; k++) {
      wide.reset()
      let inherited = 0
      for (let i = k * length; i < (k + 1) * length; i++) {
        wide.add(x!.values[at[i]!]!)
        inherited = up(inherited + x!.bounds[at[i]!]!)
      }
      const r = result.values[k]!
      // r n is off by half an ulp of float64 at most.
      const own = mean ? up(wide.gap(r * length) + Math.abs(r * length) * 2 ** -53) : wide.gap(r)
      result.bounds[k] = boundOf(mean ? up(up(inherited + own) / length) : up(inherited + own))
    }
  }

const running: ReductionBound = ([x], attributes, result) => {
  const { axis } = attributes as { axis: number }
  const { lanes, length, at } = lanesRead(x!.shape, [axis])
  const wide = new WideSum()
  for (let k = 0; k < lanes; k++) {
    wide.reset()
    let inherited = 0
    for (let i = k * length; i < (k + 1) * length; i++) {
      const place = at[i]!
      wide.add(x!.values[place]!)
      inherited = up(inherited + x!.bounds[place]!)
      result.bounds[place] = boundOf(up(inherited + wide.gap(result.values[place]!)))
    }
  }
}

/** Running products: the exact one lies between the products of the ends, sizes taken upward. */
const runningProduct: ReductionBound = ([x], attributes, result) => {
  const { axis } = attributes as { axis: number }
  const { lanes, length, at } = lanesRead(x!.shape, [axis])
  for (let k = 0; k < lanes; k++) {
    let [product, size, most] = [1, 1, 1]
    let exact = true
    for (let i = 0; i < length; i++) {
      const place = at[k * length + i]!
      product *= x!.values[place]!
      size = up(size * Math.abs(x!.values[place]!))
      most = up(most * (Math.abs(x!.values[place]!) + x!.bounds[place]!))
      exact &&= x!.bounds[place] === 0
      const spread = exact ? 0 : most - Math.min(size, Math.abs(product))
      const rounding = i === 0 ? 0 : (i + 1) * 2 ** -52 * Math.abs(product) + 2 ** -1070
      result.bounds[place] = boundOf(up(spread + apart(product, result.values[place]!) + rounding))
    }
  }
}

const product: ReductionBound = ([a, b], attributes, result, narrow) => {
  const [rows, columns] = reads(ops.matmul, attributes, [a!.shape, b!.shape], result.shape) as [Reads, Reads]
  const wide = new WideSum()
  for (let at = 0; at < result.values.length; at++) {
    wide.reset()
    let inherited = 0
    const [left, right] = [rows.from(at), columns.from(at)]
    for (let p = 0; p < rows.count(at); p++) {
      const [s, t] = [rows.at![left + p]!, columns.at![right + p]!]
      const [x, y, e, f] = [a!.values[s]!, b!.values[t]!, a!.bounds[s]!, b!.bounds[t]!]
      wide.add(x * y)
      if (!narrow && x !== 0 && y !== 0) inherited += Math.abs(x * y) * 2 ** -53 + 2 ** -1074
      if (e !== 0 || f !== 0) inherited += Math.abs(x) * f + Math.abs(y) * e + e * f
      inherited = up(inherited)
    }
    // Three operations a term, each a relative 2^-53 at most.
    result.bounds[at] = boundOf(up(inherited * (1 + 2 ** -50) + wide.gap(result.values[at]!)))
  }
}

/** Of an extremum: the largest bound among those that could have been it. */
const extremum =
  (sign: 1 | -1): ReductionBound =>
  ([x], attributes, result) => {
    const { axes } = attributes as { axes: readonly number[] }
    const { lanes, length, at } = lanesRead(x!.shape, axes)
    for (let k = 0; k < lanes; k++) {
      const r = result.values[k]!
      let bound = Number.isNaN(r) ? Infinity : 0
      const places = at.subarray(k * length, (k + 1) * length)
      // The exact extremum is no less than the best lower end; whatever cannot reach that is out.
      const floor = places.reduce(
        (best, i) => Math.max(best, sign * x!.values[i]! - up(x!.bounds[i]!)),
        -Infinity,
      )
      for (const i of places) {
        const e = x!.bounds[i]!
        if (e !== 0 && !(sign * x!.values[i]! + up(e) < floor)) {
          bound = Math.max(bound, up(Math.abs(sign * x!.values[i]! + e - sign * r)), up(e))
        }
      }
      result.bounds[k] = boundOf(bound)
    }
  }

/** The bounds of reductions, scans and products of matrices. */
export const reductionBounds: Readonly<
  Record<'sum' | 'mean' | 'cumsum' | 'cumprod' | 'matmul' | 'max' | 'min', ReductionBound>
> = {
  sum: summed(false),
  mean: summed(true),
  cumsum: running,
  cumprod: runningProduct,
  matmul: product,
  max: extremum(1),
  min: extremum(-1),
}

/** The facts of a tensor whose values are exact. */
export function exactly(x: Tensor): Bounded {
  return { shape: x.shape, values: x.toNumbers(), bounds: new Float64Array(x.size) }
}
