import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { dtypeFacts, isFloat, type Tensor } from '../../tensors/tensor/index.js'
import { checkSameTree, leavesOf, pathsOf, type Treelike } from '../../tensors/tree/index.js'

/** What a step is judged by. What is left out is not measured. */
export interface HealthOptions {
  /** The parameters after the step. */
  readonly params: Treelike
  /** Those before it. */
  readonly before?: Treelike
  /** What was to be added to them. */
  readonly updates?: Treelike
  readonly grads?: Treelike
}

/** How a step was, in numbers. Shares are of elements, 0 where there are none. */
export interface Health {
  readonly paramNorm: number
  /** Of the change: parameters after the step minus those before. */
  readonly updateNorm?: number
  /** Share of the parameters that are as before. */
  readonly unchanged?: number
  /** Share of the updates that are not 0 and changed nothing. */
  readonly updatesLost?: number
  readonly gradNorm?: number
  /** Share of the gradients that are not 0 and below the smallest normal number of their dtype. */
  readonly gradUnderflow?: number
  /** Elements that are NaN or infinite, by leaf: `params.w`, `grads.layers.0.b`. Leaves without any are left out. */
  readonly nonFinite: Readonly<Record<string, number>>
}

const names: OptionTable<HealthOptions> = {
  ...{ params: 'required', before: 'optional', updates: 'optional', grads: 'optional' },
}

/**
 * What a step did to its numbers: norms, updates that rounding swallowed, gradients that underflow, NaN and infinities by leaf.
 *
 * Shape     trees of one structure; integer leaves are left out.
 * Rounding  everything in float64 from the elements' own values. Norms are taken of finite elements.
 * Special   `updatesLost` counts what happened, under whatever rounding; `stalledUpdates` of tpu-toolkit/lowprecision what rounding to
 *           nearest would do.
 * Cost      one pass over the elements of each tree.
 *
 * @example healthOf({ params: { w: tensor([1, 2]) }, before: { w: tensor([1, 1]) } }).unchanged // 0.5
 * healthOf({ params: [tensor([3, Infinity])] }).nonFinite // { 'params.0': 1 }
 */
export function healthOf(options: HealthOptions): Health {
  checkOptions('healthOf', options, names)
  const { params, before, updates, grads } = options
  if (before !== undefined) checkSameTree('healthOf', params, before)
  if (updates !== undefined) checkSameTree('healthOf', params, updates)
  const paths = pathsOf(params).filter(({ leaf }) => isFloat(leaf.dtype))
  const earlier = before && floats(before)
  const meant = updates && floats(updates)
  const nonFinite: Record<string, number> = {}
  const [norms, moved] = [new Norm(), new Norm()]
  let [same, total, lost, all] = [0, 0, 0, 0]
  for (const [i, { path, leaf }] of paths.entries()) {
    const x = numbersIn(leaf)
    note(nonFinite, 'params', path, norms.add(x))
    if (!earlier) continue
    const [y, u] = [numbersIn(earlier[i]!), meant && numbersIn(meant[i]!)]
    total += x.length
    same += sameIn(x, y)
    if (u) {
      const counts = lostIn(x, y, u)
      all += counts.all
      lost += counts.lost
    }
    moved.addDifference(x, y)
  }
  return {
    ...{ paramNorm: norms.value, nonFinite },
    ...(earlier ? { updateNorm: moved.value, unchanged: share(same, total) } : {}),
    ...(meant ? { updatesLost: share(lost, all) } : {}),
    ...(grads ? gradientsOf(grads, nonFinite) : {}),
  }
}

/** How many elements are as before. */
function sameIn(x: Float32Array | Float64Array, y: Float32Array | Float64Array): number {
  let same = 0
  for (let k = 0; k < x.length; k++) if (Object.is(x[k], y[k])) same++
  return same
}

/** How many updates there are, and how many of them changed nothing. */
function lostIn(
  x: Float32Array | Float64Array,
  y: Float32Array | Float64Array,
  u: Float32Array | Float64Array,
): { readonly all: number; readonly lost: number } {
  let [all, lost] = [0, 0]
  for (let k = 0; k < x.length; k++) {
    if (u[k] === 0 || Number.isNaN(u[k])) continue
    all++
    if (Object.is(x[k], y[k])) lost++
  }
  return { all, lost }
}

function gradientsOf(
  grads: Treelike,
  nonFinite: Record<string, number>,
): Pick<Health, 'gradNorm' | 'gradUnderflow'> {
  let [small, total] = [0, 0]
  const norms = new Norm()
  for (const { path, leaf } of pathsOf(grads)) {
    if (!isFloat(leaf.dtype)) continue
    const x = numbersIn(leaf)
    const { minNormal } = dtypeFacts(leaf.dtype)
    note(nonFinite, 'grads', path, norms.add(x))
    total += x.length
    for (let k = 0; k < x.length; k++) if (x[k] !== 0 && Math.abs(x[k]!) < minNormal) small++
  }
  return { gradNorm: norms.value, gradUnderflow: share(small, total) }
}

/** The elements as numbers: float32 has them so already. */
function numbersIn(x: Tensor): Float32Array | Float64Array {
  return x.data instanceof Float32Array || x.data instanceof Float64Array ? x.data : x.toNumbers()
}

/** A norm of what is finite. Squares beyond the range of float64 are taken of scaled elements. */
class Norm {
  #squares = 0
  readonly #apart: number[] = []

  /** Adds elements; returns how many are not finite. */
  add(x: Float32Array | Float64Array): number {
    let [squares, strange] = [0, 0]
    for (let k = 0; k < x.length; k++) {
      const value = x[k]!
      // NaN for what is not finite.
      if (value - value === 0) squares += value * value
      else strange++
    }
    this.#take(squares, x)
    return strange
  }

  addDifference(x: Float32Array | Float64Array, y: Float32Array | Float64Array): void {
    let squares = 0
    for (let k = 0; k < x.length; k++) {
      const value = x[k]! - y[k]!
      if (value - value === 0) squares += value * value
    }
    // Squares of float32 numbers do not underflow: there is no difference.
    if (squares === 0 && x instanceof Float32Array && y instanceof Float32Array) return
    if (squares >= 1e-280 && squares < Infinity) {
      this.#squares += squares
    } else {
      const apart = Float64Array.from(x, (value, k) => value - y[k]!)
      this.#take(squares, apart)
    }
  }

  #take(squares: number, x: Float32Array | Float64Array): void {
    if (squares >= 1e-280 && squares < Infinity) this.#squares += squares
    else this.#apart.push(scaledNorm(x))
  }

  get value(): number {
    return this.#apart.reduce((a, b) => Math.hypot(a, b), Math.sqrt(this.#squares))
  }
}

/** The norm of the finite ones, without overflow or underflow on the way. */
function scaledNorm(x: Float32Array | Float64Array): number {
  let largest = 0
  for (const value of x) if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value))
  if (largest === 0) return 0
  let squares = 0
  for (const value of x) if (Number.isFinite(value)) squares += (value / largest) ** 2
  return largest * Math.sqrt(squares)
}

function note(nonFinite: Record<string, number>, of: string, path: string, count: number): void {
  if (count > 0) nonFinite[path === '' ? of : `${of}.${path}`] = count
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

function floats(tree: Treelike): Tensor[] {
  return leavesOf(tree).filter(({ dtype }) => isFloat(dtype))
}
