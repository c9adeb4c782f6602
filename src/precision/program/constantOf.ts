import { type Constant, constantOp } from '../../tensor/index.js'
import type { Step } from './program.js'

/** The number that a step rounded to its dtype, where it is a constant and nothing else; undefined for other steps. */
export function constantOf({ op, attributes }: Pick<Step, 'op' | 'attributes'>): number | undefined {
  return op === constantOp ? (attributes as Constant).value : undefined
}

/** A constant in words: `0.999, which is 1 in bfloat16`. */
export function constantText({ attributes, output }: Pick<Step, 'attributes' | 'output'>): string {
  return `${(attributes as Constant).value}, which is ${output.item()} in ${output.dtype}`
}
