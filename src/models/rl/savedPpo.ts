import { checkFunction, checkRecord } from '../../base/options/index.js'
import { type State, stateFromTree, stateToTree } from '../../optimizer/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'
import type { Ppo, PpoState } from './ppo.js'

/** A run's state in two parts: tensors and plain data. */
export interface SavedPpo<P extends Treelike = Treelike, S = unknown> {
  readonly tensors: { readonly params: P; readonly optimizer: Tree }
  readonly record: Omit<PpoState<P, S>, 'point'>
}

/**
 * A run's state as tensors and plain data, as `writeCheckpoint` takes them.
 *
 * @example const run = ppo({ environment: env.cartPole(), network: towers({ inputs: 4, actions: 2 }), settings: presets['zoo-cartpole'], steps: 512 })
 * savePpo(run.init(random.key(0))).record.update // 0
 */
export function savePpo<P extends Treelike, S>(state: PpoState<P, S>): SavedPpo<P, S> {
  checkRecord('savePpo', 'state', state, ['update', 'point', 'vector', 'running', 'returns', 'key'])
  const { point, ...record } = state
  return { tensors: { params: point.params, optimizer: stateToTree(point.state) }, record }
}

/**
 * Restores a state from `savePpo`; the run continues with the same bits.
 *
 * Throws    what `stateFromTree` throws for another optimizer's state.
 *
 * @example const run = ppo({ environment: env.cartPole(), network: towers({ inputs: 4, actions: 2 }), settings: presets['zoo-cartpole'], steps: 512 })
 * loadPpo(run, savePpo(run.init(random.key(0)))).update // 0
 */
export function loadPpo<P extends Treelike, S>(run: Ppo<P, S>, saved: SavedPpo<P, S>): PpoState<P, S> {
  checkRecord('loadPpo', 'the run', run, ['init', 'update'])
  checkRecord('loadPpo', 'what was saved', saved, ['tensors', 'record'])
  const { tensors, record } = saved
  checkFunction('loadPpo', 'init', run.init)
  checkRecord('loadPpo', 'tensors', tensors, ['params', 'optimizer'])
  checkRecord('loadPpo', 'record', record, ['key'])
  const begun: unknown = run.init(record.key)
  checkRecord('loadPpo', 'what init gives', begun, ['point'])
  const like: State = run.init(record.key).point.state
  return { ...record, point: { params: tensors.params, state: stateFromTree(tensors.optimizer, like) } }
}
