import { decodeArray, type FormatName, format as formatOf } from '../../formats/index.js'
import { checkInteger, checkName, checkOptions, noOptions, type OptionTable } from '../../options/index.js'
import { matmulFloat32 } from '../../simd/index.js'
import {
  apply,
  canonicalizeNaN,
  cast,
  checkFloatDType,
  checkTensor,
  type FloatDType,
  holds,
  isFloat,
  type KnownOp,
  matmul,
  Tensor,
  transpose,
  untraced,
} from '../../tensor/index.js'
import { columns } from '../gemm/columns.js'
import { promotedDot } from './promotedDot.js'
import { type ScaledTiles, scaleTiles, tileValues } from './scaleTiles.js'

/** How a product in scaled tiles is formed. */
export interface BlockScaledOptions<R extends FloatDType = FloatDType> {
  /** Scales as they come, or raised to powers of two. Default 'float32'. */
  readonly scale?: 'float32' | 'pow2'
  /** How a block's products are added: 'float32', or in 14 bits as on Hopper, promoted to float32 after each. Default 'float32'. */
  readonly adder?: 'float32' | 'promoted14'
  /** Side of a tile of w, length of one of x, and how much of k is added before it is promoted. Default 128. */
  readonly block?: number
  /** Default 'float8_e4m3fn'. */
  readonly format?: FormatName
  /** The dtype of the result. Default: that of the operands. */
  readonly dtype?: R
}

const names: OptionTable<BlockScaledOptions> = {
  ...{ scale: 'optional', adder: 'optional', block: 'optional' },
  ...{ format: 'optional', dtype: 'optional' },
}

interface Blocks extends Required<Omit<BlockScaledOptions, 'dtype'>> {
  /** Undefined: that of the operands. */
  readonly dtype: FloatDType | undefined
}

const blockScaledOp: KnownOp<Blocks> = {
  name: 'blockScaledMatmul',
  form: 'contracts',
  rounds: 'each step',
  kernel: ([x, w], how) => {
    // Of float64 operands, which the doctor hands it, the product itself.
    if (x!.dtype === 'float64') return matmul(untraced(x!), untraced(w!))
    const { block, format, scale } = how
    const left = scaleTiles(untraced(x!), { tile: [1, block], format, scale })
    const right = scaleTiles(untraced(w!), { tile: [block, block], format, scale })
    const shape = [x!.shape[0]!, w!.shape[1]!]
    return cast(new Tensor('float32', shape, product(left, right, how)), how.dtype ?? x!.dtype)
  },
  exact: ([x, w]) => matmul(x!, w!),
  gradient: ({ g, inputs: [x, w], attributes, needs }) => {
    const wide = cast(g, 'float32')
    const { block } = attributes
    const against = (y: Tensor, tile: readonly [number, number]): Tensor =>
      transpose(apply(tiledOp, [y], { ...attributes, tile }))
    return [
      needs[0] ? cast(matmul(wide, against(w!, [block, block])), x!.dtype) : undefined,
      needs[1] ? cast(matmul(against(x!, [1, block]), wide), w!.dtype) : undefined,
    ]
  },
}

interface Tiled extends Blocks {
  readonly tile: readonly [number, number]
}

/** A matrix as its codes and scales have it, in float32; gradients pass. */
const tiledOp: KnownOp<Tiled> = {
  name: 'scaleTiles',
  form: 'whole',
  rounds: 'once',
  kernel: ([x], { tile, format, scale }) =>
    x!.dtype === 'float64'
      ? untraced(x!)
      : new Tensor('float32', x!.shape, tileValues(scaleTiles(untraced(x!), { tile, format, scale }))),
  exact: ([x]) => x!,
  gradient: ({ g, inputs: [x] }) => [cast(g, x!.dtype)],
}

function product(x: ScaledTiles, w: ScaledTiles, { block, adder }: Blocks): Float32Array {
  const [m, k] = x.codes.shape as [number, number]
  const n = w.codes.shape[1]!
  const [left, right] = [x, w].map(({ codes }) => decodeArray(codes.data, formatOf(codes.dtype)))
  const [acrossX, acrossW] = [x.scales.shape[1]!, w.scales.shape[1]!]
  const dot = adder === 'float32' ? matmulFloat32 : promotedDot
  const total = new Float32Array(m * n)
  for (let from = 0, b = 0; from < k; from += block, b++) {
    const width = Math.min(block, k - from)
    const part = columns(left!, k, from, width)
    const sums = dot(part, right!.subarray(from * n, (from + width) * n), { m, k: width, n })
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        const both = Math.fround(
          x.scales.data[i * acrossX + b]! * w.scales.data[b * acrossW + Math.floor(j / block)]!,
        )
        total[i * n + j] = total[i * n + j]! + Math.fround(sums[i * n + j]! * both)
      }
    }
  }
  canonicalizeNaN(total)
  return total
}

/**
 * Matrix product in fp8 with a scale for every 1 x 128 tile of x and 128 x 128 tile of w, as DeepSeek-V3 trains.
 *
 * Shape     x [m, k], w [k, n] -> [m, n].
 * Dtype     both operands alike, a float that float32 holds; the result has `dtype`, default theirs.
 * Rounding  codes and scales as `scaleTiles`; per block of k, ascending: the products, exact, added in float32 from +0 (or in
 *           14 bits); times (scale x scale), both once to float32; added to a float32 total. Once to the dtype.
 * Error     of the operands 2^-4 each per element; the 14-bit adder up to 2^-9 a block for positive data, beside 2^-13 unpromoted steps.
 * Gradient  against the rounded other operand, in float32 sums, once to the operand's dtype.
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
    adder = 'float32',
    block = 128,
    format = 'float8_e4m3fn',
    dtype,
  }: BlockScaledOptions = options
  checkName('blockScaledMatmul', 'scale', scale, ['float32', 'pow2'])
  checkName('blockScaledMatmul', 'adder', adder, ['float32', 'promoted14'])
  checkInteger('blockScaledMatmul', 'block', block, 1)
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
  return apply(blockScaledOp, [x, w], {
    ...{ scale, adder, block, format },
    dtype: dtype === x.dtype ? undefined : dtype,
  }) as Tensor<R>
}
