import { checkName, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import {
  add,
  cast,
  checkFloatDType,
  concat,
  div,
  equal,
  expandDims,
  type FloatDType,
  holds,
  matmul,
  mean,
  mul,
  reshape,
  slice,
  sqrt,
  square,
  sub,
  sum,
  type Tensor,
  transpose,
  where,
} from '../../../tensors/tensor/index.js'
import { type Metric, metrics } from './nearest.js'
import { codebookOf, rowsOf } from './rowsOf.js'

/**
 * How squared distances are written: 'direct', the sum of (x - c)^2; 'expanded', (x.x - 2 x.c) + c.c, one matrix product;
 * 'no-x2', c.c - 2 x.c, which differs by the same number for every code; 'centred', expanded after the codebook's mean was
 * taken from both.
 */
export type DistanceForm = 'direct' | 'expanded' | 'no-x2' | 'centred'

const forms: readonly DistanceForm[] = ['direct', 'expanded', 'no-x2', 'centred']

/** Where distances round. */
export interface DistanceOptions {
  /** Default 'euclidean'. */
  readonly metric?: Metric
  /** How squared distances are written. Default 'direct'; products and cosines have no other. */
  readonly form?: DistanceForm
  /** The dtype of every result: of differences, of sums once they are complete, of the distances. Default 'float64'. */
  readonly dtype?: FloatDType
  /** What products and the steps of sums are rounded to. Default: `dtype`. */
  readonly accumulate?: FloatDType
}

export const distanceNames: OptionTable<DistanceOptions> = {
  ...{ metric: 'optional', form: 'optional', dtype: 'optional', accumulate: 'optional' },
}

/** The options, checked and complete. */
export interface Distancing {
  readonly metric: Metric
  readonly form: DistanceForm
  readonly dtype: FloatDType
  readonly accumulate: FloatDType
}

/** Checks options whose names have been checked. */
export function distancing(op: string, options: DistanceOptions): Distancing {
  const { metric = 'euclidean', form = 'direct', dtype = 'float64', accumulate = dtype } = options
  checkName(op, 'metric', metric, metrics)
  checkName(op, 'form', form, forms)
  checkFloatDType(op, 'dtype', dtype)
  checkFloatDType(op, 'accumulate', accumulate)
  if (metric !== 'euclidean' && form !== 'direct') {
    throw new RangeError(`${op}: only euclidean distances have other forms than direct [${metric}, ${form}]`)
  }
  return { metric, form, dtype, accumulate }
}

/** Whether the distances are those of float64, by definition. */
export const isExact = ({ form, dtype, accumulate }: Distancing): boolean =>
  form === 'direct' && dtype === 'float64' && accumulate === 'float64'

/**
 * Squared distances of vectors from codes; for the other metrics their products or cosines. Built of tensor operations, so
 * what each form loses can be seen.
 *
 * Shape     x [..., d], codebook [k, d] -> [..., k].
 * Dtype     any floats, cast to `dtype` first; the result has `dtype`.
 * Rounding  direct: x - c once; its squares and the steps of their sum in `accumulate`; the sum once. expanded: the three
 *           sums so, then x.x - 2 x.c once and + c.c once. centred: the mean of the codes, of float64, once; x - mean and c - mean once.
 *           cosine: norms and rows over them once each; a row of zeros stays one.
 * Special   the expanded forms may be negative.
 * Throws    TypeError for integers, RangeError for a codebook of other vectors.
 * Cost      direct 3 n k d operations on blocks of 2^20 numbers, expanded 2 n k d as a matrix product.
 *
 * @example distances(tensor([[1, 2]]), tensor([[1, 2], [4, 6]])).toNested() // [[0, 25]]
 * @example distances(tensor([[3, 4]]), tensor([[0, 2]]), { metric: 'cosine' }).toNested() // [[0.8]]
 */
export function distances(x: Tensor, codebook: Tensor, options: DistanceOptions = noOptions): Tensor {
  const { lead, d } = rowsOf('distances', 'x', x)
  const { k } = codebookOf('distances', codebook, d)
  checkOptions('distances', options, distanceNames, { positional: 'metric' })
  return reshape(allDistances(x, codebook, distancing('distances', options)), [...lead, k])
}

/** As `distances`, of arguments that were checked: [n, k]. */
export function allDistances(x: Tensor, codebook: Tensor, how: Distancing): Tensor {
  const { metric, form, dtype } = how
  const d = codebook.shape[1]!
  const rows = cast(reshape(x, [-1, d]), dtype)
  const codes = cast(codebook, dtype)
  if (metric === 'dot') return product(rows, codes, how)
  if (metric === 'cosine') return product(unitRows(rows, how), unitRows(codes, how), how)
  if (form === 'direct') return direct(rows, codes, how)
  if (form !== 'centred') return expanded(rows, codes, how)
  const mean = meanCode(codes, dtype)
  return expanded(sub(rows, mean), sub(codes, mean), { ...how, form: 'expanded' })
}

/** Numbers of a block of differences. */
const blockNumbers = 2 ** 20

function direct(x: Tensor, codes: Tensor, how: Distancing): Tensor {
  const [k, d] = codes.shape as [number, number]
  const n = x.shape[0]!
  const height = Math.max(1, Math.floor(blockNumbers / (k * d)))
  const between = (rows: Tensor): Tensor => squares(sub(expandDims(rows, 1), codes), how)
  if (n <= height) return between(x)
  const blocks: Tensor[] = []
  for (let from = 0; from < n; from += height) {
    blocks.push(between(slice(x, [[from, Math.min(from + height, n)]])))
  }
  return concat(blocks)
}

/** The sum of squares along the last axis. */
function squares(x: Tensor, { dtype, accumulate }: Distancing): Tensor {
  const terms = square(cast(x, accumulate))
  return cast(sum(terms, { axis: x.rank - 1, accumulate }), dtype)
}

function expanded(x: Tensor, codes: Tensor, how: Distancing): Tensor {
  const twice = mul(product(x, codes, how), 2)
  const c2 = squares(codes, how)
  if (how.form === 'no-x2') return sub(c2, twice)
  return add(sub(expandDims(squares(x, how), 1), twice), c2)
}

/** x times the codes, [n, k]. */
function product(x: Tensor, codes: Tensor, { accumulate, dtype }: Distancing): Tensor {
  if (holds(accumulate, dtype)) return matmul(x, transpose(codes), { accumulate })
  const wide = matmul(cast(x, accumulate), transpose(cast(codes, accumulate)), { accumulate })
  return cast(wide, dtype)
}

function unitRows(x: Tensor, how: Distancing): Tensor {
  const norm = expandDims(sqrt(squares(x, how)), 1)
  return div(x, where(equal(norm, 0), 1, norm))
}

/** The mean of the codes, summed in float64, which is exact for 16-bit codes of like sizes; rounded once. */
function meanCode(codes: Tensor, dtype: FloatDType): Tensor {
  return cast(mean(cast(codes, 'float64'), { axis: 0 }), dtype)
}
