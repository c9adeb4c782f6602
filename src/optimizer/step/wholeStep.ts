import { type Compiled, type CompileOptions, compile } from '../../tensors/compile/index.js'
import { leavesOf, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { stateFromTree, stateToTree } from '../stateTree.js'
import type { Optimizer, State } from '../transformation.js'
import { applyUpdates } from './applyUpdates.js'
import { type ApplyGradientsOptions, checkApart, type Point } from './point.js'
import { withTensorState } from './withTensorState.js'

/** Loss and gradients, checked. */
type LossAndGrad<L, B extends readonly unknown[], P extends Treelike> = (
  params: P,
  ...batch: B
) => readonly [loss: L, grads: Treelike]

/** A step from point to point, its loss beside. */
type Step<L, B extends readonly unknown[], S extends State, P extends Treelike> = (
  point: Point<S, P>,
  ...batch: B
) => Point<S, P> & { readonly loss: L }

/**
 * Loss, gradients and update as one program. Undefined where that is not to be: the gradient is not compiled, so that nobody said
 * that it is a function of its arguments alone; the optimizer looks at elements; an option asks for something else.
 */
export function wholeStep<L, B extends readonly unknown[], S extends State, P extends Treelike>(
  given: LossAndGrad<L, B, P>,
  lossAndGrad: LossAndGrad<L, B, P>,
  optimizer: Optimizer<S>,
  options: ApplyGradientsOptions,
): Step<L, B, S, P> | undefined {
  const compiled = compileOptionsOf(given)
  const usual = options.extra === undefined && options.engine !== 'plain'
  if (!compiled || !optimizer.recordable || !usual) return undefined
  if (compiled.donate !== undefined || compiled.rounding === 'fused') return undefined
  const fixed = [compiled.static ?? []].flat()
  if (fixed.includes(0)) return undefined
  const exact = chosen(options, arithmeticNames)
  const step = compile(
    (params: P, state: Tree, ...batch: B) => {
      const [loss, grads] = lossAndGrad(params, ...batch)
      const [updates, next] = withTensorState(optimizer).update(grads, state, params)
      return { params: applyUpdates(params, updates, exact), state: next, loss }
    },
    // The state stands between the parameters and the batch.
    {
      static: fixed.map((index) => index + 1),
      ...(options.donate ? { donate: [0, 1] } : {}),
      ...(compiled.threads === undefined ? {} : { threads: compiled.threads }),
    },
  )
  return ({ params, state }, ...batch) => {
    const tree = stateToTree(state)
    if (options.donate) checkApart([...leavesOf(params), ...leavesOf(tree)])
    const next = step(params, tree, ...batch)
    return { ...next, state: stateFromTree(next.state, state) }
  }
}

/** What a function was compiled with; undefined where it was not. */
function compileOptionsOf(f: object): CompileOptions | undefined {
  const { plan, options } = f as Partial<Compiled<never, unknown>>
  return plan === undefined ? undefined : options
}
