import type { ProgramValue } from 'tpu-toolkit/stablehlo'
import { type DType, fromBits, Tensor } from 'tpu-toolkit/tensor'
import { codesOf, type ElementFacts, elementFacts, widthOf } from './elements.js'

/** A tensor type as MLIR writes it, taken apart. */
export interface ArrayType {
  readonly shape: readonly number[]
  readonly facts: ElementFacts
}

/** Of `tensor<2x3xbf16>` the shape and the facts of its elements. */
export function arrayType(type: string): ArrayType {
  const found = /^tensor<((?:\d+x)*)(.+)>$/.exec(type)
  const facts = found && elementFacts(found[2]!)
  if (!found || !facts) throw new TypeError(`no tensor of ours [${type}]`)
  return { shape: found[1]!.split('x').filter(Boolean).map(Number), facts }
}

/** A program's argument of bytes as MLIR keeps them. */
export function valueOfBytes({ shape, facts }: ArrayType, bytes: Uint8Array): ProgramValue {
  const dtype = facts.dtype as DType
  const codes = codesOf(facts, bytes)
  const part = (own: readonly bigint[]): Tensor =>
    fromBits(facts.bits === 64 ? BigUint64Array.from(own) : own.map(Number), { dtype, shape: [...shape] })
  if (!facts.isComplex) return part(codes)
  return { re: part(codes.filter((_, i) => i % 2 === 0)), im: part(codes.filter((_, i) => i % 2 === 1)) }
}

/** The bytes of a program's result as MLIR keeps them. */
export function bytesOfValue(value: ProgramValue): Uint8Array {
  if (value instanceof Tensor) return new Uint8Array(value.toBits().buffer)
  const [re, im] = [bytesOfValue(value.re), bytesOfValue(value.im)]
  const width = value.re.dtype === 'float64' ? 8 : 4
  const both = new Uint8Array(2 * re.length)
  for (let i = 0; i < re.length; i += width) {
    both.set(re.subarray(i, i + width), 2 * i)
    both.set(im.subarray(i, i + width), 2 * i + width)
  }
  return both
}

/** Bytes of all elements, where a splat has those of one. */
export function whole({ shape, facts }: ArrayType, bytes: Uint8Array, isSplat: boolean): Uint8Array {
  if (!isSplat) return bytes
  const one = bytes.subarray(0, widthOf(facts) * (facts.isComplex ? 2 : 1))
  const all = new Uint8Array(one.length * shape.reduce((n, length) => n * length, 1))
  for (let i = 0; i < all.length; i += one.length) all.set(one, i)
  return all
}
