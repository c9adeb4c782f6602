import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  cast,
  concat,
  type FloatDType,
  full,
  reshape,
  slice,
  type Tensor,
  zeros,
} from '../../tensors/tensor/index.js'
import { leavesOf, replaceLeaves, type Tree, type Treelike } from '../../tensors/tree/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkFlag } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { stateTree, zerosLike } from '../arithmetic/fullLike.js'
import { innerProduct, treeSum } from '../arithmetic/innerProduct.js'
import { leafwise, zipLeaves } from '../arithmetic/leafwise.js'
import { inDtype, type Operand } from '../arithmetic/operand.js'
import { elementOf } from '../arithmetic/recorded.js'
import { type GradientTransformation, needParams } from '../transformation.js'

/** What L-BFGS remembers. */
export interface ScaleByLbfgsOptions extends ArithmeticOption {
  /** How many of the last steps. Default: 10. */
  readonly memorySize?: number
  /** Whether the inverse Hessian begins with the curvature of the last step. Default: true. */
  readonly scaleInitPrecond?: boolean
}

/** The names of `ScaleByLbfgsOptions`. */
export const scaleByLbfgsNames: OptionTable<ScaleByLbfgsOptions> = {
  memorySize: 'optional',
  scaleInitPrecond: 'optional',
  ...arithmeticNames,
}

/** Steps done; parameters and gradients of the last one; differences of both, each leaf with the steps as first axis. */
export type LbfgsState = {
  readonly count: number
  readonly params: Tree
  readonly updates: Tree
  readonly diffParamsMemory: Tree
  readonly diffUpdatesMemory: Tree
  /** 1 over the inner products of both, float32. */
  readonly weightsMemory: Tensor
}

/**
 * Gradients times an approximation of the inverse Hessian, made of the differences of the last steps' parameters and
 * gradients, by the two loops of L-BFGS.
 *
 * Dtype     of the gradients; the weights in float32, as in optax.
 * Rounding  inner products leaf by leaf: in float64 and once to the dtype, in 'xla-cpu' by fused multiply-adds in float32;
 *           every step of a loop back to the dtype.
 * Cost      4 memorySize products and sums an element.
 * Source    Nocedal and Wright, Numerical optimization, 2nd ed., algorithms 7.4 and 7.5
 *
 * @example scaleByLbfgs().init([tensor([1])]).weightsMemory.shape // [10]
 */
export function scaleByLbfgs(options: ScaleByLbfgsOptions = {}): GradientTransformation<LbfgsState> {
  checkOptions('scaleByLbfgs', options, scaleByLbfgsNames)
  checkFlag('scaleByLbfgs', 'scaleInitPrecond', options.scaleInitPrecond)
  const { memorySize = 10, scaleInitPrecond = true } = options
  checkInteger('scaleByLbfgs', 'memorySize', memorySize, 1)
  const a = arithmeticOf(options.arithmetic)
  const memory = (params: Treelike): Tree =>
    stateTree(params, (p) => zeros([memorySize, ...p.shape], { dtype: p.dtype }))
  return {
    init: (params) => ({
      count: 0,
      params: zerosLike(params),
      updates: zerosLike(params),
      diffParamsMemory: memory(params),
      diffUpdatesMemory: memory(params),
      weightsMemory: zeros([memorySize]),
    }),
    update(updates, state, params) {
      const at = needParams('scaleByLbfgs', params)
      const first = state.count === 0
      const difference = (now: Treelike, before: Tree): Tree =>
        leafwise('scaleByLbfgs', [before, now], ([old, x]) => [
          first ? zeros(old!.shape, { dtype: old!.dtype }) : a.sub(x!, old!),
        ])[0]
      const [moved, turned] = [difference(at, state.params), difference(updates, state.updates)]
      const product = innerProduct(a, turned, moved)
      const weight = elementOf(product) === 0 ? a.mul(0, product) : a.div(1, product)
      const place = (state.count + memorySize - 1) % memorySize
      const kept = {
        diffParamsMemory: remembered(state.diffParamsMemory, moved, place),
        diffUpdatesMemory: remembered(state.diffUpdatesMemory, turned, place),
        weightsMemory: withRow(
          state.weightsMemory,
          cast(first ? full([], 0, { dtype: 'float32' }) : weight, 'float32'),
          place,
        ),
      }
      const start = scaleInitPrecond ? startOf(a, updates, turned, product, first) : 1
      const order = Array.from({ length: memorySize }, (_, i) => (state.count + i) % memorySize)
      const out = preconditioned(a, updates, kept, start, order)
      const last = { params: at as Tree, updates: updates as Tree }
      return [out, { count: nextCount(state.count), ...last, ...kept }]
    },
  }
}

type Memory = Pick<LbfgsState, 'diffParamsMemory' | 'diffUpdatesMemory' | 'weightsMemory'>

/** The two loops: back from the newest step, then forth. */
function preconditioned<P extends Treelike>(
  a: Elementwise,
  updates: P,
  { diffParamsMemory, diffUpdatesMemory, weightsMemory }: Memory,
  start: Operand,
  order: readonly number[],
): P {
  let vector = updates
  const added = (scalar: Tensor, step: Tree): P =>
    leafwise('scaleByLbfgs', [vector, step], ([v, d]) => [
      inDtype(a.add(v!, a.mul(scalar, d!)), v!.dtype as FloatDType),
    ])[0]
  const alphas = new Map<number, Tensor>()
  for (const row of [...order].reverse()) {
    const [moved, turned] = [rowOf(diffParamsMemory, row), rowOf(diffUpdatesMemory, row)]
    const alpha = a.mul(slice(weightsMemory, [row]), innerProduct(a, moved, vector))
    alphas.set(row, alpha)
    vector = added(a.mul(-1, alpha), turned)
  }
  vector = leafwise('scaleByLbfgs', [vector], ([v]) => [a.mul(start, v!)])[0]
  for (const row of order) {
    const [moved, turned] = [rowOf(diffParamsMemory, row), rowOf(diffUpdatesMemory, row)]
    const beta = a.mul(slice(weightsMemory, [row]), innerProduct(a, turned, vector))
    vector = added(a.sub(alphas.get(row)!, beta), moved)
  }
  return vector
}

/** The curvature along the last step; at the first step 1 over the norm of the gradients, at most 1. */
function startOf(a: Elementwise, updates: Treelike, turned: Tree, product: Tensor, first: boolean): Operand {
  if (first) return a.minimum(a.div(1, a.sqrt(squaredNorm(a, updates))), 1)
  const squares = squaredNorm(a, turned)
  return elementOf(squares) > 0 ? a.div(product, squares) : 1
}

/** The sum of the squares of all elements. */
function squaredNorm(a: Elementwise, tree: Treelike): Tensor {
  return treeSum(a, tree, (x) => a.mul(x, x))
}

/** One step's differences. */
function rowOf(memory: Tree, row: number): Tree {
  return replaceLeaves(
    memory,
    leavesOf(memory).map((leaf): Tensor => slice(leaf, [row])),
  ) as Tree
}

function remembered(memory: Tree, newest: Tree, row: number): Tree {
  return zipLeaves('scaleByLbfgs', [memory, newest], ([rows, x]) => [withRow(rows!, x!, row)])[0]
}

/** The tensor with one row replaced. */
function withRow(rows: Tensor, row: Tensor, at: number): Tensor {
  const whole = reshape(cast(row, rows.dtype), [1, ...row.shape])
  return concat([slice(rows, [[0, at]]), whole, slice(rows, [[at + 1, null]])], { axis: 0 })
}
