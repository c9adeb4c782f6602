import { round as roundBfloat16 } from '../../../bf16/index.js'
import { bfloat16Form } from './bfloat16Form.js'
import { flash2, flash2Base2 } from './flash2.js'
import type { FlashForm } from './form.js'
import { pallas } from './pallas.js'
import type { FlashPlan } from './plan.js'
import { splash } from './splash.js'

/** The places of rounding that a plan names. */
export function formOf(plan: FlashPlan): FlashForm {
  const form = namedForm(plan)
  if (!plan.extras.includes('bias')) return form
  const round = plan.form === 'bfloat16' ? roundBfloat16 : Math.fround
  return {
    ...form,
    // Masked logits stay what they are: a bias is small beside them.
    logits(tile) {
      form.logits(tile)
      const { s, bias } = tile
      if (bias) for (let e = 0; e < s.length; e++) s[e] = round(s[e]! + round(bias[e]!))
    },
  }
}

function namedForm(plan: FlashPlan): FlashForm {
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
