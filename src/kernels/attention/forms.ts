import { bfloat16Form } from './bfloat16Form.js'
import { flash2, flash2Base2 } from './flash2.js'
import type { FlashForm } from './form.js'
import { pallas } from './pallas.js'
import type { FlashPlan } from './plan.js'
import { splash } from './splash.js'

/** The places of rounding that a plan names. */
export function formOf(plan: FlashPlan): FlashForm {
  switch (plan.form) {
    case 'flash2':
      return plan.exponent === 'e' ? flash2(plan) : flash2Base2(plan)
    case 'splash':
      return splash(plan)
    case 'pallas':
      return pallas(plan)
    case 'bfloat16':
      return bfloat16Form(plan)
    default:
      throw new RangeError(`flashAttention: unknown form [${String(plan.form satisfies never)}]`)
  }
}
