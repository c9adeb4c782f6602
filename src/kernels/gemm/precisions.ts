/** How a matrix product treats float32 operands: the names of `jax.default_matmul_precision`, in camelCase where they are ours. */
export type GemmPrecision =
  | 'default'
  | 'high'
  | 'highest'
  | 'bf16_x9'
  | 'tf32'
  | 'tf32_x3'
  /** Products rounded to float32 one by one, as a CPU does it. */
  | 'float32'

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
}

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

/** The precisions as data. Orders of passes: openxla/xla, dot_algorithm_rewriter; the TPU's own is not public. */
export const precisionFacts: Readonly<Record<GemmPrecision, PrecisionFacts>> = {
  default: { parts: 1, bits: 8, passes: [[0, 0]] },
  high: { parts: 2, bits: 8, passes: two },
  highest: { parts: 3, bits: 8, passes: six },
  bf16_x9: { parts: 3, bits: 8, passes: nine },
  tf32: { parts: 1, bits: 11, passes: [[0, 0]] },
  tf32_x3: { parts: 2, bits: 11, passes: two },
  float32: { parts: 0, bits: 24, passes: [[0, 0]] },
}

/** The names of the precisions, cheapest first among those of bfloat16 parts. */
export const gemmPrecisions: readonly GemmPrecision[] = [
  'default',
  'high',
  'highest',
  'bf16_x9',
  'tf32',
  'tf32_x3',
  'float32',
]
