/** How an operand is cut into parts: as XLA does it, by dropping bits, or with every part rounded to nearest. */
export type Split = 'truncate' | 'nearest'

/** One pass of a product: which part of a meets which part of b; part 0 is the largest. */
export type Pass = readonly [a: number, b: number]

/** What a precision does with its operands. */
export interface PrecisionFacts {
  /** How many parts each operand is cut into; 0 leaves it whole. */
  readonly parts: 0 | 1 | 2 | 3
  /** Significant bits of a part. */
  readonly bits: 8 | 11 | 24
  /** The passes in the order in which their sums are added, small ones first. */
  readonly passes: readonly Pass[]
  /** What a running sum is rounded to at every addition; 'h100': the sums of that unit. Default 'float32'. */
  readonly sums?: 'float16' | 'bfloat16' | 'float32' | 'float64' | 'h100'
  /** Operands are rounded to it instead of being cut. */
  readonly operands?: 'float16'
  /** Takes operands of 8 bits alone. */
  readonly narrow?: true
}

const one: readonly Pass[] = [[0, 0]]

const two: readonly Pass[] = [
  [1, 0],
  [0, 1],
  [0, 0],
]
const six: readonly Pass[] = [
  [1, 1],
  [0, 2],
  [2, 0],
  [0, 1],
  [1, 0],
  [0, 0],
]
const nine: readonly Pass[] = [
  [2, 2],
  [2, 1],
  [1, 2],
  [1, 1],
  [0, 2],
  [2, 0],
  [0, 1],
  [1, 0],
  [0, 0],
]

const x1: PrecisionFacts = { parts: 1, bits: 8, passes: one }
const x3: PrecisionFacts = { parts: 2, bits: 8, passes: two }
const x6: PrecisionFacts = { parts: 3, bits: 8, passes: six }
const whole: PrecisionFacts = { parts: 0, bits: 24, passes: one }
const half: PrecisionFacts = { parts: 1, bits: 11, passes: one, operands: 'float16' }

/** How a matrix product treats its operands, by the names that JAX has for it. */
export type GemmPrecision =
  | 'default'
  | 'high'
  | 'highest'
  | 'bfloat16'
  | 'fastest'
  | 'tensorfloat32'
  | 'bfloat16_3x'
  | 'float32'
  | 'DEFAULT'
  | 'BF16_BF16_F32'
  | 'BF16_BF16_F32_X3'
  | 'BF16_BF16_F32_X6'
  | 'BF16_BF16_F32_X9'
  | 'BF16_BF16_BF16'
  | 'TF32_TF32_F32'
  | 'TF32_TF32_F32_X3'
  | 'F16_F16_F32'
  | 'F16_F16_F16'
  | 'F32_F32_F32'
  | 'F64_F64_F64'
  | 'ANY_F8_ANY_F8_F32'
  | 'ANY_F8_ANY_F8_ANY'
  | 'ANY_F8_ANY_F8_F32_FAST_ACCUM'
  | 'ANY_F8_ANY_F8_ANY_FAST_ACCUM'

/**
 * The precisions as data: the names of `jax.default_matmul_precision`, then those of jax 0.10's `DotAlgorithmPreset`. Orders of
 * passes: openxla/xla, dot_algorithm_rewriter; the TPU's own is not public.
 */
export const precisionFacts: Readonly<Record<GemmPrecision, PrecisionFacts>> = {
  default: x1,
  high: x3,
  highest: x6,
  bfloat16: x1,
  fastest: x1,
  tensorfloat32: x3,
  bfloat16_3x: x3,
  float32: x6,
  DEFAULT: x1,
  BF16_BF16_F32: x1,
  BF16_BF16_F32_X3: x3,
  BF16_BF16_F32_X6: x6,
  BF16_BF16_F32_X9: { ...x6, passes: nine },
  BF16_BF16_BF16: { ...x1, sums: 'bfloat16' },
  TF32_TF32_F32: { parts: 1, bits: 11, passes: one },
  TF32_TF32_F32_X3: { parts: 2, bits: 11, passes: two },
  F16_F16_F32: half,
  F16_F16_F16: { ...half, sums: 'float16' },
  F32_F32_F32: whole,
  F64_F64_F64: { ...whole, sums: 'float64' },
  ANY_F8_ANY_F8_F32: { ...whole, narrow: true },
  ANY_F8_ANY_F8_ANY: { ...whole, narrow: true },
  ANY_F8_ANY_F8_F32_FAST_ACCUM: { ...whole, narrow: true, sums: 'h100' },
  ANY_F8_ANY_F8_ANY_FAST_ACCUM: { ...whole, narrow: true, sums: 'h100' },
}

export const gemmPrecisions: readonly GemmPrecision[] = Object.keys(precisionFacts) as GemmPrecision[]
