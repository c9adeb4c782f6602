import type { PeakDType } from '../hardware/index.js'

/** In how many parts each side of a product is split over devices. */
export interface ProductSplit {
  readonly batch: number
  readonly m: number
  readonly k: number
  readonly n: number
}

/** A product of matrices, `batch` times [m, k] x [k, n]; a convolution as the product that it is. */
export interface ProgramProduct {
  readonly batch: number
  readonly m: number
  readonly k: number
  readonly n: number
  /** What the matrix units multiply. */
  readonly dtype: PeakDType
  /** Passes through the matrix units: 1, or of float32 operands 3 for precision HIGH and 6 for HIGHEST. */
  readonly passes: number
  /** How a mesh splits it; null where the program does not say. */
  readonly split: ProductSplit | null
}

/** One operation of a program, as its text has it. Sizes, FLOPs and bytes are those of one run on all devices together. */
export interface ProgramOperation {
  /** `dot_general`, `add`. */
  readonly kind: string
  /** The line of source, `train.py:12`; null where the text does not name it. */
  readonly site: string | null
  /** How often it runs. */
  readonly runs: number
  readonly flops: number
  /** Operands read and results written. */
  readonly bytes: number
  /** Of a product of matrices. */
  readonly product?: ProgramProduct
}
