import type { OptionTable } from '../../../base/options/index.js'
import type { FloatDType, Tensor } from '../../../tensors/tensor/index.js'
import type { Mask } from '../masks/mask.js'
import type { Unit } from '../units/unit.js'
import type { UnitName } from '../units/units.js'
import type { Backward, Delta, FlashFormName } from './plan.js'

/** Which pairs attend, and how large their logits are. */
export interface AttentionOptions {
  /** A mask as data, or a bool tensor [tq, tk], or [..., heads or 1, tq, tk] of every example. Default: every pair. */
  readonly mask?: Mask | Tensor<'bool'>
  /** Ids of queries and of keys, [t] or [..., t] of every example: pairs of unlike ones do not attend. */
  readonly segments?: { readonly q: Ids; readonly kv: Ids }
  /** How many queries and keys there are: a number, or one for every example. The others do not attend. */
  readonly lengths?: AttentionLengths
  /** Added to the logits, after scale and cap: floats that broadcast to [..., heads, tq, tk]. ALiBi and T5 are such. */
  readonly bias?: Tensor
  /** One more logit for every head, [heads], whose value is 0: rows may attend to nothing. */
  readonly sinks?: Tensor
  /** What logits are multiplied by. Default 1 / sqrt(d). */
  readonly scale?: number
  /** Logits become tanh(logit / softCap) softCap. Default: they stay. */
  readonly softCap?: number
}

/** How many of the queries and keys count. */
export interface AttentionLengths {
  readonly q?: Ids | number
  readonly kv?: Ids | number
}

/** Whole numbers, one for each position. */
export type Ids = Tensor<'int32'> | Tensor<'uint32'> | readonly number[] | Int32Array | Uint32Array

/** How flashAttention computes. */
export interface FlashOptions extends AttentionOptions {
  /**
   * Where it rounds: 'flash2' (FlashAttention-2), 'splash' and 'pallas' (JAX's TPU kernels), 'bfloat16' (after every step).
   * Default 'flash2'.
   */
  readonly form?: FlashFormName
  /** Rows of a block. Default 128. */
  readonly blockQ?: number
  /** Columns of a block. Default 128. */
  readonly blockK?: number
  /** What probabilities are rounded to for their product with values. Default: the dtype of v; in form splash float32. */
  readonly probsDtype?: FloatDType
  /** 'e': exp(s - m). '2': exp2(s c - m c) by a fused multiply-add, '2-unfused' by a product and a difference. Default 'e'. */
  readonly exponent?: 'e' | '2' | '2-unfused'
  /**
   * What a row's largest logit in a block is multiplied by where several equal it and it is positive, a negative one becoming
   * 0, so that no two probabilities are 1: true is 7. Default: it stays.
   */
  readonly ties?: number | true
  /** What row sums are rounded to at every addition, in form 'bfloat16'. Default 'float32'. */
  readonly accumulate?: 'float32' | 'bfloat16'
  /** What the gradient takes rowsum(dO O) of: `attentionGrad` says more. Default 'out'. */
  readonly delta?: Delta
  /**
   * Where the gradient rounds: 'common', one pass for all forms, or that of a form's own kernel, 'flash2', 'pallas', 'splash' or
   * 'splash-fused': `attentionGrad` says more. Default 'common'.
   */
  readonly backward?: Backward
  /**
   * The matrix unit of a GPU that forms the products, by its name in `units` or of `defineUnit`; of form 'flash2'. Default: exact products,
   * float32 sums.
   */
  readonly unit?: UnitName | Unit
  /** The unit reads float32 operands as tf32; it takes none without it. */
  readonly input?: 'tf32'
}

export const attentionNames: OptionTable<AttentionOptions> = {
  mask: 'optional',
  segments: 'optional',
  lengths: 'optional',
  bias: 'optional',
  sinks: 'optional',
  scale: 'optional',
  softCap: 'optional',
}

export const flashNames: OptionTable<FlashOptions> = {
  ...attentionNames,
  form: 'optional',
  blockQ: 'optional',
  blockK: 'optional',
  probsDtype: 'optional',
  exponent: 'optional',
  ties: 'optional',
  accumulate: 'optional',
  delta: 'optional',
  backward: 'optional',
  ...{ unit: 'optional', input: 'optional' },
}
