import {
  checkInteger,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { decodeArray, type FormatName, format as formatOf } from '../../../numbers/formats/index.js'
import { matmulFloat32 } from '../../../numbers/simd/index.js'
import {
  apply,
  canonicalizeNaN,
  cast,
  checkFloatDType,
  checkTensor,
  type DType,
  type FloatDType,
  holds,
  isFloat,
  type KnownOp,
  matmul,
  Tensor,
  transpose,
  untraced,
} from '../../../tensors/tensor/index.js'
import { columns } from '../gemm/columns.js'
import { inputOf, ruleOf, unitOf } from '../units/ruleOf.js'
import type { Unit } from '../units/unit.js'
import { type UnitWay, unitProduct } from '../units/unitProduct.js'
import type { UnitName } from '../units/units.js'
import { checkFp8 } from './checkFp8.js'
import { type ScaledTiles, scaleTiles, tileValues } from './scaleTiles.js'

/** How a product in scaled tiles is formed. */
export interface BlockScaledOptions<R extends FloatDType = FloatDType> {
  /** Scales as they come, or raised to powers of two. Default 'float32'. */
  readonly scale?: 'float32' | 'pow2'
  /**
   * The matrix unit of a GPU that adds a block's products, as `unitDot`'s chain of instructions, before they are promoted to
   * float32: 'h100' is what DeepSeek-V3 trained on. Default: sums in float32.
   */
  readonly unit?: UnitName | Unit
  /** Side of a tile of w, length of one of x, and how much of k is added before it is promoted. Default 128. */
  readonly block?: number
  /** Default 'float8_e4m3fn'. */
  readonly format?: FormatName
  /**
   * The format of cotangents and how their tiles are scaled, by default those of the operands, as DeepSeek-V3 trains; 'float32':
   * cotangents as they are, products in float32.
   */
  readonly gradient?: GradientTiles | 'float32'
  /** The dtype of the result. Default: that of the operands. */
  readonly dtype?: R
}

/** How cotangents of `blockScaledMatmul` are cast. */
export interface GradientTiles {
  readonly format?: FormatName
  readonly scale?: 'float32' | 'pow2'
}

const names: OptionTable<BlockScaledOptions> = {
  ...{ scale: 'optional', unit: 'optional', block: 'optional' },
  ...{ format: 'optional', gradient: 'optional', dtype: 'optional' },
}
const gradientNames: OptionTable<GradientTiles> = { format: 'optional', scale: 'optional' }

/** How the elements of one operand become codes. */
interface Coding {
  readonly tile: readonly [rows: number, columns: number]
  readonly format: FormatName
  readonly scale: 'float32' | 'pow2'
}

interface Blocks {
  readonly left: Coding
  readonly right: Coding
  /** How much of the inner dimension is added before it is promoted. */
  readonly block: number
  /** Undefined: float32 sums. */
  readonly unit: Unit | undefined
  /** Of cotangents; undefined: in float32. */
  readonly gradient: Omit<Coding, 'tile'> | undefined
  /** Undefined: that of the left operand. */
  readonly dtype: FloatDType | undefined
}

const blockScaledOp: KnownOp<Blocks> = {
  name: 'blockScaledMatmul',
  form: 'dot',
  rounds: 'each step',
  kernel: ([x, w], how) => {
    // Of float64 operands, which the doctor hands it, the product itself.
    if (x!.dtype === 'float64') return matmul(untraced(x!), untraced(cast(w!, 'float64')))
    const shape = [x!.shape[0]!, w!.shape[1]!]
    const sums = product(scaleTiles(untraced(x!), how.left), scaleTiles(untraced(w!), how.right), how)
    return cast(new Tensor('float32', shape, sums), how.dtype ?? x!.dtype)
  },
  exact: ([x, w]) => matmul(x!, w!),
  gradient: ({ g, inputs: [x, w], attributes, needs }) => {
    const { left, right, block, gradient } = attributes
    const asCoded = (y: Tensor, coding: Coding): Tensor => transpose(apply(tiledOp, [y], coding))
    if (!gradient) {
      const wide = cast(g, 'float32')
      return [
        needs[0] ? cast(matmul(wide, asCoded(w!, right)), x!.dtype) : undefined,
        needs[1] ? cast(matmul(asCoded(x!, left), wide), w!.dtype) : undefined,
      ]
    }
    const byK = (coding: Omit<Coding, 'tile'>): Coding => ({ ...coding, tile: [1, block] })
    return [
      needs[0]
        ? apply(blockScaledOp, [g, transpose(w!)], {
            ...{ ...attributes, dtype: x!.dtype as FloatDType, left: byK(gradient) },
            right: { ...right, tile: [right.tile[1], right.tile[0]] },
          })
        : undefined,
      // The codes of x are what is kept; they are cast again in tiles along the rows, which are now summed over.
      needs[1]
        ? apply(blockScaledOp, [asCoded(x!, left), g], {
            ...{ ...attributes, dtype: w!.dtype as FloatDType, left: byK(left) },
            right: { ...gradient, tile: [block, 1] },
          })
        : undefined,
    ]
  },
}

/** A matrix as its codes and scales have it, in float32; gradients pass. */
const tiledOp: KnownOp<Coding> = {
  name: 'scaleTiles',
  form: 'whole',
  rounds: 'once',
  kernel: ([x], coding) =>
    x!.dtype === 'float64'
      ? untraced(x!)
      : new Tensor('float32', x!.shape, tileValues(scaleTiles(untraced(x!), coding))),
  exact: ([x]) => x!,
  gradient: ({ g, inputs: [x] }) => [cast(g, x!.dtype)],
}

/** How a unit multiplies codes of these formats into float32. */
function wayOf(unit: Unit, x: DType, w: DType): UnitWay {
  const inputs = [
    inputOf('blockScaledMatmul', x, undefined),
    inputOf('blockScaledMatmul', w, undefined),
  ] as const
  return { rule: ruleOf('blockScaledMatmul', unit, ...inputs, 'float32'), inputs }
}

function product(x: ScaledTiles, w: ScaledTiles, { block, unit }: Blocks): Float32Array {
  const [m, k] = x.codes.shape as [number, number]
  const n = w.codes.shape[1]!
  const [left, right] = [x, w].map(({ codes }) => decodeArray(codes.data, formatOf(codes.dtype)))
  const [acrossX, acrossW] = [x.scales.shape[1]!, w.scales.shape[1]!]
  const way = unit && wayOf(unit, x.codes.dtype, w.codes.dtype)
  const total = new Float32Array(m * n)
  for (let from = 0, b = 0; from < k; from += block, b++) {
    const width = Math.min(block, k - from)
    const part = columns(left!, k, from, width)
    const own = right!.subarray(from * n, (from + width) * n)
    const sizes = { m, k: width, n }
    const sums = way ? unitProduct(part, own, sizes, way) : matmulFloat32(part, own, sizes)
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        const both = Math.fround(
          x.scales.data[i * acrossX + b]! * w.scales.data[b * acrossW + Math.floor(j / w.tile[1])]!,
        )
        total[i * n + j] = total[i * n + j]! + Math.fround(sums[i * n + j]! * both)
      }
    }
  }
  canonicalizeNaN(total)
  return total
}

/**
 * Matrix product in fp8 with a scale for every 1 x 128 tile of x and 128 x 128 tile of w, as DeepSeek-V3 trains, forward and back.
 *
 * Shape     x [m, k], w [k, n] -> [m, n].
 * Dtype     both operands alike, a float that float32 holds; the result has `dtype`, default theirs.
 * Rounding  codes and scales as `scaleTiles`; per block of k, ascending: the products, exact, added in float32 from +0 (or as
 *           `unit` adds them); times (scale x scale), both once to float32; added to a float32 total. Once to the dtype.
 * Error     of the operands 2^-4 each per element; the 14 bits of Hopper up to 2^-9 a block for positive data; `errorBound('gemm', { unit })` has the rest.
 * Gradient  two products of the same kind, each once to the operand's dtype: dx = g w' of g in tiles 1 x 128, dw = x' g of g in
 *           tiles 128 x 1 and of x, as its codes have it, in tiles 128 x 1 again. With `gradient: 'float32'` against the rounded
 *           other operand in float32 sums.
 * Source    DeepSeek-V3, arXiv 2412.19437, 3.3; deepseek-ai/DeepGEMM
 *
 * @example blockScaledMatmul(tensor([[1, 2]]), tensor([[3], [4]]), { block: 1, scale: 'pow2' }).toNested() // [[11]]
 */
export function blockScaledMatmul<D extends FloatDType, R extends FloatDType = D>(
  x: Tensor<D>,
  w: Tensor<D>,
  options: BlockScaledOptions<R> = noOptions,
): Tensor<R> {
  checkTensor('blockScaledMatmul', x)
  checkTensor('blockScaledMatmul', w)
  checkOptions('blockScaledMatmul', options, names, { positional: 'scale' })
  const {
    scale = 'float32',
    unit,
    block = 128,
    format = 'float8_e4m3fn',
    gradient = noOptions,
    dtype,
  }: BlockScaledOptions = options
  checkName('blockScaledMatmul', 'scale', scale, ['float32', 'pow2'])
  checkInteger('blockScaledMatmul', 'block', block, 1)
  if (gradient !== 'float32') checkOptions('blockScaledMatmul: gradient', gradient, gradientNames)
  const coded = gradient === 'float32' ? undefined : { format, scale, ...gradient }
  if (coded) {
    checkName('blockScaledMatmul', 'gradient scale', coded.scale, ['float32', 'pow2'])
    checkFp8('blockScaledMatmul', coded.format)
  }
  if (dtype !== undefined) checkFloatDType('blockScaledMatmul', 'dtype', dtype)
  const shapes = `[${x.shape.join(', ')}] x [${w.shape.join(', ')}]`
  if (x.rank !== 2 || w.rank !== 2) throw new RangeError(`blockScaledMatmul: needs two matrices ${shapes}`)
  if (x.shape[1] !== w.shape[0]) {
    throw new RangeError(`blockScaledMatmul: inner dimensions differ ${shapes}`)
  }
  if (!isFloat(x.dtype) || !holds('float32', x.dtype)) {
    throw new TypeError(`blockScaledMatmul: needs a float that float32 holds, cast first [${x.dtype}]`)
  }
  if (x.dtype !== w.dtype) {
    throw new TypeError(`blockScaledMatmul: dtypes differ, cast one of them [${x.dtype} and ${w.dtype}]`)
  }
  const found = unit === undefined ? undefined : unitOf('blockScaledMatmul', unit)
  if (found) {
    wayOf(found, format, format)
    if (coded) wayOf(found, coded.format, format)
  }
  return apply(blockScaledOp, [x, w], {
    left: { format, scale, tile: [1, block] },
    right: { format, scale, tile: [block, block] },
    ...{ unit: found, block, gradient: coded },
    dtype: dtype === x.dtype ? undefined : dtype,
  }) as Tensor<R>
}
