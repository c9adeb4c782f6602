import type { ModelConfig } from '../model/index.js'
import { checkMesh, type Mesh } from './mesh.js'
import type { PartitionSpec } from './spec.js'
import { type StrategyOptions, shardingStrategy } from './strategy.js'

/**
 * A spec for every array of a training state by its path: `shard_train_state` of the Python toolkit. Adam's moments follow
 * their parameters; the step and the key are whole.
 * The toolkit gives P('fsdp') to every array with a dimension, which fails on biases, norms and counts that do not divide.
 *
 * Throws    as `shardingStrategy`.
 *
 * @example const devices = mesh({ shape: [2, 4], axisNames: ['data', 'fsdp'] })
 * const state = shardTrainState(devices, { family: 'gpt2', D: 768, L: 12 }, { strategy: 'fsdp' })
 * state['nu.layer.mlp.up'] // ['fsdp', null]
 * state.step // []
 */
export function shardTrainState(
  mesh: Mesh,
  config: ModelConfig,
  options: StrategyOptions,
): Readonly<Record<string, PartitionSpec>> {
  checkMesh('shardTrainState', mesh)
  const { parameters } = shardingStrategy(mesh, config, options)
  const under = (branch: string): [string, PartitionSpec][] =>
    parameters.map(({ name, spec }) => [`${branch}.${name}`, spec])
  return { ...Object.fromEntries([...under('params'), ...under('mu'), ...under('nu')]), step: [], rng: [] }
}
