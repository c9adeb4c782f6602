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
  /**
   * Where operations round. 'each': every one, to its own dtype. 'xla-jit': as jax.jit on XLA's CPU backend with its default flags,
   * where a cast to float32 takes what a bfloat16 operation before it computed before that is rounded, and divisions by what is
   * repeated or constant are products with a rounded reciprocal; `reduce` is then 'xla-cpu' by default. 'fused': bfloat16 and
   * float16 stay float32 along a chain of operations on elements and round where a value leaves it, as compilers of accelerators
   * have it. Default 'each'.
   */
  readonly rounding?: 'each' | 'xla-jit' | 'fused'
  /**
   * Integers divided by zero, and the most negative one by -1: 'xla' gives -1 and itself, remainders the dividend and 0, as jax.jit does;
   * 'zero' gives 0 throughout, as the specification's reference interpreter. Default 'xla'.
   */
  readonly divideByZero?: 'xla' | 'zero'
}

/** The names of the options, for `checkOptions`. */
export const semanticsNames: OptionTable<SemanticsOptions> = {
  dot: 'optional',
  reduce: 'optional',
  rounding: 'optional',
  divideByZero: 'optional',
}

/** The options with their defaults. */
export function semanticsOf(options: SemanticsOptions): Required<SemanticsOptions> {
  const { dot = 'float32', rounding = 'each', divideByZero = 'xla' } = options
  const { reduce = rounding === 'xla-jit' ? 'xla-cpu' : 'sequential' } = options
  checkName('programOf', 'dot', dot, ['float32', 'operands'])
  checkName('programOf', 'reduce', reduce, ['sequential', 'xla-cpu'])
  checkName('programOf', 'rounding', rounding, ['each', 'xla-jit', 'fused'])
  checkName('programOf', 'divideByZero', divideByZero, ['xla', 'zero'])
  return { dot, reduce, rounding, divideByZero }
}
