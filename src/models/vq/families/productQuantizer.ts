import { checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import {
  cast,
  checkTensor,
  concat,
  isFloat,
  matmul,
  reshape,
  slice,
  stack,
  Tensor,
  take,
  transpose,
} from '../../../tensors/tensor/index.js'
import { assign, vectorsOf } from '../rows/assign.js'
import { distance } from '../rows/nearest.js'
import { checkCodes, codesOf, matrixOf } from '../rows/rowsOf.js'
import { packCodes, unpackCodes } from './packCodes.js'

/** What is done to vectors before they are cut in parts. */
export interface ProductQuantizerOptions {
  /** An orthogonal matrix [dim, dim]: vectors are coded as x R, and decoded back. Default: none. */
  readonly rotation?: Tensor
}

/** Vectors cut into m parts, each with a codebook of its own. */
export interface ProductQuantizer {
  /** [m, k, d]. */
  readonly codebooks: Tensor
  readonly rotation: Tensor | undefined
  /** Parts of a vector. */
  readonly m: number
  /** Numbers of a part. */
  readonly subDim: number
  /** Numbers of a vector: m subDim. */
  readonly dim: number
  /** Codes of a part. */
  readonly k: number
  /** Bits of a code: ceil(log2 k). */
  readonly bits: number
  readonly bytesPerVector: number
  /** The codes of vectors [n, dim], [n, m]. */
  encode(x: Tensor): Tensor<'int32'>
  /** The vectors of codes [n, m], in the dtype of the codebooks, [n, dim]. */
  decode(codes: Tensor<'int32'>): Tensor
  /** The codes of a vector end to end, lowest bit first, padded to a byte: faiss's bytes, n bytesPerVector. */
  pack(codes: Tensor<'int32'>): Uint8Array
  /** The codes of bytes that `pack` made. */
  unpack(packed: Uint8Array): Tensor<'int32'>
  /** Squared distances of one vector's parts [dim] from all codes, float64, [m, k]. */
  table(query: Tensor): Tensor<'float64'>
  /** Squared distances of vectors [q, dim] from coded ones [n, m], m look-ups each, float64, [q, n]. */
  distances(queries: Tensor, codes: Tensor<'int32'>): Tensor<'float64'>
}

const names: OptionTable<ProductQuantizerOptions> = { rotation: 'optional' }

/**
 * A product quantizer of given codebooks: part i of a vector is its columns i subDim to (i + 1) subDim - 1.
 *
 * Shape     codebooks [m, k, subDim].
 * Dtype     any float; vectors may have another.
 * Rounding  codes are those of the real distances; distances from tables are float64 sums over the parts, ascending.
 * Throws    RangeError for codebooks of no parts, vectors of another length, codes that there are not.
 * Source    Jegou, Douze, Schmid, doi:10.1109/TPAMI.2010.57
 *
 * @example const pq = productQuantizer(tensor([[[0], [1]], [[0], [5]]]))
 * pq.encode(tensor([[0.9, 1], [0.2, 4]])).toNested() // [[1, 0], [0, 1]]
 * pq.decode(tensor([[1, 1]], { dtype: 'int32' })).toNested() // [[1, 5]]
 */
export function productQuantizer(
  codebooks: Tensor,
  options: ProductQuantizerOptions = noOptions,
): ProductQuantizer {
  const op = 'productQuantizer'
  const [m, k, subDim] = codebooksOf(op, codebooks)
  checkOptions(op, options, names, { positional: 'rotation' })
  const { rotation } = options
  const dim = m * subDim
  if (rotation !== undefined) checkRotation(rotation, dim)
  const bits = codeBits(k)
  const parts = Array.from({ length: m }, (_, i) => reshape(slice(codebooks, [[i, i + 1]]), [k, subDim]))
  const part = (x: Tensor, i: number): Tensor => slice(x, [null, [i * subDim, (i + 1) * subDim]])
  const turned = (x: Tensor, what: string): Tensor => {
    const { d } = matrixOf(op, what, x)
    if (d !== dim) throw new RangeError(`${op}: vectors of ${dim} numbers are coded [${d}]`)
    return rotation === undefined ? x : turn(x, rotation)
  }
  const table = (query: Tensor): Tensor<'float64'> => {
    checkTensor(op, query)
    const x = vectorsOf(op, 'query', turned(reshape(query, [1, -1]), 'query')).values
    const all = codebooks.toNumbers()
    const sums = new Float64Array(m * k)
    for (let at = 0; at < sums.length; at++) {
      sums[at] = distance(x, Math.floor(at / k) * subDim, all, at * subDim, subDim)
    }
    return new Tensor('float64', [m, k], sums)
  }
  return {
    ...{ codebooks, rotation, m, subDim, dim, k, bits, bytesPerVector: Math.ceil((m * bits) / 8), table },
    encode(x) {
      const rows = turned(x, 'x')
      return stack(
        parts.map((codebook, i) => assign(part(rows, i), codebook)),
        { axis: 1 },
      )
    },
    decode(codes) {
      const list = checkedCodes(op, codes, m, k)
      const vectors = concat(
        parts.map((codebook, i) =>
          take(codebook, reshape(slice(list, [null, [i, i + 1]]), [-1]), { axis: 0 }),
        ),
        { axis: 1 },
      )
      return rotation === undefined ? vectors : turn(vectors, transpose(rotation))
    },
    pack: (codes) => packCodes(checkedCodes(op, codes, m, k), bits, m),
    unpack(packed) {
      const bytes = Math.ceil((m * bits) / 8)
      const n = packed instanceof Uint8Array ? Math.floor(packed.length / bytes) : 0
      return new Tensor('int32', [n, m], unpackCodes(packed, bits, n * m, m))
    },
    distances(queries, codes) {
      const { n: q } = matrixOf(op, 'queries', queries)
      const list = checkedCodes(op, codes, m, k).data
      const n = list.length / m
      const sums = new Float64Array(q * n)
      for (let i = 0; i < q; i++) {
        const { data } = table(slice(queries, [[i, i + 1]]))
        for (let j = 0; j < n; j++) {
          let sum = 0
          for (let p = 0; p < m; p++) sum += data[p * k + list[j * m + p]!]!
          sums[i * n + j] = sum
        }
      }
      return new Tensor('float64', [q, n], sums)
    },
  }
}

/** The bits that a code of one of k entries takes. */
export const codeBits = (k: number): number => Math.max(1, Math.ceil(Math.log2(k)))

/** The sizes of codebooks [parts, k, d]. */
export function codebooksOf(op: string, codebooks: unknown): readonly [number, number, number] {
  checkTensor(op, codebooks)
  if (!isFloat(codebooks.dtype)) {
    throw new TypeError(`${op}: codebooks have no floating-point dtype, cast first [${codebooks.dtype}]`)
  }
  if (codebooks.rank !== 3 || codebooks.size === 0) {
    throw new RangeError(`${op}: codebooks are no parts of codes of numbers [${codebooks.shape.join(', ')}]`)
  }
  return codebooks.shape as [number, number, number]
}

/** Codes [n, m], each one of a codebook of k. */
export function checkedCodes(op: string, codes: unknown, m: number, k: number): Tensor<'int32'> {
  const list = codesOf(op, codes)
  if (list.rank !== 2 || list.shape[1] !== m) {
    throw new RangeError(`${op}: codes are not ${m} for each vector [${list.shape.join(', ')}]`)
  }
  checkCodes(op, list.data, k)
  return list
}

function checkRotation(rotation: Tensor, dim: number): void {
  const { n, d } = matrixOf('productQuantizer', 'rotation', rotation)
  if (n !== dim || d !== dim) {
    throw new RangeError(`productQuantizer: rotation is not [${dim}, ${dim}] [${n}, ${d}]`)
  }
}

/** x R in float64, so that a rotation costs no more than its own rounding; back in the dtype of x unless that is integers. */
const turn = (x: Tensor, rotation: Tensor): Tensor => matmul(cast(x, 'float64'), cast(rotation, 'float64'))
