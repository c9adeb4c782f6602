import type { Tensor } from '../../tensors/tensor/index.js'
import type { Program } from '../program/program.js'
import type { ReferenceRun } from '../replay/reference.js'
import type { WideArithmetic } from '../replay/wideArithmetic.js'

/** A recorded run with its reference, and what has been worked out about it so far. */
export interface ShadowRun<W> {
  readonly program: Program
  readonly arithmetic: WideArithmetic<W>
  readonly reference: ReferenceRun<W>
  /** The recorded value of an operand, widened. */
  readonly computed: (operand: number | Tensor) => W
  /** A step's unrounded result on the operands that it got. */
  readonly exact: (step: number) => W
  /** By step: 1 where an element depends on a decision that came out differently; absent where none does. */
  readonly tainted: ReadonlyMap<number, Uint8Array>
}
