import { checkInteger, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { type Key, split } from '../../../tensors/random/index.js'
import {
  add,
  cast,
  type FloatDType,
  reshape,
  slice,
  stack,
  sub,
  Tensor,
  take,
  zeros,
} from '../../../tensors/tensor/index.js'
import { assign } from '../rows/assign.js'
import { type DistanceOptions, distanceNames, distancing } from '../rows/distances.js'
import { matrixOf } from '../rows/rowsOf.js'
import { kmeans } from '../train/kmeans.js'
import { packCodes, unpackCodes } from './packCodes.js'
import { checkedCodes, codeBits, codebooksOf } from './productQuantizer.js'

/** How residuals are compared and kept: those of `distances`; `dtype` is that of residuals and sums too. */
export type ResidualQuantizerOptions = Omit<DistanceOptions, 'metric'>

/** What coding in stages gives. */
export interface ResidualCodes {
  /** [n, stages]. */
  readonly codes: Tensor<'int32'>
  /** What is left after each stage, [stages, n, d]. */
  readonly residuals: Tensor
  /** The sum of the codes' vectors, [n, d]. */
  readonly sum: Tensor
}

/** Vectors as sums of one code of every stage. */
export interface ResidualQuantizer {
  /** [stages, k, d]. */
  readonly codebooks: Tensor
  readonly stages: number
  readonly k: number
  readonly dim: number
  /** Bits of a code: ceil(log2 k). */
  readonly bits: number
  readonly bytesPerVector: number
  /** Codes of vectors [n, d], stage by stage of what the stages before left. */
  encode(x: Tensor): ResidualCodes
  /** The sums of codes [n, stages], [n, d]. */
  decode(codes: Tensor<'int32'>): Tensor
  /** The codes of a vector end to end, lowest bit first, padded to a byte. */
  pack(codes: Tensor<'int32'>): Uint8Array
  /** The codes of bytes that `pack` made. */
  unpack(packed: Uint8Array): Tensor<'int32'>
}

const { metric: _, ...names } = distanceNames
const optionNames: OptionTable<ResidualQuantizerOptions> = names

/**
 * A residual quantizer of given codebooks: stage s codes what the stages before left.
 *
 * Shape     codebooks [stages, k, d].
 * Dtype     vectors and codebooks are cast to `dtype`, default float64; the results have it.
 * Rounding  residual - code and sum + code once each, stage by stage; distances as `distances`.
 * Throws    RangeError for vectors of another length and codes that there are not.
 * Source    Juang, Gray, ICASSP 1982; Zeghidour et al., arXiv 2107.03312
 *
 * @example const rvq = residualQuantizer(tensor([[[0], [8]], [[-1], [1]]]))
 * rvq.encode(tensor([[7.5]])).codes.toNested() // [[1, 0]]
 * rvq.decode(tensor([[1, 0]], { dtype: 'int32' })).toNested() // [[7]]
 */
export function residualQuantizer(
  codebooks: Tensor,
  options: ResidualQuantizerOptions = noOptions,
): ResidualQuantizer {
  const op = 'residualQuantizer'
  const [stages, k, dim] = codebooksOf(op, codebooks)
  checkOptions(op, options, optionNames, { positional: 'dtype' })
  const { dtype } = distancing(op, options)
  const bits = codeBits(k)
  const tables = tablesOf(codebooks, dtype)
  const bytesPerVector = Math.ceil((stages * bits) / 8)
  return {
    ...{ codebooks, stages, k, dim, bits, bytesPerVector },
    encode(x) {
      const { n, d } = matrixOf(op, 'x', x)
      if (d !== dim) throw new RangeError(`${op}: vectors of ${dim} numbers are coded [${d}]`)
      let left: Tensor = cast(x, dtype)
      let sum: Tensor = zeros([n, d], { dtype })
      const codes: Tensor<'int32'>[] = []
      const residuals: Tensor[] = []
      for (const table of tables) {
        const code = assign(left, table, options)
        const chosen = take(table, code, { axis: 0 })
        left = sub(left, chosen)
        sum = add(sum, chosen)
        codes.push(code)
        residuals.push(left)
      }
      return { codes: stack(codes, { axis: 1 }), residuals: stack(residuals), sum }
    },
    decode(codes) {
      const list = checkedCodes(op, codes, stages, k)
      let sum: Tensor = zeros([list.shape[0]!, dim], { dtype })
      for (const [i, table] of tables.entries()) {
        sum = add(sum, take(table, reshape(slice(list, [null, [i, i + 1]]), [-1]), { axis: 0 }))
      }
      return sum
    },
    pack: (codes) => packCodes(checkedCodes(op, codes, stages, k), bits, stages),
    unpack(packed) {
      const n = packed instanceof Uint8Array ? Math.floor(packed.length / bytesPerVector) : 0
      const codes = unpackCodes(packed, bits, n * stages, stages)
      return new Tensor('int32', [n, stages], codes)
    },
  }
}

function tablesOf(codebooks: Tensor, dtype: FloatDType): Tensor[] {
  const [stages, k, dim] = codebooks.shape as [number, number, number]
  const all = cast(codebooks, dtype)
  return Array.from({ length: stages }, (_, i) => reshape(slice(all, [[i, i + 1]]), [k, dim]))
}

/** How a residual quantizer is fitted. */
export interface TrainResidualQuantizerOptions {
  readonly stages: number
  /** Codes of a stage. */
  readonly k: number
  readonly key: Key
  /** Steps of k-means for every stage. Default 25. */
  readonly iterations?: number
}

const trainNames: OptionTable<TrainResidualQuantizerOptions> = {
  ...{ stages: 'required', k: 'required', key: 'required', iterations: 'optional' },
}

/**
 * A residual quantizer fitted to rows: k-means on what the stages before leave.
 *
 * Shape     x [n, d] -> codebooks [stages, k, d], float64.
 * Rounding  float64.
 * Throws    RangeError for more codes than rows.
 *
 * @example trainResidualQuantizer(tensor([[1], [2]]), { stages: 1, k: 3, key: random.key(0) }) // throws kmeans: more codes than rows [3 of 2]
 */
export function trainResidualQuantizer(x: Tensor, options: TrainResidualQuantizerOptions): ResidualQuantizer {
  const op = 'trainResidualQuantizer'
  matrixOf(op, 'x', x)
  checkOptions(op, options, trainNames)
  const { stages, k, key, iterations = 25 } = options
  checkInteger(op, 'stages', stages, 1)
  let left: Tensor = cast(x, 'float64')
  const codebooks: Tensor[] = []
  for (const own of split(key, stages)) {
    const { centroids, codes } = kmeans(left, { k, key: own, iterations })
    codebooks.push(centroids)
    left = sub(left, take(centroids, codes, { axis: 0 }))
  }
  return residualQuantizer(stack(codebooks))
}
