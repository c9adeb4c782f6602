import { checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import {
  cast,
  checkFloatDType,
  type FloatDType,
  matmul,
  type Tensor,
  wideDType,
} from '../../tensors/tensor/index.js'

/** Where a layer rounds: the dtypes of what it keeps, reads, adds up and gives. */
export interface Policy {
  /** Of the parameters that `init` makes, rounded once to it. Default 'float32'. */
  readonly params?: FloatDType
  /** Of the operands: parameters and input are rounded to it first. Default: that of the parameters. */
  readonly compute?: FloatDType
  /** Of the result. Default: `compute`. */
  readonly output?: FloatDType
  /** Of the sums inside products, norms and averages. Default 'float32', 'float64' where `compute` is. */
  readonly accumulate?: FloatDType
}

/** What every layer with a policy takes. */
export interface PolicyOption {
  readonly policy?: Policy
}

/** A policy with all dtypes filled in. */
export type FullPolicy = Required<Policy>

const policyNames: OptionTable<Policy> = {
  params: 'optional',
  compute: 'optional',
  output: 'optional',
  accumulate: 'optional',
}

/** The policy with its defaults, checked. */
export function fullPolicy(op: string, policy: Policy = noOptions): FullPolicy {
  checkOptions(`${op}: policy`, policy, policyNames)
  const { params = 'float32', compute = params, output = compute } = policy
  const { accumulate = wideDType(compute) } = policy
  const full = { params, compute, output, accumulate }
  for (const [what, dtype] of Object.entries(full)) checkFloatDType(`${op}: policy`, what, dtype)
  return full
}

/**
 * A function of float tensors under a policy: operands rounded to `compute`, and its result given in `output`. Where that is not
 * `compute`, the function gets them in `accumulate`, so that its result is rounded once.
 */
export function inPolicy(
  { compute, output, accumulate }: FullPolicy,
  operands: readonly Tensor[],
  f: (...operands: Tensor<FloatDType>[]) => Tensor,
): Tensor {
  const read = operands.map((x) => cast(x, compute))
  return output === compute ? f(...read) : cast(f(...read.map((x) => cast(x, accumulate))), output)
}

/** The matrix product under a policy, summed one after the other in `accumulate`. */
export function product(a: Tensor, b: Tensor, policy: FullPolicy): Tensor {
  const { accumulate } = policy
  return inPolicy(policy, [a, b], (x, y) => matmul(x!, y!, { accumulate }))
}
