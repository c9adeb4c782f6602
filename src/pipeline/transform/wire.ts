import { type DType, type Storage, Tensor } from '../../tensor/index.js'

/** A tensor on its way between threads, which keep no classes. */
interface TensorOnWire {
  readonly tensorOnWire: readonly [dtype: DType, shape: readonly number[], data: Storage]
}

/** A value for another thread: tensors in it become plain, everything else stays as it is. */
export function toWire(value: unknown): unknown {
  return replaced(value, (item) =>
    item instanceof Tensor ? { tensorOnWire: [item.dtype, item.shape, item.data] } : undefined,
  )
}

/** The value that `toWire` sent. */
export function fromWire(value: unknown): unknown {
  return replaced(value, (item) => {
    const parts = (item as Partial<TensorOnWire>).tensorOnWire
    return Array.isArray(parts) ? new Tensor(parts[0], parts[1], parts[2]) : undefined
  })
}

/** `value` with the objects that `change` knows replaced, in arrays and plain objects; a copy only of what changes. */
function replaced(value: unknown, change: (item: object) => unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  const changed = change(value)
  if (changed !== undefined) return changed
  if (Array.isArray(value)) {
    const items = value.map((item) => replaced(item, change))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, replaced(item, change)])
  return entries.some(([key, item]) => item !== (value as Record<string, unknown>)[key])
    ? Object.fromEntries(entries)
    : value
}
