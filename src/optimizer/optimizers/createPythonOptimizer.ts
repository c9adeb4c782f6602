import { checkOptions } from '../../base/options/index.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type CreateOptimizerOptions, createOptimizer, createOptimizerNames } from './createOptimizer.js'

/** Every default may be replaced. */
export type CreatePythonOptimizerOptions = Partial<CreateOptimizerOptions>

/**
 * `createOptimizer` with the defaults of the Python toolkit: lr 1e-4, 100,000 steps of which 1000 warm up, weight decay
 * 0.01, b2 0.95, four cycles.
 *
 * @example createPythonOptimizer().init([tensor([1])]).length // 3
 */
export function createPythonOptimizer(
  options: CreatePythonOptimizerOptions = {},
): GradientTransformation<readonly State[]> {
  checkOptions('createPythonOptimizer', options, { ...createOptimizerNames, ...optional })
  return createOptimizer({ ...pythonDefaults, ...options })
}

const optional = { lr: 'optional', totalSteps: 'optional' } as const

const pythonDefaults: CreateOptimizerOptions = {
  lr: 1e-4,
  totalSteps: 100_000,
  warmupSteps: 1000,
  weightDecay: 0.01,
  b2: 0.95,
  nRestarts: 4,
}
