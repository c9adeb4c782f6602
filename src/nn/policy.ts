import { checkOptions, noOptions, type OptionTable } from '../options/index.js'
import { cast, checkFloatDType, type FloatDType, matmul, type Tensor } from '../tensor/index.js'

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

/** A policy with every dtype said. */
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
  const { accumulate = compute === 'float64' ? 'float64' : 'float32' } = policy
  const full = { params, compute, output, accumulate }
  for (const [what, dtype] of Object.entries(full)) checkFloatDType(`${op}: policy`, what, dtype)
  return full
}

/**
 * The matrix product under a policy: operands rounded to `compute`, summed one after the other in `accumulate`, rounded once
 * to `output`.
 */
export function product(a: Tensor, b: Tensor, { compute, output, accumulate }: FullPolicy): Tensor {
  const [x, y] = [cast(a, compute), cast(b, compute)]
  if (output === compute) return matmul(x, y, { accumulate })
  return cast(matmul(cast(x, accumulate), cast(y, accumulate), { accumulate }), output)
}
