import type { Attribute, Attributes, Operation, Region } from '../module.js'

/** Whether an operation has an attribute. */
export function has(op: Operation, name: string): boolean {
  return Object.hasOwn(op.attributes, name)
}

function given(attributes: Attributes, name: string): Attribute | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined
}

/** A list of integers under a name; without `fallback` it has to be there. */
export function integers(
  op: Operation,
  name: string,
  fallback?: readonly number[],
  attributes: Attributes = op.attributes,
): readonly number[] {
  const attribute = given(attributes, name)
  if (attribute === undefined) {
    if (fallback) return fallback
    throw new RangeError(`has no ${name}`)
  }
  if (attribute.kind === 'denseArray') return attribute.values
  if (attribute.kind === 'denseElements') return denseIntegers(attribute)
  if (attribute.kind === 'array') {
    return attribute.values.map((each) => {
      if (each.kind !== 'integer') {
        throw new TypeError(`has a ${name} that is no list of integers [${each.kind}]`)
      }
      return Number(each.value)
    })
  }
  if (attribute.kind === 'integer') return [Number(attribute.value)]
  throw new TypeError(`has a ${name} that is no list of integers [${attribute.kind}]`)
}

/** The integers of a dense attribute: `padding = dense<[[1, 0]]> : tensor<1x2xi64>`. */
function denseIntegers({ type, bytes, splat }: Extract<Attribute, { kind: 'denseElements' }>): number[] {
  const size = type.shape.reduce<number>((product, length) => product * (length ?? 0), 1)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = (i: number): number => {
    switch (type.element) {
      case 'i64':
      case 'ui64':
      case 'index':
        return Number(view.getBigInt64(8 * i, true))
      case 'i32':
      case 'ui32':
        return view.getInt32(4 * i, true)
      case 'i1':
      case 'i8':
        return view.getInt8(i)
      default:
        throw new TypeError(`has a list of ${type.element} where integers go`)
    }
  }
  if (size > 2 ** 16) throw new RangeError(`has a list of ${size} integers`)
  return Array.from({ length: size }, (_, i) => read(splat ? 0 : i))
}

/** An integer under a name. */
export function integer(
  op: Operation,
  name: string,
  fallback?: number,
  attributes: Attributes = op.attributes,
): number {
  const attribute = given(attributes, name)
  if (attribute === undefined) {
    if (fallback !== undefined) return fallback
    throw new RangeError(`has no ${name}`)
  }
  if (attribute.kind === 'integer') return Number(attribute.value)
  if (attribute.kind === 'denseArray' && attribute.values.length === 1) return attribute.values[0]!
  throw new TypeError(`has a ${name} that is no integer [${attribute.kind}]`)
}

/** A flag under a name. */
export function flag(op: Operation, name: string, fallback: boolean): boolean {
  const attribute = given(op.attributes, name)
  if (attribute === undefined) return fallback
  if (attribute.kind === 'unit') return true
  if (attribute.kind === 'integer') return Number(attribute.value) !== 0
  throw new TypeError(`has a ${name} that is no flag [${attribute.kind}]`)
}

/** A keyword under a name: `LT` of `#stablehlo<comparison_direction LT>`. */
export function keyword(op: Operation, name: string, fallback?: string): string {
  const attribute = given(op.attributes, name)
  if (attribute === undefined) {
    if (fallback !== undefined) return fallback
    throw new RangeError(`has no ${name}`)
  }
  if (attribute.kind === 'dialect') return attribute.text
  if (attribute.kind === 'string') return attribute.value
  if (attribute.kind === 'symbol') return attribute.name
  throw new TypeError(`has a ${name} that is no keyword [${attribute.kind}]`)
}

/** The fields of a dialect's attribute: `#stablehlo.gather<offset_dims = [0], ...>`. */
export function fields(op: Operation, name: string): Attributes {
  const attribute = given(op.attributes, name)
  if (attribute?.kind === 'dialect' && attribute.entries) return attribute.entries
  if (attribute?.kind === 'dictionary') return attribute.entries
  throw new RangeError(`has no ${name}`)
}

/** The only region of an operation, or that of a number. */
export function region(op: Operation, index = 0): Region {
  const found = op.regions[index]
  if (!found) throw new RangeError(`has no region ${index} [${op.regions.length} regions]`)
  return found
}
