import { round as roundBfloat16 } from '../../../bf16/index.js'
import { type MatmulSizes, matmulFloat32 } from '../../../numbers/simd/index.js'
import {
  add,
  apply,
  canonicalizeNaN,
  cast,
  type FloatDType,
  type KnownOp,
  matmul,
  matrixTranspose,
  roundingTo,
  type Shape,
  sizeOf,
  Tensor,
  untraced,
} from '../../../tensors/tensor/index.js'
import { float32Of } from '../units/float32Of.js'
import type { UnitInput } from '../units/unit.js'
import { type UnitWay, unitProduct } from '../units/unitProduct.js'
import { columns } from './columns.js'
import { exactDot } from './exactDot.js'
import { type GemmPrecision, precisionFacts, type Split } from './precisions.js'
import { splitParts } from './splitParts.js'

/** The options of gemm, complete. */
export interface Gemm {
  readonly precision: GemmPrecision
  readonly split: Split
  /** Undefined: one running sum over all of k. */
  readonly blockK: number | undefined
  readonly between: FloatDType
  /** Undefined: that of the operands. */
  readonly dtype: FloatDType | undefined
  /** The matrix unit of a GPU that forms the product instead, of operands in its input formats; undefined: none. */
  readonly way: UnitWay | undefined
}

/**
 * Product of matrices with equal batch axes, in float32 parts; the operands' dtypes may differ. Of float64 operands, which the
 * doctor hands it, it is the product itself.
 */
export const gemmOp: KnownOp<Gemm> = {
  name: 'gemm',
  form: 'dot',
  rounds: 'each step',
  kernel: ([a, b], how) => {
    if (a!.dtype === 'float64') return matmul(untraced(a!), untraced(cast(b!, 'float64')))
    const [m, k] = a!.shape.slice(-2) as [number, number]
    const n = b!.shape.at(-1)!
    const batch = a!.shape.slice(0, -2)
    const [left, right] = [float32Of(a!), float32Of(b!)]
    const sums = new Float32Array(sizeOf(batch) * m * n)
    for (let i = 0; i < sizeOf(batch); i++) {
      const x = left.subarray(i * m * k, (i + 1) * m * k)
      const y = right.subarray(i * k * n, (i + 1) * k * n)
      sums.set(summed(x, y, { m, k, n }, how), i * m * n)
    }
    canonicalizeNaN(sums)
    const shape: Shape = [...batch, m, n]
    return cast(new Tensor('float32', shape, sums), how.dtype ?? a!.dtype)
  },
  exact: ([a, b]) => matmul(a!, b!),
  // The products of a gradient run in the same mode, each rounded to its operand's dtype.
  gradient: ({ g, inputs, needs, attributes }) => {
    const [a, b] = inputs as [Tensor<FloatDType>, Tensor<FloatDType>]
    return [
      needs[0] ? inMode(attributes, a.dtype, g, matrixTranspose(b)) : undefined,
      needs[1] ? inMode(attributes, b.dtype, matrixTranspose(a), g) : undefined,
    ]
  },
  tangent: ({ tangents: [da, db], inputs: [a, b], output, attributes }) => {
    const dtype = output.dtype as FloatDType
    const parts = [da && inMode(attributes, dtype, da, b!), db && inMode(attributes, dtype, a!, db)].filter(
      (x) => x !== undefined,
    )
    return parts.reduce((x, y) => add(x, y))
  },
}

/** A product of other operands in the same mode, rounded to a dtype. */
const inMode = (how: Gemm, dtype: FloatDType, a: Tensor, b: Tensor): Tensor => {
  if (!how.way) return apply(gemmOp, [a, b], { ...how, dtype: a.dtype === dtype ? undefined : dtype })
  const input = how.way.inputs[0]
  // A cotangent without a scale does not fit 8 bits: its products are formed in float32.
  if (!isWideInput(input)) {
    return apply(gemmOp, [a, b], { ...how, way: undefined, precision: 'F32_F32_F32', dtype })
  }
  const taken = input === 'tf32' ? 'float32' : input
  return apply(gemmOp, [cast(a, taken), cast(b, taken)], { ...how, dtype })
}

/** Whether gradients are products of the same unit, the cotangent rounded to the input format. */
export const isWideInput = (input: UnitInput): input is 'bfloat16' | 'float16' | 'tf32' =>
  input === 'bfloat16' || input === 'float16' || input === 'tf32'

/** The product, summed in blocks of k where there are some. */
function summed(a: Float32Array, b: Float32Array, sizes: MatmulSizes, how: Gemm): Float32Array {
  const { m, k, n } = sizes
  const { blockK, between } = how
  if (blockK === undefined) return passes(a, b, sizes, how)
  const round = between === 'bfloat16' ? roundBfloat16 : roundingTo(between)
  const total = new Float32Array(m * n)
  for (let from = 0; from < k; from += blockK) {
    const width = Math.min(blockK, k - from)
    const block = passes(
      columns(a, k, from, width),
      b.subarray(from * n, (from + width) * n),
      { m, k: width, n },
      how,
    )
    for (let i = 0; i < total.length; i++) total[i] = round(Math.fround(total[i]! + round(block[i]!)))
  }
  return total
}

/** Running sums rounded at every addition, and so are the products. */
const roundedDot =
  (accumulate: FloatDType) =>
  (a: Float32Array, b: Float32Array, { m, k, n }: MatmulSizes): Float32Array => {
    const [x, y] = [new Tensor('float32', [m, k], a), new Tensor('float32', [k, n], b)]
    return matmul(x, y, { accumulate }).data
  }

/** The passes of a precision, their sums added small ones first. */
function passes(a: Float32Array, b: Float32Array, sizes: MatmulSizes, how: Gemm): Float32Array {
  if (how.way) return unitProduct(a, b, sizes, how.way)
  const facts = precisionFacts[how.precision]
  const { sums: kept = 'float32' } = facts
  if (facts.parts === 0 && kept === 'float32') return matmulFloat32(a, b, sizes)
  const dot = kept === 'float32' ? exactDot : roundedDot(kept as Exclude<typeof kept, 'h100'>)
  const left = splitParts(a, facts, how.split)
  const right = splitParts(b, facts, how.split)
  let total: Float32Array | undefined
  for (const [i, j] of facts.passes) {
    const sums = dot(left[i]!, right[j]!, sizes)
    if (total) {
      const isLast = i === 0 && j === 0
      for (let e = 0; e < sums.length; e++) {
        // Inf times 1 has a correction of Inf - Inf: it must not make the largest product a NaN.
        const before = isLast && Number.isNaN(total[e]!) ? 0 : total[e]!
        sums[e] = before + sums[e]!
      }
    }
    total = sums
  }
  return total ?? new Float32Array(sizes.m * sizes.n)
}
