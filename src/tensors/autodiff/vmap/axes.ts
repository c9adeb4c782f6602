import { shown } from '../../../base/options/index.js'
import { Tensor } from '../../tensor/index.js'

/** Where the batch lies: an axis, negative ones from the end, or null where there is none; for parts of a tree by its structure. */
export type BatchAxes = number | null | readonly BatchAxes[] | { readonly [key: string]: BatchAxes }

/** A tensor of a tree, and where its batch lies. */
export interface Placed {
  readonly path: string
  readonly leaf: Tensor
  readonly axis: number | null
}

/** The tensors of a value, depth first, keys sorted, each with its axis: `axes` may end above them. */
export function placed(what: string, axes: BatchAxes, value: unknown, path: string): Placed[] {
  if (value instanceof Tensor) {
    if (axes !== null && typeof axes !== 'number') {
      throw new RangeError(`vmap: ${what} goes deeper than the tensor at ${path} [${shown(axes)}]`)
    }
    if (axes !== null && !Number.isInteger(axes)) {
      throw new RangeError(`vmap: ${what} is no whole number at ${path} [${shown(axes)}]`)
    }
    return [{ path, leaf: value, axis: axes }]
  }
  const ends = axes === null || typeof axes === 'number'
  if (!ends && (typeof axes !== 'object' || axes instanceof Tensor)) {
    throw new TypeError(`vmap: ${what} is no axis, null or tree of them at ${path} [${shown(axes)}]`)
  }
  const children = childrenOf(value)
  if (!children) {
    if (ends) return []
    throw new RangeError(`vmap: ${what} goes deeper than the arguments at ${path} [${shown(axes)}]`)
  }
  const own = ends ? undefined : childrenOf(axes)
  const keys = children.map(([key]) => key)
  if (own && own.map(([key]) => key).join() !== keys.join()) {
    throw new RangeError(
      `vmap: ${what} differs from the tree at ${path} [${own.map(([key]) => key).join(', ')}, not ${keys.join(', ')}]`,
    )
  }
  return children.flatMap(([key, child], i) =>
    placed(what, own ? (own[i]![1] as BatchAxes) : axes, child, `${path}.${key}`),
  )
}

function childrenOf(value: unknown): [key: string, child: unknown][] | undefined {
  if (Array.isArray(value)) return value.map((child: unknown, i) => [String(i), child])
  if (typeof value !== 'object' || value === null) return undefined
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
}
