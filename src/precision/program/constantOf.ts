import { type Constant, constantOp, sizeOf, Tensor } from '../../tensors/tensor/index.js'
import type { Step } from './program.js'

type Recorded = Pick<Step, 'op' | 'attributes'>

/** Whether a step is numbers that were rounded to its dtype, and nothing else. */
export function isConstant({ op }: Pick<Step, 'op'>): boolean {
  return op === constantOp
}

/** The number that a step rounded to its dtype, where it is a constant of one number; undefined for other steps. */
export function constantOf({ op, attributes }: Recorded): number | undefined {
  if (op !== constantOp) return undefined
  const { value } = attributes as Constant
  return typeof value === 'number' ? value : undefined
}

/** A constant as it was before it was rounded, in the shape of the step; undefined for other steps. */
export function unroundedConstant({ op, attributes }: Recorded): Tensor<'float64'> | undefined {
  if (op !== constantOp) return undefined
  const { value, shape } = attributes as Constant
  const data = typeof value === 'number' ? new Float64Array(sizeOf(shape)).fill(value) : value
  return new Tensor('float64', shape, data)
}

/** A constant in words: `0.999, which is 1 in bfloat16 (0.1 % off)`; of many numbers, the one that changed most. */
export function constantText(step: Pick<Step, 'op' | 'attributes' | 'output'>): string {
  const given = unroundedConstant(step)!.data as Float64Array
  const rounded = step.output.toNumbers()
  const change = (i: number): number => Math.abs((rounded[i]! - given[i]!) / given[i]!)
  let worst = 0
  for (let i = 1; i < given.length; i++) if (change(i) > change(worst)) worst = i
  const changed = given.reduce((count, x, i) => (Object.is(x, rounded[i]) ? count : count + 1), 0)
  const uniform = constantOf(step) !== undefined
  const whose = uniform || given.length === 1 ? '' : `${changed} of ${given.length} numbers, the worst `
  return `${whose}${given[worst]}, which is ${rounded[worst]} in ${step.output.dtype} (${percent(change(worst))} off)`
}

/** A share in percent, two digits of it. */
function percent(share: number): string {
  return Number.isFinite(share) ? `${Number((100 * share).toPrecision(2))} %` : 'all'
}
