import { type DType, type Storage, Tensor } from '../../../tensors/tensor/index.js'

/**
 * Values on their way between threads, which keep no classes: each tensor is replaced by an object of its own, and beside
 * the values stands which object is which tensor. A clone keeps what is the same object, so that no field of a record can
 * be taken for a tensor.
 */
export interface Wired {
  readonly values: readonly unknown[]
  readonly tensors: readonly (readonly [
    stand: object,
    dtype: DType,
    shape: readonly number[],
    data: Storage,
  ])[]
}

/** Values for another thread; what holds no tensors stays as it is. Records may hold themselves. */
export function toWire(values: readonly unknown[]): Wired {
  const stands = new Map<Tensor, object>()
  const found = findAll(values, (item) => item instanceof Tensor)
  for (const tensor of found) if (tensor instanceof Tensor) stands.set(tensor, {})
  if (stands.size === 0) return { values, tensors: [] }
  return {
    values: replaced(values, (item) => (item instanceof Tensor ? stands.get(item) : undefined)),
    tensors: Array.from(stands, ([{ dtype, shape, data }, stand]) => [stand, dtype, shape, data]),
  }
}

/** The values that `toWire` sent. */
export function fromWire({ values, tensors }: Wired): readonly unknown[] {
  if (tensors.length === 0) return values
  const made = new Map(
    tensors.map(([stand, dtype, shape, data]): [object, Tensor] => [stand, new Tensor(dtype, shape, data)]),
  )
  return replaced(values, (item) => made.get(item))
}

/** Arrays and plain objects, which are looked into; everything else is a value. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const partsOf = (container: object): readonly unknown[] =>
  Array.isArray(container) ? container : Object.values(container)

/** What is wanted in a value, however deep and however often. */
function findAll(value: unknown, wanted: (item: object) => boolean): Set<object> {
  const found = new Set<object>()
  const seen = new Set<object>()
  const left: unknown[] = [value]
  while (left.length > 0) {
    const item = left.pop()
    if (typeof item !== 'object' || item === null) continue
    if (wanted(item)) {
      found.add(item)
    } else if (isContainer(item) && !seen.has(item)) {
      seen.add(item)
      for (const part of partsOf(item)) left.push(part)
    }
  }
  return found
}

/** A copy of the arrays and objects of `values` in which `change` has replaced what it knows. */
function replaced(values: readonly unknown[], change: (item: object) => unknown): readonly unknown[] {
  const copies = new Map<object, object>()
  const left: object[] = []
  const copyOf = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item
    const changed = change(item)
    if (changed !== undefined) return changed
    if (!isContainer(item)) return item
    const known = copies.get(item)
    if (known) return known
    const copy: object = Array.isArray(item)
      ? new Array(item.length)
      : Object.create(Object.getPrototypeOf(item) as object | null)
    copies.set(item, copy)
    left.push(item)
    return copy
  }
  const first = values.map(copyOf)
  while (left.length > 0) {
    const item = left.pop()!
    const copy = copies.get(item)!
    // A key such as __proto__ is one like any other.
    for (const [key, part] of Object.entries(item)) {
      Object.defineProperty(copy, key, {
        value: copyOf(part),
        writable: true,
        enumerable: true,
        configurable: true,
      })
    }
  }
  return first
}
