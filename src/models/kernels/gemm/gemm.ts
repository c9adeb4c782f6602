import {
  checkInteger,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import {
  apply,
  broadcastTo,
  checkFloatDType,
  checkTensor,
  type DType,
  dtypeFacts,
  type FloatDType,
  holds,
  isFloat,
  reshape,
  type Tensor,
} from '../../../tensors/tensor/index.js'
import type { Unit, UnitOutput } from '../units/unit.js'
import type { UnitName } from '../units/units.js'
import { type Gemm, gemmOp } from './gemmOp.js'
import { type GemmPrecision, gemmPrecisions, precisionFacts, type Split } from './precisions.js'
import { fastWay, wayOf } from './unitWay.js'

/** How a matrix unit multiplies. */
export interface GemmOptions<R extends FloatDType = FloatDType> {
  /**
   * A name that `jax.default_matmul_precision` takes, as a TPU reads it: 'default' ('bfloat16', 'fastest') one pass of bfloat16
   * operands, 'high' ('tensorfloat32', 'bfloat16_3x') three, 'highest' ('float32') six. Or one of jax 0.10's
   * `DotAlgorithmPreset`: BF16_BF16_F32 with _X3, _X6, _X9 that many passes; TF32_TF32_F32 with _X3 of 11-bit operands;
   * F32_F32_F32 rounds every product; F16_F16_F32 rounds operands to float16; F16_F16_F16 and BF16_BF16_BF16 every sum too;
   * F64_F64_F64 sums in float64; ANY_F8_ANY_F8_F32 takes operands of 8 bits, with _FAST_ACCUM as the unit 'h100' adds
   * them. Default 'default'.
   */
  readonly precision?: GemmPrecision
  /** How operands are cut into parts: default 'truncate', as XLA does it. The one part of 'default' is rounded either way. */
  readonly split?: Split
  /** Columns of a that are multiplied at a time, their product added to a total from +0. Default: all, without a total. */
  readonly blockK?: number
  /** What the product and the total of every block are rounded to. Default 'float32'. */
  readonly between?: FloatDType
  /** The dtype of the result. Default: `out` where it is given, else that of the operands. */
  readonly dtype?: R
  /**
   * The matrix unit of a GPU, by its name in `units` or of `defineUnit`: every element is a chain of its instructions, as
   * `unitDot`'s. Excludes precision, split, blockK and between.
   */
  readonly unit?: UnitName | Unit
  /** The unit's accumulator. Default 'float32'. */
  readonly out?: UnitOutput
  /** The unit reads float32 operands as tf32; it takes none without it. */
  readonly input?: 'tf32'
  /** Every so many products the unit's sum, from 0, is added to a float32 total. Default: one chain. */
  readonly promote?: number
}

const names: OptionTable<GemmOptions> = {
  precision: 'optional',
  split: 'optional',
  blockK: 'optional',
  between: 'optional',
  dtype: 'optional',
  ...{ unit: 'optional', out: 'optional', input: 'optional', promote: 'optional' },
}

/**
 * Matrix product as a matrix unit forms it under `jax.default_matmul_precision`: operands in bfloat16 or tf32 parts, one pass
 * for each product of parts, float32 sums. What a CPU never shows: there JAX accepts the names and computes float32.
 *
 * Shape     a [..., m, k], b [..., k, n] -> [..., m, n], batch axes broadcast; a vector counts as a row (a) or a column (b).
 * Dtype     both operands alike, a float that float32 holds; the result has `dtype`, default theirs.
 * Rounding  of bfloat16 and TF32 parts: each pass is a running float32 sum, k ascending from +0, of products of parts, which are exact; then the sums
 *           of the passes are added in float32, small ones first; once to the dtype. Per block of k where there are blocks.
 * Special   a NaN of the corrections counts as 0 before the largest product is added, so that Inf times 1 stays Inf.
 *           Operands that round past the largest bfloat16 are Inf.
 * Error     `errorBound`. Per product: 'default' 2^-7, 'high' 2^-13, 'highest' 2^-21, TF32 2^-9; the sums come on top.
 * Gradient  products in the same mode, each rounded to its operand's dtype.
 * Cost      1, 3, 6, 9 passes of 2 m n k operations.
 * Unit      with `unit` as `unitDot`: cut or rounded after every group of products as that GPU does, to the bit where it was measured. Gradients
 *           are products of the same unit, the cotangent rounded to the input format; of 8-bit operands they are float32 products.
 * Source    jax 0.10, lax.Precision and lax.DotAlgorithmPreset; openxla/xla, xla/service/gpu/dot_algorithm_rewriter; Henry, Tang, Heinecke, arXiv 1904.06376
 *
 * @example gemm(tensor([[1.00390625]]), tensor([[1]])).toNested() // [[1]]
 * @example gemm(tensor([[1.00390625]]), tensor([[1]]), { precision: 'high' }).toNested() // [[1.00390625]]
 * @example const a = tensor([[1, 2 ** -12]], { dtype: 'float16' })
 * const b = tensor([[1], [1]], { dtype: 'float16' })
 * gemm(a, b, { unit: 'a100', out: 'float32' }).toNested() // [[1.000244140625]]
 * gemm(a, b, { unit: 'a100', out: 'float16' }).toNested() // [[1]]
 */
export function gemm<D extends FloatDType, O extends UnitOutput>(
  a: Tensor<D>,
  b: Tensor<D>,
  options: GemmOptions & { readonly unit: UnitName | Unit; readonly out: O; readonly dtype?: undefined },
): Tensor<O>
export function gemm<D extends FloatDType, R extends FloatDType = D>(
  a: Tensor<D>,
  b: Tensor<D>,
  options?: GemmOptions<R>,
): Tensor<R>
export function gemm<D extends FloatDType, R extends FloatDType = D>(
  a: Tensor<D>,
  b: Tensor<D>,
  options: GemmOptions<R> = noOptions,
): Tensor<R> {
  checkOperand(a)
  checkOperand(b)
  checkOptions('gemm', options, names, { positional: 'precision' })
  const how = complete(options, a.dtype, b.dtype)
  if (!how.way && (a.dtype as DType) !== b.dtype) {
    throw new TypeError(`gemm: dtypes differ, cast one of them [${a.dtype} and ${b.dtype}]`)
  }
  return shapedProduct('gemm', a, b, how) as Tensor<R>
}

/** The product of operands that were checked: a vector counts as a row (a) or a column (b), batch axes are broadcast. */
export function shapedProduct(op: string, a: Tensor, b: Tensor, how: Gemm): Tensor {
  const shapes = `[${a.shape.join(', ')}] x [${b.shape.join(', ')}]`
  if (a.rank === 0 || b.rank === 0) throw new RangeError(`${op}: needs one dimension or more ${shapes}`)
  const x = a.rank === 1 ? reshape(a, [1, a.size]) : a
  const y = b.rank === 1 ? reshape(b, [b.size, 1]) : b
  if (x.shape.at(-1) !== y.shape.at(-2)) throw new RangeError(`${op}: inner dimensions differ ${shapes}`)
  const batch = commonBatch(op, x.shape.slice(0, -2), y.shape.slice(0, -2), shapes)
  const over = (operand: Tensor): Tensor =>
    operand.rank - 2 === batch.length && batch.every((length, axis) => length === operand.shape[axis])
      ? operand
      : broadcastTo(operand, [...batch, ...operand.shape.slice(-2)])
  const full = apply(gemmOp, [over(x), over(y)], how)
  if (a.rank > 1 && b.rank > 1) return full
  const rows = a.rank === 1 ? [] : x.shape.slice(-2, -1)
  const columns = b.rank === 1 ? [] : y.shape.slice(-1)
  return reshape(full, [...batch, ...rows, ...columns])
}

function checkOperand(x: Tensor): void {
  checkTensor('gemm', x)
  if (!isFloat(x.dtype)) throw new TypeError(`gemm: needs a floating-point dtype, cast first [${x.dtype}]`)
  if (!holds('float32', x.dtype)) {
    throw new TypeError(`gemm: a matrix unit takes no ${x.dtype}, cast to float32 first [${x.dtype}]`)
  }
}

function complete<R extends FloatDType>(options: GemmOptions<R>, own: FloatDType, other: FloatDType): Gemm {
  const {
    precision = 'default',
    split = 'truncate',
    blockK,
    between = 'float32',
    out,
    dtype = out,
  }: GemmOptions = options
  const way = wayOf('gemm', options, own, other) ?? fastWay(precision, own)
  checkName('gemm', 'precision', precision, gemmPrecisions)
  if (precisionFacts[precision].narrow && dtypeFacts(own).bits > 8) {
    throw new TypeError(`gemm: ${precision} takes operands of 8 bits [${own}]`)
  }
  checkName('gemm', 'split', split, ['truncate', 'nearest'])
  if (blockK !== undefined) checkInteger('gemm', 'blockK', blockK, 1)
  checkFloatDType('gemm', 'between', between)
  if (dtype !== undefined) checkFloatDType('gemm', 'dtype', dtype)
  if (blockK === undefined && between !== 'float32') {
    throw new RangeError(`gemm: between rounds blocks, give blockK too [${between}]`)
  }
  if (!holds('float32', between)) {
    throw new TypeError(`gemm: between is wider than the float32 sums [${between}]`)
  }
  return { precision, split, blockK, between, dtype: dtype === own ? undefined : dtype, way }
}

/** The batch axes of both, 1 standing for any length. */
function commonBatch(op: string, a: readonly number[], b: readonly number[], shapes: string): number[] {
  const rank = Math.max(a.length, b.length)
  return Array.from({ length: rank }, (_, axis) => {
    const x = a[axis - rank + a.length] ?? 1
    const y = b[axis - rank + b.length] ?? 1
    if (x !== y && x !== 1 && y !== 1) throw new RangeError(`${op}: batch axes differ ${shapes}`)
    return x === 1 ? y : x
  })
}
