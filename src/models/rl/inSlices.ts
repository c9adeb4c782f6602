import { checkFunction, checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import { checkTensor, concat, slice, type Tensor } from '../../tensors/tensor/index.js'

/** Options of `inSlices`. */
export interface InSlicesOptions {
  /** Rows at once, what one of several cores takes; the last slice has what is left. */
  readonly rows: number
}

const names: OptionTable<InSlicesOptions> = { rows: 'required' }

/**
 * A function of rows, slice by slice: with the memory of one slice, and the result of the whole. Sixteen thousand rows on eight
 * cores of 2,048 are eight slices.
 *
 * Shape     x [n, ...]; f gives [rows, ...] for each slice; together [n, ...].
 * Rounding  that of f: the bits of the whole wherever f judges every row by itself, as networks do that take no means over rows.
 * Throws    RangeError for x without rows, and where f gives other rows than it took; what f throws.
 * Cost      that of f for each slice, and one copy of the result.
 *
 * @example inSlices((x) => mul(x, 2), tensor([1, 2, 3]), { rows: 2 }).toNested() // [2,4,6]
 */
export function inSlices(f: (x: Tensor) => Tensor, x: Tensor, options: InSlicesOptions): Tensor {
  checkFunction('inSlices', 'f', f)
  checkTensor('inSlices', x)
  checkOptions('inSlices', options, names, { positional: 'rows' })
  checkInteger('inSlices', 'rows', options.rows, 1)
  const n = x.shape[0] ?? 0
  if (n === 0) throw new RangeError(`inSlices: x has no rows [${x.shape.join(', ')}]`)
  const parts: Tensor[] = []
  for (let from = 0; from < n; from += options.rows) {
    const to = Math.min(n, from + options.rows)
    const part = f(slice(x, [[from, to]]))
    checkTensor('inSlices: what f gave', part)
    if (part.shape[0] !== to - from) {
      throw new RangeError(
        `inSlices: f gave other rows than it took [${part.shape[0] ?? 0} for ${to - from}]`,
      )
    }
    parts.push(part)
  }
  return parts.length === 1 ? parts[0]! : concat(parts, { axis: 0 })
}
