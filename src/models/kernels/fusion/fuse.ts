import {
  checkFunction,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import {
  cast,
  checkFloatDType,
  type FloatDType,
  holds,
  isFloat,
  Tensor,
} from '../../../tensors/tensor/index.js'
import { mapTree, type Tree } from '../../../tensors/tree/index.js'

/** Where a fused function rounds. */
export interface FuseOptions {
  /**
   * 'end': arguments are widened, everything between is computed in `internal`, the results are rounded once; 'every': f as it
   * is, each operation rounds to its dtype. Default 'end'.
   */
  readonly rounds?: 'end' | 'every'
  /** The dtype of everything between. Default 'float32'. */
  readonly internal?: FloatDType
  /** The dtype of the results. Default: that of the first argument that was widened. */
  readonly dtype?: FloatDType
}

const names: OptionTable<FuseOptions> = { rounds: 'optional', internal: 'optional', dtype: 'optional' }

/**
 * A function of tensors as one kernel: bias, activation, residual and norm behind a product, say, whose intermediate results
 * never leave the registers and so are not rounded. Whether a compiler does this depends on backend, version and flag
 * (`xla_allow_excess_precision`); here it is said. An epilogue that rounds its input is two fused functions, one after the other.
 *
 * Shape     that of f.
 * Dtype     float arguments narrower than `internal` are widened, exactly; others pass. Results that have the internal dtype
 *           are rounded to `dtype`; where nothing was widened and none is given they stay.
 * Rounding  'end': each operation of f in `internal`, the results once. 'every': as f does.
 * Gradient  that of f, computed where f was: the cotangents are widened and rounded once at the end as well.
 * Source    ../docs/kernels.md, "Fused and unfused"
 *
 * @example fuse((x, y) => sub(add(x, y), x))(tensor(256, { dtype: 'bfloat16' }), tensor(1, { dtype: 'bfloat16' })).item() // 1
 * @example fuse((x, y) => sub(add(x, y), x), { rounds: 'every' })(tensor(256, { dtype: 'bfloat16' }), tensor(1, { dtype: 'bfloat16' })).item() // 0
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
export function fuse<A extends readonly any[], R extends Tree>(
  f: (...args: A) => R,
  options: FuseOptions = noOptions,
): (...args: A) => R {
  checkFunction('fuse', 'f', f)
  checkOptions('fuse', options, names, { positional: 'rounds' })
  const { rounds = 'end', internal = 'float32', dtype } = options
  checkName('fuse', 'rounds', rounds, ['end', 'every'])
  checkFloatDType('fuse', 'internal', internal)
  if (dtype !== undefined) checkFloatDType('fuse', 'dtype', dtype)
  if (rounds === 'every') return f
  return (...args) => {
    let narrow: FloatDType | undefined = dtype
    const widened = (x: Tensor): Tensor => {
      if (!isFloat(x.dtype) || x.dtype === internal || !holds(internal, x.dtype)) return x
      narrow ??= x.dtype
      return cast(x, internal)
    }
    const inside = args.map((arg: unknown) => (isTree(arg) ? mapTree(widened, arg) : arg))
    const result = f(...(inside as unknown as A))
    return mapTree(
      (x: Tensor) => (x.dtype === internal && narrow !== undefined ? cast(x, narrow) : x),
      result,
    ) as R
  }
}

/** Whether an argument is a tensor, or holds tensors in plain records and arrays. */
function isTree(value: unknown): value is Tree {
  if (value instanceof Tensor) return true
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every(isTree) && Object.values(value).length > 0
}
