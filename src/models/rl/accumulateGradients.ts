import {
  checkInteger,
  checkIterable,
  checkName,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../base/options/index.js'
import {
  add,
  cast,
  checkFloatDType,
  div,
  type FloatDType,
  mul,
  type Tensor,
} from '../../tensors/tensor/index.js'
import { mapTree, type Tree, type Treelike } from '../../tensors/tree/index.js'

/** The gradient of a micro-batch, and of how many rows it is. */
export interface GradientPart<P extends Treelike = Treelike> {
  /** Of the mean over the rows; of their sum for the rule 'sum'. */
  readonly gradients: P
  readonly rows: number
}

/** Options of `accumulateGradients`. */
export interface AccumulateGradientsOptions {
  /**
   * 'weighted': each mean times its share of the rows, added up. 'sum': sums added up, divided once by all rows. 'mean-of-means':
   * means added up and divided by how many there are, another quantity as soon as they are not of equally many rows.
   * Default 'weighted'.
   */
  readonly rule?: 'weighted' | 'sum' | 'mean-of-means'
  /** What parts are added up and divided in. Default 'float32'. */
  readonly dtype?: FloatDType
  /** What a part is rounded to before it is added. Default: `dtype`. */
  readonly partDtype?: FloatDType
  /** All rows together. Needed for 'weighted' where the parts are no array. */
  readonly rows?: number
}

const accumulateNames: OptionTable<AccumulateGradientsOptions> = {
  rule: 'optional',
  dtype: 'optional',
  partDtype: 'optional',
  rows: 'optional',
}

/**
 * The gradient of a whole batch of those of its micro-batches, which need not be of one size.
 *
 * Dtype     `dtype`.
 * Rounding  a mean times the rounded share b / n, in its own dtype; then to `partDtype` and to `dtype`; every addition; for
 *           'sum' and 'mean-of-means' a division by the exact count.
 * Special   the bits are those of the whole batch only where its sum has the same order.
 * Error     a part less than half an ulp of the total is lost: in bfloat16 255 parts of 2^-9 after one of 1.
 * Throws    RangeError for no parts, rows that do not add up to the number said, and unknown rules.
 * Cost      one tree more than the parts; parts are taken one by one, so a generator holds one at a time.
 *
 * @example const parts = [{ gradients: [tensor([1])], rows: 3 }, { gradients: [tensor([5])], rows: 1 }]
 * accumulateGradients(parts)[0].item() // 2
 */
export function accumulateGradients<P extends Treelike>(
  parts: Iterable<GradientPart<P>>,
  options: AccumulateGradientsOptions = {},
): P {
  checkIterable('accumulateGradients', 'parts', parts)
  checkOptions('accumulateGradients', options, accumulateNames, { positional: 'rule' })
  const { rule = 'weighted', dtype = 'float32', partDtype = dtype } = options
  checkName('accumulateGradients', 'rule', rule, ['weighted', 'sum', 'mean-of-means'])
  checkFloatDType('accumulateGradients', 'dtype', dtype)
  checkFloatDType('accumulateGradients', 'partDtype', partDtype)
  const expected = options.rows ?? (Array.isArray(parts) ? rowsOf(parts) : undefined)
  if (expected === undefined && rule === 'weighted') {
    throw new RangeError('accumulateGradients: weights need the rows of all parts, say rows [undefined]')
  }
  let total: Tree | undefined
  let [rows, count] = [0, 0]
  for (const part of parts) {
    checkPart(part)
    const share = part.rows / (expected ?? 1)
    const given = mapTree((g): Tensor => {
      const weighted = rule === 'weighted' ? mul(g, share) : g
      return cast(cast(weighted, partDtype), dtype)
    }, part.gradients as Tree)
    total = total === undefined ? zeroAnd(given) : added(total, given)
    rows += part.rows
    count++
  }
  if (total === undefined) throw new RangeError('accumulateGradients: no parts [0]')
  if (expected !== undefined && rows !== expected) {
    throw new RangeError(
      `accumulateGradients: the rows of the parts do not add up to the option rows [${rows} of ${expected}]`,
    )
  }
  if (rule === 'weighted') return total as Treelike as P
  const by = rule === 'sum' ? rows : count
  return mapTree((g): Tensor => divided(g, by, dtype), total) as Treelike as P
}

const added = (total: Tree, part: Tree): Tree => mapTree((a, b): Tensor => add(a, b), total, part)

/** A first part as it is after the addition to zero: -0 is +0. */
const zeroAnd = (tree: Tree): Tree => mapTree((g): Tensor => add(g, 0), tree)

/** Over an exact count, which the dtype itself may not have. */
const divided = (x: Tensor, count: number, dtype: FloatDType): Tensor =>
  dtype === 'float64'
    ? div(x, count)
    : cast(div(cast(x, dtype === 'float32' ? 'float64' : 'float32'), count), dtype)

const rowsOf = (parts: readonly GradientPart[]): number =>
  parts.reduce((sum, part) => {
    checkPart(part)
    return sum + part.rows
  }, 0)

function checkPart(part: GradientPart): void {
  checkRecord('accumulateGradients', 'a part', part, ['gradients', 'rows'])
  checkInteger('accumulateGradients', 'the rows of a part', part.rows, 1)
}
