import { checkArray, checkName, checkOptions } from '../../base/options/index.js'
import { Tensor, timedWork, type Work } from '../../tensors/tensor/index.js'
import {
  checkSameTree,
  leavesOf,
  pathsOf,
  replaceLeaves,
  type Tree,
  type Treelike,
} from '../../tensors/tree/index.js'
import { adamwKernel } from '../arithmetic/adamwKernel.js'
import { arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkFlag } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import { nextCount } from '../arithmetic/count.js'
import { biasDenominator } from '../arithmetic/moments.js'
import { areRecorded } from '../arithmetic/recorded.js'
import { sumOfSquares } from '../arithmetic/scaledNorm.js'
import { scheduled } from '../arithmetic/scheduled.js'
import { checkTransformation } from '../checkTransformation.js'
import type { AdamState } from '../rescalings/scaleByAdam.js'
import { extraNames, type Fusion, type Optimizer, type State } from '../transformation.js'
import { foundNan, type ZeroNansState } from '../transforms/zeroNans.js'
import { keptLeaves } from '../wrappers/keptLeaves.js'
import { type AdamwChain, recognize } from './adamwChain.js'
import { applyUpdates } from './applyUpdates.js'
import { compiledUpdate } from './compiledUpdate.js'
import { type ApplyGradientsOptions, applyGradientsNames, checkApart, type Point } from './point.js'

/**
 * One step: `update`, then `applyUpdates`. A chain of clipByGlobalNorm and zeroNans (in either order, or without),
 * scaleByAdam, addDecayedWeights and a learning rate in 'ieee' arithmetic over float32 leaves runs in one pass, equal
 * to the separate ones in every bit. Other steps are one program from the second one over leaves of the same dtypes and shapes on,
 * the same bits too, unless the optimizer looks at elements.
 *
 * Cost      fused: one pass, one more for a norm; three new tensors a leaf, none with `donate`. A program is kept as long as
 *           its optimizer, for up to four kinds of leaves.
 *
 * @example tree.leavesOf(applyGradients(sgd({ learningRate: 1 }), [tensor([1])], { params: [tensor([3])], state: [{}, {}] }).params)[0].item() // 2
 */
export function applyGradients<S extends State, P extends Treelike>(
  optimizer: Optimizer<S>,
  grads: Treelike,
  point: Point<S, P>,
  options: ApplyGradientsOptions = {},
): Point<S, P> {
  checkOptions('applyGradients', options, applyGradientsNames)
  checkTransformation('applyGradients', 'the optimizer', optimizer)
  checkFlag('applyGradients', 'donate', options.donate)
  if (options.engine !== undefined) checkName('applyGradients', 'engine', options.engine, ['simd', 'plain'])
  if (options.extra !== undefined) checkOptions('applyGradients, extra', options.extra, extraNames)
  const known = arithmeticOf(options.arithmetic).name === 'ieee' ? recognize(optimizer) : undefined
  if (known) {
    const fused = timedWork(
      () => adamwWork(point.params),
      () => adamwStep(known, optimizer, grads, point, options),
    )
    if (fused) return fused as Point<S, P>
  }
  const compiled = compiledUpdate(optimizer, grads, point, options)
  if (compiled) return compiled
  const result = optimizer.update(grads, point.state, point.params, options.extra)
  checkArray('applyGradients', 'the result of update, [updates, state],', result)
  const [updates, state] = result
  return { params: applyUpdates(point.params, updates, chosen(options, arithmeticNames)), state }
}

/** The states of a chain's links in order, those of nested chains in their places; none where it is no state of it. */
function flatStates(transform: Optimizer, state: State): State[] {
  if (transform.fusion?.kind !== 'chain') return [state]
  const { links } = transform.fusion
  if (!Array.isArray(state) || state.length !== links.length) return []
  return links.flatMap((link, i) => flatStates(link, state[i]!))
}

/** The reverse of `flatStates`: takes from `states` what it needs. */
function nestStates(transform: Optimizer, states: State[]): State {
  if (transform.fusion?.kind !== 'chain') return states.shift()!
  return transform.fusion.links.map((link) => nestStates(link, states))
}

function flatLinks(transform: Optimizer): Fusion[] {
  return transform.fusion?.kind === 'chain' ? transform.fusion.links.flatMap(flatLinks) : [transform.fusion!]
}

/** The fused step, undefined where a leaf is no float32 or the state is not one of the chain. */
function adamwStep<P extends Treelike>(
  chain: AdamwChain,
  optimizer: Optimizer,
  grads: Treelike,
  { params, state }: Point<State, P>,
  { donate = false, engine = 'simd' }: ApplyGradientsOptions,
): Point<State, P> | undefined {
  const links = flatLinks(optimizer)
  const states = flatStates(optimizer, state)
  const at = links.indexOf(chain.adam)
  const adam = states[at] as AdamState | undefined
  if (areRecorded(...leavesOf(grads), ...leavesOf(params))) return undefined
  if (!adam || typeof adam.count !== 'number' || states.length !== links.length) return undefined
  for (const tree of [grads, adam.mu, adam.nu]) checkSameTree('applyGradients', params, tree)
  const columns = [params, grads, adam.mu, adam.nu].map((tree) => leavesOf(tree as Treelike))
  const [p, g, m, v] = columns as [Tensor[], Tensor[], Tensor[], Tensor[]]
  if (![p, g, m, v].every((column) => column.every(({ dtype }) => dtype === 'float32'))) return undefined
  pathsOf(params).forEach(({ path, leaf }, i) => {
    for (const other of [g[i]!, m[i]!, v[i]!]) checkSameSize(path, leaf, other)
  })

  const t = nextCount(adam.count)
  const rate = chain.scale.stepSize
  const rateState = states[states.length - 1] as { readonly count?: number }
  const kept = chain.decay?.mask === undefined ? undefined : keptLeaves('masked', chain.decay.mask, params)
  const a = arithmeticOf('ieee')
  const { b1, b2, eps, epsRoot } = chain.adam
  const constants = {
    b1,
    oneMinusB1: 1 - b1,
    b2,
    oneMinusB2: 1 - b2,
    correction1: biasDenominator(a, b1, t, 'float32'),
    correction2: biasDenominator(a, b2, t, 'float32'),
    eps,
    epsRoot,
    rate: typeof rate === 'number' ? rate : scheduled('scaleBySchedule', rate, rateState.count!),
    factor: chain.clip ? clipFactor(grads, chain.clip.maxNorm, chain.zeroNans === 'before') : 1,
    zeroNans: chain.zeroNans,
  }
  const weightDecay = chain.decay?.weightDecay || undefined
  const found: boolean[] = []
  const fresh = (leaves: readonly Tensor[]): Tensor[] =>
    donate
      ? [...leaves]
      : leaves.map((leaf) => new Tensor('float32', leaf.shape, new Float32Array(leaf.size)))
  if (donate) checkApart([...p, ...m, ...v])
  const [newP, newM, newV] = [fresh(p), fresh(m), fresh(v)]
  p.forEach((leaf, i) => {
    const decay = kept?.[i] === false ? undefined : weightDecay
    const arrays = {
      params: floats(leaf),
      grads: floats(g[i]!),
      mu: floats(m[i]!),
      nu: floats(v[i]!),
      newParams: floats(newP[i]!),
      newMu: floats(newM[i]!),
      newNu: floats(newV[i]!),
    }
    found.push(adamwKernel(arrays, { ...constants, decay }, engine))
  })

  const inTree = (leaves: readonly Tensor[]): Tree => replaceLeaves(params, leaves) as Tree
  const nextStates = states.map((old, i): State => {
    if (i === at) return { count: t, mu: inTree(newM), nu: inTree(newV) } satisfies AdamState
    if (links[i]!.kind === 'zeroNans') return { foundNan: foundNan(params, found) } satisfies ZeroNansState
    return i === states.length - 1 && typeof rate !== 'number' ? { count: nextCount(rateState.count!) } : old
  })
  return { params: replaceLeaves(params, newP), state: nestStates(optimizer, nextStates) }
}

/** The fused pass as a profile tells it: four arrays read and three made, about fifteen operations an element. */
function adamwWork(params: Treelike): Work {
  const leaves = leavesOf(params)
  const size = leaves.reduce((sum, leaf) => sum + leaf.size, 0)
  return {
    ...{ kind: 'fused', operations: ['adamw'], stacks: [[]], dtype: 'float32', shape: [size] },
    ...{ flops: 15 * size, bytes: 28 * size, memory: 12 * size },
  }
}

/** What `clipByGlobalNorm` multiplies by in 'ieee', 1 where the norm is below the limit or 0. */
function clipFactor(grads: Treelike, maxNorm: number, zeroNansFirst: boolean): number {
  const norm = Math.sqrt(sumOfSquares(leavesOf(grads), zeroNansFirst))
  return norm < maxNorm || norm === 0 ? 1 : maxNorm / norm
}

function floats(x: Tensor): Float32Array {
  return x.data as Float32Array
}

function checkSameSize(path: string, a: Tensor, b: Tensor): void {
  if (a.shape.join() !== b.shape.join()) {
    throw new RangeError(
      `applyGradients: shapes differ at ${path || 'the root'} [${a.shape.join(', ')} and ${b.shape.join(', ')}]`,
    )
  }
}
