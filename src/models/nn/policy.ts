import { checkOptions, noOptions, type OptionTable, shown } from '../../base/options/index.js'
import { type AnyKey, foldIn } from '../../tensors/random/index.js'
import {
  cast,
  checkFloatDType,
  type FloatDType,
  holds,
  matmul,
  slice,
  stack,
  type Tensor,
  wideDType,
  zeros,
} from '../../tensors/tensor/index.js'
import {
  gemm,
  type MatmulRecipe,
  matmulRecipe,
  quantizedMatmul,
  type RecipeName,
  type Unit,
  type UnitName,
} from '../kernels/index.js'

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
  /**
   * The matrix unit of a GPU that forms the products of linear, convolution and attention layers and of experts, as `kernels.gemm`'s; it takes
   * operands in `compute`, and `accumulate` is that of the rest. Default: none.
   */
  readonly unit?: UnitName | Unit
  /** The unit reads operands in float32 as tf32. */
  readonly input?: 'tf32'
  /** Every so many products the unit's sum is added to a float32 total. Default: one chain. */
  readonly promote?: number
  /**
   * How products quantise their operands, forward and back: a name such as 'nvfp4', or what `kernels.quantizedMatmul` takes. Sums are float32
   * then. Rounding at random in a gradient draws from the key of `apply`. Default: products of `compute` as they are.
   */
  readonly recipe?: RecipeName | MatmulRecipe
}

/** What every layer with a policy takes. */
export interface PolicyOption {
  readonly policy?: Policy
}

type Dtypes = 'params' | 'compute' | 'output' | 'accumulate'

/** A policy with all dtypes filled in. */
export type FullPolicy = Required<Pick<Policy, Dtypes>> &
  Pick<Policy, 'unit' | 'input' | 'promote' | 'recipe'>

const policyNames: OptionTable<Policy> = {
  params: 'optional',
  compute: 'optional',
  output: 'optional',
  accumulate: 'optional',
  ...{ unit: 'optional', input: 'optional', promote: 'optional' },
  recipe: 'optional',
}

/** The policy with its defaults, checked. */
export function fullPolicy(op: string, policy: Policy = noOptions): FullPolicy {
  checkOptions(`${op}: policy`, policy, policyNames)
  const { params = 'float32', compute = params, output = compute } = policy
  const { accumulate = wideDType(compute) } = policy
  const full = { params, compute, output, accumulate }
  for (const [what, dtype] of Object.entries(full)) checkFloatDType(`${op}: policy`, what, dtype)
  const unit = unitOptions(policy)
  if (Object.keys(unit).length > 0) {
    const none = zeros([0, 0], { dtype: compute })
    gemm(none, none, unit as typeof unit & { readonly unit: UnitName | Unit })
  }
  const { recipe } = policy
  if (recipe === undefined) return { ...full, ...unit }
  if (policy.unit !== undefined) {
    throw new RangeError(`${op}: policy: a recipe sums in float32, leave out unit [${shown(policy.unit)}]`)
  }
  if (accumulate !== 'float32' || !holds('float32', compute)) {
    throw new RangeError(
      `${op}: policy: a recipe has float32 sums of what float32 holds [${accumulate}, ${compute}]`,
    )
  }
  return { ...full, recipe: matmulRecipe(`${op}: policy`, recipe) }
}

/** What products get of a policy's unit: nothing where it has none. */
export function unitOptions({ unit, input, promote }: Policy): Pick<Policy, 'unit' | 'input' | 'promote'> {
  return {
    ...(unit !== undefined && { unit }),
    ...(input !== undefined && { input }),
    ...(promote !== undefined && { promote }),
  }
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

/**
 * The matrix product under a policy: by its unit, else summed one after the other in `accumulate`; with a recipe as `quantizedMatmul`, each matrix of a batch
 * by itself.
 */
export function product(a: Tensor, b: Tensor, policy: FullPolicy, key?: AnyKey): Tensor {
  const { accumulate, compute, output, recipe } = policy
  if (policy.unit !== undefined) {
    return gemm(cast(a, compute), cast(b, compute), { ...unitOptions(policy), dtype: output })
  }
  if (recipe === undefined) return inPolicy(policy, [a, b], (x, y) => matmul(x!, y!, { accumulate }))
  const [x, y] = [cast(a, compute), cast(b, compute)]
  const one = (left: Tensor<FloatDType>, right: Tensor<FloatDType>, own: AnyKey | undefined): Tensor =>
    quantizedMatmul(left, right, { recipe, dtype: output, ...(own !== undefined && { key: own }) })
  if (x.rank === 2) return one(x, y, key)
  return stack(
    Array.from({ length: x.shape[0]! }, (_, i) =>
      one(slice(x, [i]), slice(y, [i]), key === undefined ? undefined : foldIn(key, i)),
    ),
  )
}
