import { type DType, type Shape, sameShape, Tensor } from '../tensor/index.js'

/**
 * What a program was made for: where the tensors lie in nested arrays and objects, their dtypes and shapes, and everything
 * else as it was. `leaf` numbers the tensors, depth first in the order of keys.
 */
export type Structure =
  | { readonly kind: 'tensor'; readonly dtype: DType; readonly shape: Shape; readonly leaf: number }
  | { readonly kind: 'array'; readonly items: readonly Structure[] }
  | { readonly kind: 'record'; readonly keys: readonly string[]; readonly items: readonly Structure[] }
  | { readonly kind: 'fixed'; readonly value: unknown }

/** Trees of tensors deeper than this are taken for a circle. */
const deepest = 500

/** The structure of a value, its tensors added to `leaves`; all of it fixed where `fixed` is true. */
export function structureOf(value: unknown, leaves: Tensor[], fixed = false, depth = 0): Structure {
  if (depth > deepest) {
    throw new RangeError(
      `compile: values are nested deeper than ${deepest} levels, or in a circle [${depth}]`,
    )
  }
  if (fixed) return { kind: 'fixed', value }
  if (value instanceof Tensor) {
    leaves.push(value)
    return { kind: 'tensor', dtype: value.dtype, shape: value.shape, leaf: leaves.length - 1 }
  }
  if (Array.isArray(value)) {
    return { kind: 'array', items: value.map((item) => structureOf(item, leaves, false, depth + 1)) }
  }
  if (!isRecord(value)) return { kind: 'fixed', value }
  const keys = Object.keys(value)
  return { kind: 'record', keys, items: keys.map((key) => structureOf(value[key], leaves, false, depth + 1)) }
}

/** Whether a value has a structure; its tensors are added to `leaves` on the way. */
export function matches(structure: Structure, value: unknown, leaves: Tensor[]): boolean {
  switch (structure.kind) {
    case 'tensor':
      if (!(value instanceof Tensor)) return false
      leaves.push(value)
      return value.dtype === structure.dtype && sameShape(value.shape, structure.shape)
    case 'array': {
      const { items } = structure
      if (!Array.isArray(value) || value.length !== items.length) return false
      for (let i = 0; i < items.length; i++) if (!matches(items[i]!, value[i], leaves)) return false
      return true
    }
    case 'record': {
      const { keys, items } = structure
      if (!isRecord(value)) return false
      let count = 0
      for (const key in value) if (keys[count++] !== key) return false
      if (count !== keys.length) return false
      for (let i = 0; i < keys.length; i++) if (!matches(items[i]!, value[keys[i]!], leaves)) return false
      return true
    }
    default:
      return Object.is(value, structure.value)
  }
}

/** Whether two structures are the same: what is fixed by its value, functions and objects by what they are called. */
export function sameStructure(a: Structure, b: Structure): boolean {
  if (a.kind === 'tensor' && b.kind === 'tensor') return a.dtype === b.dtype && sameShape(a.shape, b.shape)
  if (a.kind === 'fixed' && b.kind === 'fixed') {
    return Object.is(a.value, b.value) || (typeof a.value === 'object' && describe(a) === describe(b))
  }
  if (a.kind === 'tensor' || b.kind === 'tensor' || a.kind === 'fixed' || b.kind === 'fixed') return false
  const names = (each: typeof a): string => (each.kind === 'record' ? each.keys.join('\0') : '')
  return (
    a.kind === b.kind &&
    a.items.length === b.items.length &&
    names(a) === names(b) &&
    a.items.every((item, i) => sameStructure(item, b.items[i]!))
  )
}

/** A value of a structure, with other tensors in the places of its own. */
export function filled(structure: Structure, leaf: (index: number) => Tensor): unknown {
  switch (structure.kind) {
    case 'tensor':
      return leaf(structure.leaf)
    case 'array':
      return structure.items.map((item) => filled(item, leaf))
    case 'record': {
      const made: Record<string, unknown> = {}
      for (const [i, key] of structure.keys.entries()) {
        const value = filled(structure.items[i]!, leaf)
        // A plain assignment to this name would set the prototype.
        if (key === '__proto__') {
          Object.defineProperty(made, key, { value, enumerable: true, writable: true, configurable: true })
        } else {
          made[key] = value
        }
      }
      return made
    }
    default:
      return structure.value
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** One line of a structure: what a person compares two calls by. */
export function describe(structure: Structure): string {
  switch (structure.kind) {
    case 'tensor':
      return `${structure.dtype}[${structure.shape.join(', ')}]`
    case 'array':
      return `[${structure.items.map(describe).join(', ')}]`
    case 'record':
      return `{ ${structure.keys.map((key, i) => `${key}: ${describe(structure.items[i]!)}`).join(', ')} }`
    default:
      return typeof structure.value === 'function' ? 'function' : String(structure.value)
  }
}
