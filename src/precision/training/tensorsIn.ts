import { Tensor } from '../../tensors/tensor/index.js'

/** The tensors in arrays and records, by path: `0.params.w`. Whatever else is in there, counts for one, is passed over. */
export function tensorsIn(value: unknown, path = ''): Record<string, Tensor> {
  const found: Record<string, Tensor> = {}
  walk(value, path, (at, x) => {
    found[at] = x
  })
  return found
}

function walk(value: unknown, path: string, visit: (path: string, x: Tensor) => void): void {
  if (value instanceof Tensor) {
    visit(path, value)
  } else if (isContainer(value)) {
    for (const [key, child] of Object.entries(value)) walk(child, path === '' ? key : `${path}.${key}`, visit)
  }
}

/** The same arrays and records with other tensors in their places. */
export function withTensors(value: unknown, tensors: Readonly<Record<string, Tensor>>, path = ''): unknown {
  if (value instanceof Tensor) return tensors[path]
  if (!isContainer(value)) return value
  const entries = Object.entries(value).map(
    ([key, child]) => [key, withTensors(child, tensors, path === '' ? key : `${path}.${key}`)] as const,
  )
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries)
}

/** What holds tensors: arrays and plain records; typed arrays, keys and the like are values. */
export function isContainer(value: unknown): value is object {
  if (Array.isArray(value)) return true
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
