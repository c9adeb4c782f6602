import { type DType, dtypeFacts, sizeOf, Tensor } from '../../../tensors/tensor/index.js'
import type { DenseElementsAttribute, Operation } from '../module.js'
import { staticType } from '../values/elementType.js'
import type { Lowering } from '../values/lowering.js'
import { Complex, type Value } from '../values/value.js'

/** `stablehlo.constant`: its bytes as a tensor, made once. */
export const constant: Lowering = (op) => {
  const value = tensorOf(denseOf(op))
  return () => [value]
}

function denseOf({ attributes }: Operation): DenseElementsAttribute {
  const value = Object.hasOwn(attributes, 'value') ? attributes['value'] : undefined
  if (value?.kind !== 'denseElements') throw new TypeError(`has no dense value [${value?.kind ?? 'none'}]`)
  return value
}

/** The tensor of a dense attribute. */
export function tensorOf({ type, splat, bytes }: DenseElementsAttribute): Value {
  const { dtype, isComplex, shape } = staticType(type)
  const count = sizeOf(shape) * (isComplex ? 2 : 1)
  const storage = dtypeFacts(dtype).storage
  const width = storage.BYTES_PER_ELEMENT
  const given = splat ? (isComplex ? 2 : 1) : count
  if (bytes.byteLength !== given * width) {
    throw new RangeError(`has ${bytes.byteLength} bytes for ${given} elements of ${dtype} [${given * width}]`)
  }
  const own = bytes.slice()
  const elements = new storage(own.buffer, 0, given)
  narrow(dtype, elements as never)
  const all = splat ? repeated(elements as never, count, storage as never) : elements
  if (!isComplex) return new Tensor(dtype, shape, all as never)
  const part = (k: number): Tensor => {
    const half = new storage(count / 2)
    for (let i = 0; i < half.length; i++) half[i] = all[2 * i + k]!
    return new Tensor(dtype, shape, half as never)
  }
  return new Complex(part(0), part(1))
}

/** MLIR writes true as 1 or as all ones. */
function narrow(dtype: DType, elements: Uint8Array): void {
  if (dtype === 'bool') for (let i = 0; i < elements.length; i++) elements[i] = elements[i] ? 1 : 0
}

/** One element, or one pair, as often as it takes, without passing through numbers that would change a NaN. */
function repeated<T extends Uint8Array>(one: T, count: number, storage: new (n: number) => T): T {
  const all = new storage(count)
  const from = new Uint8Array(one.buffer, one.byteOffset, one.byteLength)
  const to = new Uint8Array(all.buffer)
  if (to.length === 0) return all
  to.set(from)
  for (let filled = from.length; filled < to.length; filled *= 2) {
    to.copyWithin(filled, 0, Math.min(filled, to.length - filled))
  }
  return all
}
