import { padRows, quantizationWays, unpadRows } from '../../../tensors/blocks/index.js'
import { foldIn, type Key, permutation } from '../../../tensors/random/index.js'
import { cast, reshape, sizeOf, type Tensor, take } from '../../../tensors/tensor/index.js'
import { kmeans } from '../train/kmeans.js'
import { bitsAccounting } from './bitsAccounting.js'
import { type CodebookUsage, codebookUsage } from './codebookUsage.js'
import { type CodedTensor, codeTensor, decodeTensor, neighbours } from './codedTensor.js'

/** A matrix of weights, and what counts of it. */
export interface Weights {
  readonly tensor: Tensor
  /** How much the errors of each row count, [rows]: the mean square of the input that it multiplies. Undefined: all alike. */
  readonly importance: Float64Array | undefined
}

/** A matrix in few bits. */
export interface SchemeResult {
  /** What the bits stand for, in float64, in the order of the matrix. */
  readonly restored: Float64Array
  /** All bits over the values: codes, scales and tables. */
  readonly bitsPerValue: number
  /** The codebook and its codes, where there is one. */
  readonly coded: CodedTensor | undefined
  readonly usage: CodebookUsage | undefined
}

/** A way of holding weights in few bits. */
export interface WeightScheme {
  readonly name: string
  readonly family: 'vector' | 'integer' | 'block' | 'cast'
  readonly quantize: (weights: Weights, key: Key) => SchemeResult
}

/** How a codebook is fitted to a matrix. */
export interface VectorScheme {
  readonly dim: number
  readonly k: number
  readonly iterations: number
}

/** Rows that a code is fitted to: more change next to nothing. */
const rowsPerCode = 256

/** One codebook for a matrix, in bfloat16, of vectors of neighbours in its rows. */
export function vectorScheme({ dim, k, iterations }: VectorScheme): WeightScheme {
  return {
    name: `vq ${dim} x ${k}`,
    family: 'vector',
    quantize({ tensor, importance }, key) {
      const all = neighbours(tensor, dim)
      const n = all.shape[0]!
      const codes = Math.min(k, n)
      const count = Math.min(n, rowsPerCode * codes)
      const places = count === n ? undefined : permutation(key, n).subarray(0, count)
      const weights = importance && vectorWeights(importance, tensor.shape, dim, places ?? n)
      const rows = places === undefined ? all : take(all, Array.from(places), { axis: 0 })
      const { centroids } = kmeans(rows, {
        ...{ k: codes, key: foldIn(key, 1), iterations, dtype: 'bfloat16' },
        ...(weights?.some((weight) => weight > 0) && { weights }),
      })
      const coded = codeTensor(cast(tensor, 'float64'), centroids)
      const { bitsPerValue } = bitsAccounting({ values: tensor.size, dim, codebookSize: codes })
      return {
        restored: decodeTensor(coded).toNumbers(),
        bitsPerValue,
        coded,
        usage: codebookUsage(coded.codes, codes),
      }
    },
  }
}

/** What each vector counts: the mean importance of the rows that its numbers lie in. */
function vectorWeights(
  importance: Float64Array,
  shape: readonly number[],
  dim: number,
  places: Int32Array | Uint32Array | number,
): Float64Array {
  const columns = shape.at(-1)!
  const size = sizeOf(shape)
  const weightOf = (vector: number): number => {
    let [sum, count] = [0, 0]
    for (let at = vector * dim; at < Math.min(size, (vector + 1) * dim); at++, count++) {
      sum += importance[Math.floor(at / columns)]!
    }
    return sum / count
  }
  return typeof places === 'number'
    ? Float64Array.from({ length: places }, (_, i) => weightOf(i))
    : Float64Array.from(places, weightOf)
}

/** Whole numbers with one float32 scale for each column, which brings its largest magnitude to the largest number. */
export function channelScheme(bits: number): WeightScheme {
  const largest = 2 ** (bits - 1) - 1
  return {
    name: `int${bits} per channel`,
    family: 'integer',
    quantize({ tensor }) {
      const values = tensor.toNumbers()
      const columns = tensor.shape.at(-1)!
      const scales = new Float64Array(columns)
      for (let i = 0; i < values.length; i++) {
        scales[i % columns] = Math.max(scales[i % columns]!, Math.abs(values[i]!))
      }
      scales.forEach((most, j) => {
        scales[j] = Math.fround(most / largest)
      })
      const restored = values.map((value, i) => {
        const scale = scales[i % columns]!
        if (scale === 0) return 0
        const whole = nearestEven(value / scale)
        return Math.max(-largest, Math.min(largest, whole)) * scale
      })
      return {
        ...{ restored, bitsPerValue: bits + (32 * columns) / values.length },
        ...{ coded: undefined, usage: undefined },
      }
    },
  }
}

function nearestEven(x: number): number {
  const down = Math.floor(x)
  const part = x - down
  if (part !== 0.5) return Math.round(x)
  return down % 2 === 0 ? down : down + 1
}

/** A block scheme of `tpu-toolkit/blocks`, blocks along the last axis. */
export function blockScheme(scheme: string, way: string): WeightScheme {
  const found = quantizationWays.find((one) => one.scheme === scheme && one.way === way)
  if (!found) throw new RangeError(`blockScheme: there is no such way [${scheme} ${way}]`)
  const blockSize = found.blockSize ?? 1
  return {
    name: scheme,
    family: found.family === 'cast' ? 'cast' : 'block',
    quantize({ tensor }) {
      const values = Float32Array.from(tensor.toNumbers())
      const columns = tensor.shape.at(-1)!
      const amax = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
      const padded = padRows(values, columns, blockSize)
      const restored = unpadRows(found.quantizer(amax)(padded).restored(), columns, blockSize)
      const blocks = padded.length / blockSize
      const scaleBits = found.blockSize === null ? 0 : found.blockBits * blocks
      const bits = found.elementBits + (scaleBits + found.tensorBits) / values.length
      return { restored: Float64Array.from(restored), bitsPerValue: bits, coded: undefined, usage: undefined }
    },
  }
}

/** What vector quantisation is measured against, the narrowest first. */
export const baselines: readonly WeightScheme[] = [
  channelScheme(4),
  blockScheme('mxfp4', 'floor'),
  blockScheme('nvfp4', 'two levels'),
  blockScheme('mxfp6_e2m3', 'floor'),
  channelScheme(8),
  blockScheme('mxfp8_e4m3', 'floor'),
  blockScheme('bfloat16', 'plain'),
]

/** The rows of a tensor of any rank: all axes but the last, together. */
export const asMatrix = (x: Tensor): Tensor => (x.rank === 2 ? x : reshape(x, [-1, x.shape.at(-1)!]))
