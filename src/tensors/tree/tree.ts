import { Tensor } from '../tensor/index.js'

/** Leaves in nested arrays and plain objects; a leaf alone is a tree too. */
export type Tree<T = Tensor> = T | readonly Tree<T>[] | { readonly [key: string]: Tree<T> }

/**
 * What a function takes for a tree, so that parameters may be typed by an `interface`, which has no index signature and is
 * no `Tree` to the compiler. Whether the value is a tree is checked as it is walked.
 */
export type Treelike<T = Tensor> = T | object

/**
 * The type of a tree whose leaves were replaced by R: that of the tree itself where R says no more than its leaves' T (any
 * `Tensor`), else its structure with leaves R. A tree typed `Tree` gives a `Tree`.
 */
export type TreeWith<P, R, T = Tensor> = [T] extends [R] ? P : Replaced<P, R, T>

/** The type of a tree with the structure of P and leaves R, whatever its own leaves are. */
export type Replaced<P, R, T = Tensor> =
  Tree<T> extends P ? Tree<R> : P extends T ? R : { [K in keyof P]: Replaced<P[K], R, T> }

/** The type of the leaves of a tree: tensors, or what is no array and no object. */
export type LeafOf<P> = [readonly P[]] extends [P]
  ? [P] extends [Tree<infer T>]
    ? T
    : never
  : P extends Tensor
    ? P
    : P extends readonly (infer E)[]
      ? LeafOf<E>
      : P extends object
        ? LeafOf<P[keyof P]>
        : P

/**
 * What the type of a tree has besides if its leaves are tensors: nothing. `params: P & OfTensors<P>` takes parameters typed
 * by an interface, and no tree with a number in it. A P that says nothing of its leaves, or is a type parameter still, is
 * let through.
 */
export type OfTensors<P> = { readonly tensors: unknown }[object extends LeafOf<P>
  ? 'tensors'
  : LeafOf<P> extends Tensor | undefined
    ? 'tensors'
    : never]

/** What else than a tensor counts as a leaf, and who asks. */
export interface TreeOptions<T = Tensor> {
  /** The name of the operation in its errors. Default: the function's own. */
  readonly op?: string
  /** Default: whether the value is a Tensor. Asked before anything is taken for an array or an object. */
  readonly isLeaf?: (value: unknown) => value is T
}

/** Whether a value is a leaf by default: a Tensor. */
export function isLeaf(value: unknown): value is Tensor {
  return value instanceof Tensor
}

/** What a value is in a tree. */
export type Kind = 'leaf' | 'array' | 'object'

/** What a value is in a tree, undefined where it is none of these: null, undefined, numbers, instances of classes. */
export function kindOf(value: unknown, isLeaf: (value: unknown) => boolean): Kind | undefined {
  if (isLeaf(value)) return 'leaf'
  if (Array.isArray(value)) return 'array'
  if (typeof value !== 'object' || value === null) return undefined
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null ? 'object' : undefined
}

/** The error for a value that has no place in a tree. */
export function notATree(op: string, value: unknown, path: string): TypeError {
  return new TypeError(`${op}: not a leaf, array or plain object at ${shown(path)} [${valueText(value)}]`)
}

/** The keys of an array or object in walking order: ascending indices, sorted names. */
export function keysOf(container: object): string[] {
  return Array.isArray(container)
    ? Array.from(container, (_, index) => String(index))
    : Object.keys(container).sort()
}

/** What lies under a key. */
export function childOf(container: object, key: string): unknown {
  return (container as Record<string, unknown>)[key]
}

/** The path of a child: keys joined by dots. */
export function pathTo(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`
}

/** A path as errors show it. */
export function shown(path: string): string {
  return path === '' ? 'the root' : path
}

function valueText(value: unknown): string {
  if (typeof value === 'object' && value !== null) return value.constructor?.name ?? 'object'
  return String(value).slice(0, 50)
}
