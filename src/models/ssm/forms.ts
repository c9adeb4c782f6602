import type { Tensor } from '../../tensors/tensor/index.js'
import { chunked } from './chunked.js'
import { clamped, factorized } from './factorized.js'
import type { SsmInputs, SsmOptions } from './inputs.js'
import { pairwise, pairwiseMaskAfter } from './pairwise.js'
import { recurrence } from './recurrence.js'
import { segsum } from './segsum.js'

/** The names of the forms. */
export type Form =
  | 'recurrence'
  | 'factorized'
  | 'clamped'
  | 'pairwise'
  | 'pairwise-mask-after'
  | 'segsum'
  | 'chunked'

/** The outputs [..., L, P] of a layer. */
export type SsmForm = (inputs: SsmInputs, options?: SsmOptions) => Tensor

/** Every form by name. All are equal in exact arithmetic, but for `clamped` where it cuts. */
export const forms: Readonly<Record<Form, SsmForm>> = {
  recurrence,
  factorized,
  clamped,
  pairwise,
  'pairwise-mask-after': pairwiseMaskAfter,
  segsum,
  chunked,
}
