import { checkName, type OptionTable } from '../../../base/options/index.js'

/** What the specification leaves to the implementation. */
export interface SemanticsOptions {
  /**
   * What a product of matrices adds in where its `algorithm` does not say: 'float32' (float64 of float64), as matrix units do, or
   * 'operands', the dtype of its result, as the specification's reference interpreter. Default 'float32'.
   */
  readonly dot?: 'float32' | 'operands'
  /**
   * The order of sums: 'sequential', by index from the initial value on, or 'xla-cpu', the windows of 32 that its rewriter makes (of
   * running sums rows of 16). Where XLA turns a float32 sum of many lanes into vectors besides, its last bits are others. Default
   * 'sequential'.
   */
  readonly reduce?: 'sequential' | 'xla-cpu'
  /** Where operations round: 'each' to its own dtype. Default 'each'. */
  readonly rounding?: 'each'
}

/** The names of the options, for `checkOptions`. */
export const semanticsNames: OptionTable<SemanticsOptions> = {
  dot: 'optional',
  reduce: 'optional',
  rounding: 'optional',
}

/** The options with their defaults. */
export function semanticsOf(options: SemanticsOptions): Required<SemanticsOptions> {
  const { dot = 'float32', reduce = 'sequential', rounding = 'each' } = options
  checkName('programOf', 'dot', dot, ['float32', 'operands'])
  checkName('programOf', 'reduce', reduce, ['sequential', 'xla-cpu'])
  checkName('programOf', 'rounding', rounding, ['each'])
  return { dot, reduce, rounding }
}
