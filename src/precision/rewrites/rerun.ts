import {
  broadcastTo,
  cast,
  dtypeFacts,
  type FloatDType,
  isFloat,
  reshape,
  type Tensor,
  tensor,
} from '../../tensors/tensor/index.js'
import { type Operand, type Program, recorded } from '../program/program.js'
import { evaluate, readsOf } from './expression.js'
import type { Form } from './form.js'

/** Runs a program again with some steps computed in another form; returns the value of an operand in this run. */
export function rerun(program: Program, forms: ReadonlyMap<number, Form>): (operand: Operand) => Tensor {
  const n = program.inputs.length
  const changed = new Map<number, Tensor>()
  const valueOf = (operand: Operand): Tensor =>
    (typeof operand === 'number' ? changed.get(operand) : undefined) ?? recorded(program, operand)
  for (const [i, step] of program.steps.entries()) {
    const form = forms.get(i)
    if (form) {
      changed.set(n + i, runForm(form, step.output, valueOf))
    } else if (step.operands.some((operand) => typeof operand === 'number' && changed.has(operand))) {
      changed.set(n + i, step.op.kernel(step.operands.map(valueOf), step.attributes))
    }
  }
  return valueOf
}

/** Runs a form in the widest dtype of what it reads and what it stands for; the result is like the latter. */
export function runForm({ to }: Form, like: Tensor, valueOf: (operand: Operand) => Tensor): Tensor {
  const inner = innerOf([like, ...readsOf(to).map(valueOf)])
  const result = evaluate(to, (operand) => {
    const x = valueOf(operand)
    return isFloat(x.dtype) && x.dtype !== inner ? cast(x, inner) : x
  })
  const value = typeof result === 'number' ? tensor(result, { dtype: inner }) : result
  const shaped = value.size === like.size ? reshape(value, like.shape) : broadcastTo(value, like.shape)
  return shaped.dtype === like.dtype ? shaped : cast(shaped, like.dtype)
}

/** The widest dtype of some values. */
export function innerOf(values: readonly Tensor[]): FloatDType {
  const dtypes = values.map(({ dtype }) => dtype).filter(isFloat)
  return dtypes.reduce((a, b) => (dtypeFacts(b).precision > dtypeFacts(a).precision ? b : a))
}
