import type { OptionTable } from '../../../base/options/index.js'
import { matmulArrays } from '../../../bf16/index.js'
import type { FloatFormat } from '../../../numbers/formats/index.js'
import { matmulFloat32, matmulFloat64, matmulInt32 } from '../../../numbers/simd/index.js'
import { reshape } from '../layout/layout.js'
import { apply, checkOut, type OutOption, operands } from '../storage/apply.js'
import { checkCall, checkTensor } from '../storage/checkCall.js'
import {
  type AnyStorage,
  allocate,
  type DType,
  elementsIn,
  formatOf,
  isBig,
  isInteger,
  numbersOf,
  type Storage,
  wideDType,
} from '../storage/dtype.js'
import { canonicalizeNaN } from '../storage/nan.js'
import { broadcastShapes, sizeOf } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import {
  type AccumulateOptions,
  type Accumulation,
  accumulation,
  addends,
  holds,
  stepRounding,
  writer,
} from './accumulate.js'
import { bigProduct } from './bigLanes.js'
import { matricesOf, type Sizes } from './matrices.js'
import { sumLane } from './sumLane.js'

/** Options of matmul. */
export type MatmulOptions<D extends DType = DType> = AccumulateOptions & OutOption<D>

const matmulNames: OptionTable<MatmulOptions> = { order: 'optional', accumulate: 'optional', out: 'optional' }

export const matmulOp: KnownOp<Accumulation> = {
  name: 'matmul',
  form: 'dot',
  rounds: 'each step',
  kernel: ([a, b], how, out) => {
    const dtype = a!.dtype
    const { m, k, n, batch, startsA, startsB } = matricesOf(a!.shape, b!.shape)
    const shape = [...batch, m, n]
    checkOut('matmul', out, dtype, shape)
    if (out && (out.data.buffer === a!.data.buffer || out.data.buffer === b!.data.buffer)) {
      throw new RangeError(`matmul: out shares memory with an operand [${shape.join(', ')}]`)
    }
    const data = out?.data ?? allocate(dtype, sizeOf(shape))
    const product = productFor(a!, b!, data, { m, k, n }, how)
    for (let i = 0; i < startsA.length; i++) product(startsA[i]!, startsB[i]!, i * m * n)
    canonicalizeNaN(data)
    return out ?? new Tensor(dtype, shape, data)
  },
}

/** Multiplies the two matrices that start at given offsets into the one that starts at `to`. */
type Product = (fromA: number, fromB: number, to: number) => void

/** The fast product where one computes the same bits, else the plain one. */
function productFor(a: Tensor, b: Tensor, to: Storage, sizes: Sizes, how: Accumulation): Product {
  if (isBig(to)) {
    const [x, y] = [a.data, b.data] as [typeof to, typeof to]
    return (i, j, at) => bigProduct(x, i, y, j, sizes, to, at)
  }
  const out = elementsIn(to)
  if (how.order !== 'sequential') return plainProduct(a, b, out, sizes, how)
  const { accumulate } = how
  const low = formatOf(a.dtype)
  if (accumulate === 'float32' && a.dtype === 'bfloat16') {
    const [x, y, z] = [a.data, b.data, out] as [Uint16Array, Uint16Array, Uint16Array]
    return (i, j, to) => {
      matmulArrays(...matrices(x, i, y, j, sizes), sizes, result(z, to, sizes))
    }
  }
  if (accumulate === 'float32' && (a.dtype === 'float32' || (low && productsFitFloat32(low)))) {
    const [x, y] = [numbersOf(a.dtype, a.data), numbersOf(b.dtype, b.data)] as [Float32Array, Float32Array]
    return storing(out, a.dtype, sizes, Float32Array, (i, j, sums) => {
      matmulFloat32(...matrices(x, i, y, j, sizes), sizes, sums)
    })
  }
  if (accumulate === 'float64') {
    const [x, y] = [numbersOf(a.dtype, a.data), numbersOf(b.dtype, b.data)] as [Float64Array, Float64Array]
    return storing(out, a.dtype, sizes, Float64Array, (i, j, sums) => {
      matmulFloat64(...matrices(x, i, y, j, sizes), sizes, sums)
    })
  }
  if (isInteger(accumulate)) {
    const [x, y] = [int32View(elementsIn(a.data)), int32View(elementsIn(b.data))]
    const into = out.BYTES_PER_ELEMENT === 4 ? int32View(out) : out
    return storing(into, a.dtype, sizes, Int32Array, (i, j, sums) => {
      matmulInt32(...matrices(x, i, y, j, sizes), sizes, sums)
    })
  }
  return plainProduct(a, b, out, sizes, how)
}

type Part = { subarray(start: number, end: number): Part }

function matrices<T extends Part>(x: T, i: number, y: T, j: number, { m, k, n }: Sizes): readonly [T, T] {
  return [x.subarray(i, i + m * k) as T, y.subarray(j, j + k * n) as T]
}

function result<T extends Part>(out: T, to: number, { m, n }: Sizes): T {
  return out.subarray(to, to + m * n) as T
}

/** The same 32 bits as int32, or narrower integers as those: products and sums that wrap do not depend on the sign. */
function int32View(data: AnyStorage): Int32Array {
  return data.BYTES_PER_ELEMENT === 4
    ? new Int32Array(data.buffer, data.byteOffset, data.length)
    : Int32Array.from(data)
}

/** A product whose sums go right into the result where that stores them as they are, else rounded once. */
function storing<S extends Float32Array | Float64Array | Int32Array>(
  out: AnyStorage,
  dtype: DType,
  sizes: Sizes,
  type: new (length: number) => S,
  multiply: (fromA: number, fromB: number, sums: S) => void,
): Product {
  if (out instanceof type) return (i, j, to) => multiply(i, j, result(out, to, sizes))
  const sums = new type(sizes.m * sizes.n)
  const write = writer(dtype, out)
  return (i, j, to) => {
    multiply(i, j, sums)
    for (let e = 0; e < sums.length; e++) write(to + e, sums[e]!)
  }
}

/** Whether the product of any two finite values of the format is a float32, so that its rounding changes nothing. */
function productsFitFloat32(format: FloatFormat): boolean {
  return format.precision <= 12 && format.max ** 2 < 2 ** 128 && format.minPositive ** 2 >= 2 ** -126
}

/** One dot product after the other. */
function plainProduct(a: Tensor, b: Tensor, out: AnyStorage, { m, k, n }: Sizes, how: Accumulation): Product {
  const x = addends(a, how)
  const y = addends(b, how)
  const round = stepRounding(how)
  const write = writer(a.dtype, out)
  const whole = isInteger(how.accumulate)
  const exact = how.accumulate !== a.dtype && holds(how.accumulate, a.dtype)
  const terms = new Float64Array(k)
  return (fromA, fromB, to) => {
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        for (let p = 0; p < k; p++) {
          const left = x[fromA + i * k + p]!
          const right = y[fromB + p * n + j]!
          const term = whole ? Math.imul(left, right) : left * right
          terms[p] = exact ? term : round(term)
        }
        write(to + i * n + j, sumLane(terms, k, how.order, round))
      }
    }
  }
}

/**
 * Matrix product, batched.
 *
 * Shape     a [..., m, k], b [..., k, n] -> [..., m, n], batch axes broadcast; a vector counts as a row (a) or a column (b)
 *           and its axis goes from the result, as in NumPy. k = 0 gives +0.
 * Dtype     both operands alike; the result has it too. Integers wrap: cast int8 to int32 first for sums of 32 bits.
 * Rounding  products exact where `accumulate` is wider than the dtype, else rounded to it; sums in `accumulate`
 *           (default float32, float64 for float64) and `order` (default sequential: k ascending from +0); once to the dtype.
 * Special   0 times Inf and Inf - Inf are NaN. A sum past the largest accumulate value is Inf, even if terms to come
 *           would bring it back.
 * Error     |r - s| <= g A (1 + u) + u |s|, A = sum |a_i b_i|, g = k v / (1 - k v), v the unit roundoff of
 *           `accumulate`, u that of the dtype. Source: Higham, Accuracy and Stability, 2nd ed., 3.1.
 *
 * @example matmul(tensor([[1, 2]]), tensor([[3], [4]])).toNested() // [[11]]
 * @example matmul(tensor([1, 2]), tensor([3, 4])).item() // 11
 */
export function matmul<D extends DType, E extends D = D, O extends E = E>(
  a: Tensor<D>,
  b: Tensor<E>,
  options?: MatmulOptions<O>,
): Tensor<E>
export function matmul<D extends DType, E extends D = D, O extends E = E>(
  a: Tensor<E>,
  b: Tensor<D>,
  options?: MatmulOptions<O>,
): Tensor<E>
export function matmul<D extends DType>(a: Tensor<D>, b: Tensor<D>, options?: MatmulOptions<D>): Tensor<D> {
  checkTensor('matmul', a)
  checkCall('matmul', b, options, matmulNames)
  const [left, right] = operands('matmul', [a, b]) as [Tensor, Tensor]
  if (left.rank === 0 || right.rank === 0) {
    throw new RangeError(
      `matmul: needs one dimension or more [${left.shape.join(', ')}] x [${right.shape.join(', ')}]`,
    )
  }
  const preferred = wideDType(left.dtype)
  const how = accumulation('matmul', left.dtype, options ?? {}, { preferred, windows: true })
  const x = left.rank === 1 ? reshape(left, [1, left.size]) : left
  const y = right.rank === 1 ? reshape(right, [right.size, 1]) : right
  if (x.shape.at(-1) !== y.shape.at(-2)) {
    throw new RangeError(
      `matmul: inner dimensions differ [${left.shape.join(', ')}] x [${right.shape.join(', ')}]`,
    )
  }
  const out = options?.out
  if (left.rank > 1 && right.rank > 1) return apply(matmulOp, [x, y], how, out) as Tensor<D>
  const batch = broadcastShapes('matmul', x.shape.slice(0, -2), y.shape.slice(0, -2))
  const rows = left.rank === 1 ? [] : x.shape.slice(-2, -1)
  const columns = right.rank === 1 ? [] : y.shape.slice(-1)
  checkOut('matmul', out, left.dtype, [...batch, ...rows, ...columns])
  const full = [...batch, ...x.shape.slice(-2, -1), ...y.shape.slice(-1)]
  const result = apply(matmulOp, [x, y], how, out && reshape(out, full))
  return out ?? (reshape(result, [...batch, ...rows, ...columns]) as Tensor<D>)
}
