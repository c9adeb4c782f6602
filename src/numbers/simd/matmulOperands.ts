import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { MatmulSizes } from './matmulBlocks.js'

type Numbers = Float32Array | Float64Array | Int32Array

/** Throws unless these are the sizes of a product. */
export function checkSizes(op: string, sizes: MatmulSizes): void {
  checkOptions(op, sizes, sizeNames)
}

const sizeNames: OptionTable<MatmulSizes> = { m: 'required', k: 'required', n: 'required' }

/** Throws unless the lengths are those of the sizes; a copy of each operand that the result would overwrite. */
export function matmulOperands<A extends Numbers>(
  op: string,
  a: A,
  b: A,
  { m, k, n }: MatmulSizes,
  result: Numbers,
): readonly [A, A] {
  if (a.length !== m * k || b.length !== k * n) {
    const shown = `${a.length} and ${b.length} for ${m} x ${k} times ${k} x ${n}`
    throw new RangeError(`${op}: lengths differ from the sizes [${shown}]`)
  }
  if (result.length !== m * n) {
    throw new RangeError(`${op}: out has another length than the result [${result.length}, not ${m * n}]`)
  }
  const apart = (x: A): A => (overlap(x, result) ? (x.slice() as A) : x)
  return [apart(a), apart(b)]
}

function overlap(a: Numbers, b: Numbers): boolean {
  if (a.buffer !== b.buffer) return false
  return a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength
}
