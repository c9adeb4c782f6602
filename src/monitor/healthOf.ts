import { checkOptions, type OptionTable } from '../options/index.js'
import { dtypeFacts, isFloat, type Tensor } from '../tensor/index.js'
import { checkSameTree, leavesOf, pathsOf, type Treelike } from '../tree/index.js'

/** What a step is judged by. What is left out is not measured. */
export interface HealthOptions {
  /** The parameters behind the step. */
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
  /** Of what changed: parameters behind less those before. */
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
  const leaves = floats(params)
  const nonFinite = { ...strange('params', params), ...(grads ? strange('grads', grads) : {}) }
  const own = { paramNorm: norm(leaves.map((x) => x.toNumbers())), nonFinite }
  return {
    ...own,
    ...(before ? changeOf(leaves, floats(before), updates && floats(updates)) : {}),
    ...(grads ? gradientsOf(floats(grads)) : {}),
  }
}

type Change = Pick<Health, 'updateNorm' | 'unchanged' | 'updatesLost'>

function changeOf(after: readonly Tensor[], before: readonly Tensor[], updates?: readonly Tensor[]): Change {
  let same = 0
  let total = 0
  let lost = 0
  let meant = 0
  const changes = after.map((leaf, i) => {
    const [x, y] = [leaf.toNumbers(), before[i]!.toNumbers()]
    const u = updates?.[i]?.toNumbers()
    total += x.length
    for (let k = 0; k < x.length; k++) {
      const stays = Object.is(x[k], y[k])
      if (stays) same++
      if (u && u[k] !== 0 && !Number.isNaN(u[k])) {
        meant++
        if (stays) lost++
      }
      x[k]! -= y[k]!
    }
    return x
  })
  return {
    ...{ updateNorm: norm(changes), unchanged: share(same, total) },
    ...(updates ? { updatesLost: share(lost, meant) } : {}),
  }
}

function gradientsOf(grads: readonly Tensor[]): Pick<Health, 'gradNorm' | 'gradUnderflow'> {
  let small = 0
  let total = 0
  const values = grads.map((leaf) => {
    const x = leaf.toNumbers()
    if (!isFloat(leaf.dtype)) return x
    const { minNormal } = dtypeFacts(leaf.dtype)
    total += x.length
    for (const value of x) if (value !== 0 && Math.abs(value) < minNormal) small++
    return x
  })
  return { gradNorm: norm(values), gradUnderflow: share(small, total) }
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

/** The norm of the finite ones, without overflow on the way. */
function norm(lists: readonly Float64Array[]): number {
  let largest = 0
  for (const list of lists) {
    for (const x of list) if (Number.isFinite(x) && Math.abs(x) > largest) largest = Math.abs(x)
  }
  if (largest === 0) return 0
  let squares = 0
  for (const list of lists) for (const x of list) if (Number.isFinite(x)) squares += (x / largest) ** 2
  return largest * Math.sqrt(squares)
}

function floats(tree: Treelike): Tensor[] {
  return leavesOf(tree).filter(({ dtype }) => isFloat(dtype))
}

function strange(of: string, tree: Treelike): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { path, leaf } of pathsOf(tree)) {
    let count = 0
    for (const x of leaf.toNumbers()) if (!Number.isFinite(x)) count++
    if (count > 0) found[path === '' ? of : `${of}.${path}`] = count
  }
  return found
}
