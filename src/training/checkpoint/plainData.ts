/** Plain data: what JSON holds, and every number, NaN, infinities and -0 too. */
export type PlainData =
  | null
  | boolean
  | number
  | string
  | readonly PlainData[]
  | { readonly [key: string]: PlainData }

/** A number that JSON has no sign for stands as an object with this one key. */
const numberKey = 'tpu-toolkit.number'

/** Levels of objects and lists within each other. */
const maxDepth = 128

/** The JSON text of plain data; `fromJson` is the inverse. */
export function plainDataText(op: string, value: unknown): string {
  return JSON.stringify(toJson(op, value, 'state', 0))
}

function toJson(op: string, value: unknown, path: string, depth: number): unknown {
  if (typeof value === 'number') {
    const kept = Number.isFinite(value) && !Object.is(value, -0)
    return kept ? value : { [numberKey]: Object.is(value, -0) ? '-0' : String(value) }
  }
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (depth === maxDepth) {
    throw new RangeError(`${op}: nests deeper than ${maxDepth} levels [${path.slice(0, 50)}]`)
  }
  if (Array.isArray(value)) return value.map((item, i) => toJson(op, item, `${path}.${i}`, depth + 1))
  if (typeof value !== 'object' || !isPlain(value)) {
    throw new TypeError(`${op}: not plain data at ${path} [${kindOf(value)}]`)
  }
  if (Object.hasOwn(value, numberKey)) {
    throw new RangeError(`${op}: a key that is taken at ${path} [${numberKey}]`)
  }
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    toJson(op, item, `${path}.${key}`, depth + 1),
  ])
  return Object.fromEntries(entries)
}

/** Plain data of its JSON, parsed. */
export function fromJson(value: unknown): PlainData {
  if (Array.isArray(value)) return value.map(fromJson)
  if (typeof value !== 'object' || value === null) return value as null | boolean | number | string
  const named: unknown = Object.hasOwn(value, numberKey) ? Reflect.get(value, numberKey) : undefined
  if (typeof named === 'string') return Number(named)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromJson(item)]))
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function kindOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'object') : typeof value
}
