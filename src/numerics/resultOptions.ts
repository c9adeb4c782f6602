import type { OptionHints, OptionTable } from '../base/options/index.js'
import type { DType } from '../tensors/tensor/index.js'

/** The dtype of a result that is computed in a wider one. */
export interface ResultOptions<R extends DType = DType> {
  /** Default: that of the operands. */
  readonly dtype?: R
}

export const resultNames: OptionTable<ResultOptions> = { dtype: 'optional' }

export const dtypeFirst: OptionHints = { positional: 'dtype' }
