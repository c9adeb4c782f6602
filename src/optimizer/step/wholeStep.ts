import { type CompileOptions, compile } from '../../tensors/compile/index.js'
import { leavesOf, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { stateFromTree, stateToTree } from '../stateTree.js'
import type { Optimizer, State } from '../transformation.js'
import { applyUpdates } from './applyUpdates.js'
import { type ApplyGradientsOptions, checkApart, type Point } from './point.js'
import { withTensorState } from './withTensorState.js'

/** Loss and gradients, checked. */
export type LossAndGrad<L, B extends readonly unknown[], P extends Treelike> = (
  params: P,
  ...batch: B
) => readonly [loss: L, grads: Treelike]

/** A step from point to point, its loss beside. */
export type Step<L, B extends readonly unknown[], S extends State, P extends Treelike> = (
  point: Point<S, P>,
  ...batch: B
) => Point<S, P> & { readonly loss: L }

/** A whole step that is a program. */
export interface WholeStep<L, B extends readonly unknown[], S extends State, P extends Treelike>
  extends Step<L, B, S, P> {
  /** `renew` of its program. */
  readonly renew: (point: Point<S, P>, ...batch: B) => boolean
}

/**
 * Loss, gradients and update as one program, with the options of a gradient that is compiled. Undefined where that is not to be: the optimizer
 * looks at elements, or an option asks for something else.
 */
export function wholeStep<L, B extends readonly unknown[], S extends State, P extends Treelike>(
  given: { readonly options: CompileOptions },
  lossAndGrad: LossAndGrad<L, B, P>,
  optimizer: Optimizer<S>,
  options: ApplyGradientsOptions,
): WholeStep<L, B, S, P> | undefined {
  const { options: compiled } = given
  const usual = options.extra === undefined && options.engine !== 'plain'
  if (!optimizer.recordable || !usual) return undefined
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
  const whole = ({ params, state }: Point<S, P>, ...batch: B): ReturnType<Step<L, B, S, P>> => {
    const tree = stateToTree(state)
    if (options.donate) checkApart([...leavesOf(params), ...leavesOf(tree)])
    const next = step(params, tree, ...batch)
    return { ...next, state: stateFromTree(next.state, state) }
  }
  const renew = ({ params, state }: Point<S, P>, ...batch: B): boolean =>
    step.renew(params, stateToTree(state), ...batch)
  return Object.assign(whole, { renew })
}

/** Whether a function was made by `compile`. */
export function isCompiled(f: object): f is { readonly options: CompileOptions } {
  return 'plan' in f && 'renew' in f
}
