import {
  checkNumber,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { choice, type Key } from '../../../tensors/random/index.js'
import {
  add,
  cast,
  checkFloatDType,
  cumsum,
  div,
  expandDims,
  type FloatDType,
  full,
  less,
  maximum,
  mul,
  reshape,
  roundingTo,
  sub,
  sum,
  type Tensor,
  take,
  tensor,
  where,
} from '../../../tensors/tensor/index.js'
import { assign } from '../rows/assign.js'
import { codebookOf, matrixOf, rowsOf } from '../rows/rowsOf.js'
import { codeCounts, codeTotals } from './codeSums.js'

/** How a codebook follows the vectors that it codes. */
export interface EmaCodebookOptions {
  /** The share of the averages that is kept in a step. Default 0.8, as vector-quantize-pytorch; Sonnet has 0.99. */
  readonly decay?: number
  /** Laplace smoothing: what every size is raised by. Default 1e-5, which is 0 or close to it in float16. */
  readonly eps?: number
  /** Codes whose size falls below are replaced by vectors of the batch. Default 0: none. */
  readonly deadThreshold?: number
  /** The size that every code begins with. Default 1. */
  readonly initialSize?: number
  /** The dtype of the state, in which every operation rounds. Default 'float32'. */
  readonly dtype?: FloatDType
}

/** What is kept from step to step. */
export interface EmaCodebookState {
  /** [k, d]. */
  readonly codebook: Tensor
  /** The mean number of vectors a step that have each code, [k]. */
  readonly size: Tensor
  /** The mean of their sums, not of their means, [k, d]. */
  readonly average: Tensor
}

/** The results of a step besides the state. */
export interface EmaCodebookStep {
  /** [...], by the codebook before the step. */
  readonly codes: Tensor<'int32'>
  /** The vectors that the codes stood for then, in the dtype of the state, [..., d]. */
  readonly quantized: Tensor
  /** Whether each code was replaced, [k]. */
  readonly dead: Tensor<'bool'>
}

/** Where replacements of dead codes come from: one of the two is needed where there is a threshold. */
export interface EmaUpdateOptions {
  /** Rows of the batch, the j-th for the j-th dead code, ascending, [k]. */
  readonly replacements?: Tensor<'int32'>
  /** Draws them: rows without repetition where the batch has enough. */
  readonly key?: Key
}

/** A codebook that follows its vectors, as values. */
export interface EmaCodebook {
  /** Sizes of `initialSize`, and sums that make the codebook their quotient. */
  init(codebook: Tensor): EmaCodebookState
  /** Codes by the codebook, and the codebook after it has followed. */
  update(x: Tensor, state: EmaCodebookState, options?: EmaUpdateOptions): [EmaCodebookStep, EmaCodebookState]
}

const names: OptionTable<EmaCodebookOptions> = {
  ...{ decay: 'optional', eps: 'optional', deadThreshold: 'optional' },
  ...{ initialSize: 'optional', dtype: 'optional' },
}
const updateNames: OptionTable<EmaUpdateOptions> = { replacements: 'optional', key: 'optional' }

/**
 * A codebook as quotient of two moving averages: of how many vectors have a code, and of their sum. Codes that die are
 * replaced by vectors of the batch, averages and all, or the old ones would bring them back.
 *
 * Shape     codebook [k, d], x [..., d].
 * Dtype     the state has `dtype`; vectors are cast to it; codes are those of the real distances.
 * Rounding  counts + 1 and sums + x in the order of the rows; average = average + move (sum - average) with move = 1 - decay,
 *           each operation once; N the running sum of sizes; s = (size + eps) / (N + k eps) N; codebook = average / s.
 * Special   a size stalls once move |count - size| is under half an ulp of it: in bfloat16 at 75 of 100 for a decay of .99.
 * Throws    RangeError for options out of range, vectors of another length and a threshold without replacements.
 * Source    van den Oord et al., arXiv 1711.00937, appendix A; lucidrains/vector-quantize-pytorch 1.32.0
 *
 * @example const ema = emaCodebook({ decay: 0.5 })
 * const made = ema.update(tensor([[1], [3], [9]]), ema.init(tensor([[2], [8]])))
 * made[0].codes.toNested() // [0, 0, 1]
 * made[1].size.toNested() // [1.5, 1]
 */
export function emaCodebook(options: EmaCodebookOptions = noOptions): EmaCodebook {
  checkOptions('emaCodebook', options, names, { positional: 'decay' })
  const { decay = 0.8, eps = 1e-5, deadThreshold = 0, initialSize = 1, dtype = 'float32' } = options
  checkNumber('emaCodebook', 'decay', decay, 0, 1)
  checkNumber('emaCodebook', 'eps', eps, 0)
  checkNumber('emaCodebook', 'deadThreshold', deadThreshold, 0)
  checkNumber('emaCodebook', 'initialSize', initialSize, 0)
  checkFloatDType('emaCodebook', 'dtype', dtype)
  const how: How = { move: roundingTo(dtype)(1 - decay), eps, deadThreshold, dtype }
  return {
    init(codebook) {
      const { n: k } = matrixOf('emaCodebook.init', 'codebook', codebook)
      if (k === 0) {
        throw new RangeError(`emaCodebook.init: codebook has no codes [${codebook.shape.join(', ')}]`)
      }
      const start = cast(codebook, dtype)
      return { codebook: start, size: full([k], initialSize, { dtype }), average: mul(start, initialSize) }
    },
    update(x, state, given = noOptions) {
      const { d, n } = rowsOf('emaCodebook.update', 'x', x)
      checkRecord('emaCodebook.update', 'state', state, ['codebook', 'size', 'average'])
      const { k } = codebookOf('emaCodebook.update', state.codebook, d)
      checkOptions('emaCodebook.update', given, updateNames, { positional: 'replacements' })
      const codes = assign(x, state.codebook)
      const quantized = take(state.codebook, codes, { axis: 0 })
      const rows = reshape(cast(x, dtype), [n, d])
      const followed = follow(rows, reshape(codes, [n]), state, how)
      const dead = less(followed.size, deadThreshold)
      if (deadThreshold === 0) return [{ codes, quantized, dead }, followed]
      const chosen = replacementRows(given, n, k)
      return [{ codes, quantized, dead }, revive(rows, dead, chosen, followed, how)]
    },
  }
}

interface How {
  readonly move: number
  readonly eps: number
  readonly deadThreshold: number
  readonly dtype: FloatDType
}

function follow(
  x: Tensor,
  codes: Tensor<'int32'>,
  { size: oldSize, average: oldAverage }: EmaCodebookState,
  { move, eps, dtype }: How,
): EmaCodebookState {
  const k = oldSize.shape[0]!
  const toward = (old: Tensor, now: Tensor): Tensor => add(old, mul(sub(now, old), move))
  const size = toward(oldSize, codeCounts(codes, k, dtype))
  const average = toward(oldAverage, codeTotals(x, codes, k))
  const all = sum(size, { accumulate: dtype })
  const smoothed = mul(div(add(size, eps), add(all, k * eps)), all)
  return { codebook: div(average, expandDims(smoothed, 1)), size, average }
}

function revive(
  x: Tensor,
  dead: Tensor<'bool'>,
  rows: Tensor<'int32'>,
  { codebook, size, average }: EmaCodebookState,
  { deadThreshold, dtype }: How,
): EmaCodebookState {
  // The j-th dead code takes the j-th row.
  const turn = maximum(sub(cumsum(cast(dead, 'int32')), 1), 0)
  const fresh = take(x, take(rows, turn), { axis: 0 })
  const all = expandDims(dead, 1)
  const threshold = full([], deadThreshold, { dtype })
  return {
    codebook: where(all, fresh, codebook),
    size: where(dead, threshold, size),
    average: where(all, mul(fresh, threshold), average),
  }
}

function replacementRows({ replacements, key }: EmaUpdateOptions, n: number, k: number): Tensor<'int32'> {
  if (replacements !== undefined) {
    if (replacements.dtype !== 'int32') {
      throw new TypeError(`emaCodebook.update: replacements are not int32 [${replacements.dtype}]`)
    }
    if (replacements.rank !== 1 || replacements.size < k) {
      throw new RangeError(
        `emaCodebook.update: replacements are no list of ${k} rows [${replacements.shape.join(', ')}]`,
      )
    }
    return replacements
  }
  if (key === undefined) {
    throw new RangeError('emaCodebook.update: a threshold for dead codes needs a key or replacements [none]')
  }
  if (n === 0) throw new RangeError('emaCodebook.update: no rows to replace dead codes by [0]')
  const drawn = choice(key, n, k, { replace: n < k })
  return tensor(drawn, { dtype: 'int32' })
}
