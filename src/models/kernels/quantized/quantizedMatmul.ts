import { checkOptions, type OptionTable } from '../../../base/options/index.js'
import { addScaledRows, matmulFloat32 } from '../../../numbers/simd/index.js'
import { type AnyKey, type Key, keyOfTensor, toKeyTensor } from '../../../tensors/random/index.js'
import {
  apply,
  canonicalizeNaN,
  cast,
  checkFloatDType,
  checkTensor,
  type FloatDType,
  hadamard,
  holds,
  isFloat,
  type KnownOp,
  matmul,
  Tensor,
  transpose,
  untraced,
} from '../../../tensors/tensor/index.js'
import { columns } from '../gemm/columns.js'
import { float32Of } from '../units/float32Of.js'
import { fakeOperandOp } from './fakeOperand.js'
import {
  type CodedOperand,
  codedOperand,
  isDrawn,
  type OperandQuantization,
  paddedRows,
  streamOf,
  wholeLength,
} from './operand.js'
import {
  type DgradProduct,
  type MatmulRecipe,
  matmulRecipe,
  type ProductHadamard,
  type RecipeName,
  recipeDraws,
  type WgradProduct,
} from './recipes.js'

/** Options of quantizedMatmul. */
export interface QuantizedMatmulOptions<R extends FloatDType = FloatDType> {
  /** How the three products quantise their operands: by name, or in full. */
  readonly recipe: RecipeName | MatmulRecipe
  /**
   * What operands that are rounded at random draw from, required where there are any; those of gradients only where one is asked for. A step of training folds its number in; a compiled one
   * takes it as a tensor, `random.keyTensor`.
   */
  readonly key?: AnyKey
  /** The dtype of the result. Default: that of the operands. */
  readonly dtype?: R
}

const names: OptionTable<QuantizedMatmulOptions> = { recipe: 'required', key: 'optional', dtype: 'optional' }

/** One product: its operands as they are quantised, and the products of its gradient. */
interface Product {
  readonly left: OperandQuantization | undefined
  readonly right: OperandQuantization | undefined
  readonly hadamard: ProductHadamard | undefined
  /** Which words of the key the operands are rounded by. */
  readonly streams: readonly [left: number, right: number]
  /** Undefined: that of the left operand. */
  readonly dtype: FloatDType | undefined
  /** Undefined: in float32, of operands as they are. */
  readonly backward: Backward | undefined
}

interface Backward {
  readonly dgrad: DgradProduct | undefined
  readonly wgrad: WgradProduct | undefined
  readonly saved: 'input' | 'codes'
}

const plain = { left: undefined, right: undefined, hadamard: undefined, backward: undefined }

const productOp: KnownOp<Product> = {
  name: 'quantizedMatmul',
  form: 'dot',
  rounds: 'each step',
  kernel: ([a, b, key], how) => {
    // Of float64 operands, which the doctor hands it, the product itself.
    if (a!.dtype === 'float64') return matmul(untraced(a!), untraced(cast(b!, 'float64')))
    const { sums, alpha } = multiplied(a!, b!, key, how)
    const shape = [a!.shape[0]!, b!.shape[1]!]
    const dtype = how.dtype ?? (a!.dtype as FloatDType)
    if (alpha === 1) return cast(new Tensor('float32', shape, sums), dtype)
    const scaled = new Float64Array(sums.length)
    for (let i = 0; i < sums.length; i++) scaled[i] = sums[i]! * alpha
    return cast(new Tensor('float64', shape, scaled), dtype)
  },
  exact: ([a, b]) => matmul(a!, b!),
  gradient: ({ g, inputs: [x, w, key], attributes, needs }) => {
    const { backward, left, streams } = attributes
    const rest = key ? [key] : []
    const [xDtype, wDtype] = [x!.dtype as FloatDType, w!.dtype as FloatDType]
    if (!backward) {
      const how = { ...plain, streams }
      return [
        needs[0] ? apply(productOp, [g, transpose(w!)], { ...how, dtype: xDtype }) : undefined,
        needs[1] ? apply(productOp, [transpose(x!), g], { ...how, dtype: wDtype }) : undefined,
      ]
    }
    const { dgrad, wgrad, saved } = backward
    if (!key) checkDrawsNothing('quantizedMatmul: gradient', dgrad?.g, dgrad?.w, wgrad?.x, wgrad?.g)
    const kept =
      saved === 'codes' && left
        ? apply(fakeOperandOp, [x!, ...rest], {
            ...{ operand: left, plain: false, gradient: 'straight-through', stream: 0 },
          })
        : x!
    return [
      needs[0]
        ? apply(productOp, [g, transpose(w!), ...rest], {
            ...{ left: dgrad?.g, right: dgrad?.w, hadamard: dgrad?.hadamard },
            ...{ streams: [2, 3], dtype: xDtype, backward: undefined },
          })
        : undefined,
      needs[1]
        ? apply(productOp, [transpose(kept), g, ...rest], {
            ...{ left: wgrad?.x, right: wgrad?.g, hadamard: wgrad?.hadamard },
            ...{ streams: [4, 5], dtype: wDtype, backward: undefined },
          })
        : undefined,
    ]
  },
}

/** Throws where there is no key and an operand is to be rounded at random. */
function checkDrawsNothing(op: string, ...operands: readonly (OperandQuantization | undefined)[]): void {
  if (operands.some(isDrawn)) {
    throw new RangeError(`${op}: a recipe that rounds at random needs a key [undefined]`)
  }
}

const keyOf = (key: Tensor | undefined): Key | undefined => key && keyOfTensor(key)

/** Both operands of a product as it takes them, the summed dimension contiguous and filled with zeros to whole blocks. */
function codedOperands(a: Tensor, b: Tensor, key: Tensor | undefined, how: Product) {
  const [m, k] = a.shape as [number, number]
  const n = b.shape[1]!
  const { left, right, hadamard: turn, streams } = how
  const whole = [wholeLength(left), wholeLength(right), turn ? (turn.size ?? 16) : 1].reduce(commonMultiple)
  const length = Math.ceil(k / whole) * whole
  const words = keyOf(key)
  const coded = (x: Tensor, rows: number, by: OperandQuantization | undefined, stream: number) => {
    const values = turn ? turned(paddedTensor(x, k, length), turn) : paddedRows(float32Of(x), k, whole)
    return codedOperand(values, [rows, length], by, isDrawn(by) ? streamOf(words, stream) : undefined)
  }
  return {
    ...{ m, n, length },
    x: coded(untraced(a), m, left, streams[0]),
    w: coded(transpose(untraced(b)), n, right, streams[1]),
  }
}

/** Rows filled with zeros to a length, in their dtype. */
function paddedTensor(x: Tensor, k: number, length: number): Tensor {
  if (k === length) return x
  const [rows] = x.shape as [number]
  return cast(new Tensor('float32', [rows, length], paddedRows(float32Of(x), k, length)), x.dtype)
}

/** Rows through the transform, each rounded once to the operand's dtype. */
function turned(x: Tensor, { size = 16, signs }: ProductHadamard): Float32Array {
  return float32Of(hadamard(x, { size, ...(signs !== undefined && { signs }) }))
}

/** The float32 sums of a product, and what they are multiplied by at the end. */
function multiplied(a: Tensor, b: Tensor, key: Tensor | undefined, how: Product) {
  const { m, n, length, x, w } = codedOperands(a, b, key, how)
  const right = transpose(new Tensor('float32', [n, length], w.values)).data
  const alpha = Math.fround(x.alpha * w.alpha)
  if (!x.scales && !w.scales) {
    const sums = matmulFloat32(x.values, right, { m, k: length, n })
    canonicalizeNaN(sums)
    return { sums, alpha }
  }
  const total = new Float32Array(m * n)
  const edges = edgesOf(length, x, w)
  const down = new Float32Array(m)
  const across = new Float32Array(n)
  for (let part = 0; part < edges.length; part++) {
    const from = edges[part]!
    const width = (edges[part + 1] ?? length) - from
    const own = right.subarray(from * n, (from + width) * n)
    const sums = matmulFloat32(columns(x.values, length, from, width), own, { m, k: width, n })
    for (let j = 0; j < n; j++) across[j] = scaleAt(w, j, from)
    for (let i = 0; i < m; i++) down[i] = scaleAt(x, i, from)
    addScaledRows(total, sums, down, across)
  }
  canonicalizeNaN(total)
  return { sums: total, alpha }
}

/** Where a scale of either operand begins. */
function edgesOf(length: number, ...operands: readonly CodedOperand[]): number[] {
  const edges = new Set<number>()
  for (const { scales } of operands) {
    if (scales) for (let from = 0; from < length; from += scales.tile[1]) edges.add(from)
  }
  return [...edges].sort((a, b) => a - b)
}

function scaleAt({ scales }: CodedOperand, row: number, at: number): number {
  if (!scales) return 1
  const { values, across, tile } = scales
  return values[Math.floor(row / tile[0]) * across + Math.floor(at / tile[1])]!
}

const commonMultiple = (a: number, b: number): number => {
  let [x, y] = [a, b]
  while (y > 0) [x, y] = [y, x % y]
  return (a * b) / x
}

/**
 * Matrix product whose forward and two backward products each quantise their operands: one option for a low-precision training recipe.
 * y = x w, dx = g w', dw = x' g; each operand is quantised along the dimension that its product sums over, from the operand as it is.
 *
 * Shape     x [m, k], w [k, n] -> [m, n]. Blocks that do not divide a dimension are filled with zeros.
 * Dtype     both operands alike, a float that float32 holds; the result has `dtype`, default theirs; gradients that of their operand.
 * Rounding  of each product: with `hadamard` both operands through the transform, once to their dtype; codes and scales as `blocks.quantize`
 *           ('nvfp4', MX) or `scaleTiles`; then element times block scale, exact in float32, products added in float32 from +0, the summed
 *           dimension ascending. Where tiles have float scales a part ends where one of them does; it is multiplied by scale x scale, both
 *           once to float32, and added to a float32 total. The sum times both tensor scales of 'nvfp4', once to the dtype.
 *           Operands that are not quantised: their products are rounded to float32 where they do not fit.
 * Random    the words of an operand that is rounded at random are `random.bits(random.foldIn(key, i), size)`, word j for its element j with the
 *           summed dimension last, filled up; i is 0 for x and 1 for w of the forward product, 2 and 3 for g and w of dx, 4 and 5 for x
 *           and g of dw.
 * Error     of each operand that of its quantisation, to nearest half a step of the element format times the scale; `certify` measures it.
 * Gradient  the other two products of the recipe; of those, products in float32. Quantisation passes gradients, clipped ones too.
 * Throws    RangeError where an operand of the forward product is to be rounded at random and there is no key; a gradient does where one
 *           of its products is.
 * Source    see `matmulRecipes`
 *
 * @example quantizedMatmul(tensor([[1, 7]]), tensor([[1], [2]]), { recipe: 'fp8-row' }).toNested() // [[15.000000953674316]]
 * @example quantizedMatmul(tensor([[1, 7]]), tensor([[1], [2]]), { recipe: { forward: { x: { scheme: 'mxfp4' } } } }).toNested() // [[13]]
 */
export function quantizedMatmul<D extends FloatDType, R extends FloatDType = D>(
  x: Tensor<D>,
  w: Tensor<D>,
  options: QuantizedMatmulOptions<R>,
): Tensor<R> {
  const op = 'quantizedMatmul'
  checkTensor(op, x)
  checkTensor(op, w)
  checkOptions(op, options, names, { positional: 'recipe' })
  const { dtype, key }: QuantizedMatmulOptions = options
  const recipe = matmulRecipe(op, options.recipe)
  if (dtype !== undefined) checkFloatDType(op, 'dtype', dtype)
  const shapes = `[${x.shape.join(', ')}] x [${w.shape.join(', ')}]`
  if (x.rank !== 2 || w.rank !== 2) throw new RangeError(`${op}: needs two matrices ${shapes}`)
  if (x.shape[1] !== w.shape[0]) throw new RangeError(`${op}: inner dimensions differ ${shapes}`)
  if (!isFloat(x.dtype) || !holds('float32', x.dtype)) {
    throw new TypeError(`${op}: needs a float that float32 holds, cast first [${x.dtype}]`)
  }
  if (x.dtype !== w.dtype) {
    throw new TypeError(`${op}: dtypes differ, cast one of them [${x.dtype} and ${w.dtype}]`)
  }
  if (key === undefined) checkDrawsNothing(op, recipe.forward?.x, recipe.forward?.w)
  const words = key !== undefined && recipeDraws(recipe) ? [toKeyTensor(op, key)] : []
  const { forward, dgrad, wgrad, saved = 'input' } = recipe
  return apply(productOp, [x, w, ...words], {
    ...{ left: forward?.x, right: forward?.w, hadamard: forward?.hadamard, streams: [0, 1] },
    dtype: dtype === x.dtype ? undefined : dtype,
    backward: { dgrad, wgrad, saved },
  }) as Tensor<R>
}
