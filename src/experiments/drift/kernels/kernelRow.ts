import type { ErrorBound } from '../../../numerics/index.js'
import type { FloatDType, Tensor } from '../../../tensors/tensor/index.js'

/** The kernels that are measured. */
export type KernelName = 'attention' | 'gemm' | 'rope' | 'norms' | 'fp8'

/** One form of a kernel at work on one input. Distances are from the exact result on the same operands. */
export interface KernelRow {
  readonly kernel: KernelName
  /** The form, such as 'splash' or 'high, truncated'. */
  readonly way: string
  readonly input: string
  /** Keys of an attention, k of a product, the last position of an embedding, a norm's row. */
  readonly length: number
  /** Columns of a block; null where the form has none. */
  readonly block: number | null
  /** Of the operands and of the result. */
  readonly dtype: FloatDType
  /** Norm of the errors by the norm of the exact result. */
  readonly normRel: number
  readonly maxAbs: number
  readonly rms: number
  /** Signed mean error by the root mean square of the errors: 0 for noise, 1 or -1 for errors of one size and sign. */
  readonly bias: number
  /** What theory allows as the largest error; null where nothing is known. */
  readonly bound: number | null
  /** maxAbs / bound. */
  readonly ofBound: number | null
}

/** A form of a kernel. */
export interface KernelWay {
  readonly name: string
  readonly block?: number
  /** The result of the form. */
  readonly compute: () => Tensor
  /** What theory allows as its error, where it says something. */
  readonly bound?: () => ErrorBound
}

/** All forms of a kernel on one input, with the exact result. */
export interface KernelTrial {
  readonly reference: Float64Array
  readonly ways: readonly KernelWay[]
}

/** What a trial is made of. */
export interface KernelSetup {
  readonly input: KernelInput
  readonly length: number
  readonly dtype: FloatDType
  readonly blocks: readonly number[]
}

/** Numbers to compute with, the same for the same place. */
export interface KernelInput {
  readonly name: string
  readonly about: string
  /** Queries, keys, values of heads of 64, or a stream of features: `rows` rows of `columns` numbers. */
  readonly numbers: (what: 'q' | 'k' | 'v' | 'x' | 'w', rows: number, columns: number) => Float64Array
}

/** A kernel: its description and its trials. */
export interface KernelCase {
  readonly name: KernelName
  readonly title: string
  /** What is computed, on what, against what. */
  readonly about: string
  readonly lengthName: string
  /** Its one dtype, whatever the others are measured in. */
  readonly only?: FloatDType
  /** Its forms and the exact result, on some input. */
  readonly trial: (setup: KernelSetup) => KernelTrial
}
