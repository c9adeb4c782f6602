import { shown } from '../../base/options/index.js'
import type { ModelConfig } from '../model/index.js'
import { checkFramework } from './checkFramework.js'
import { checkHost } from './checkHost.js'
import { checkLayout } from './checkLayout.js'
import { checkNumerics } from './checkNumerics.js'
import { type PlanFinding, rules } from './finding.js'
import { checkStep, type StepDescription } from './step.js'
import type { TpuConfig } from './tpuConfig.js'

/**
 * The rules and pitfalls of the Python toolkits as checks of a plan: each broken one with its evidence, numbers with units,
 * and the remedy. Only what is described is checked: an empty answer for an empty step says nothing.
 *
 * Throws    TypeError for anything but a config of `tpuConfig`; RangeError for an invalid model or step.
 * Source    for each rule the numbers in its evidence; tpu-facts, section 2
 *
 * @example const config = tpuConfig({ version: 'v5p', chips: 16, axes: { data: 4, fsdp: 4 } })
 * const model = { family: 'decoder', D: 1536, F: 6144, L: 24, N: 16, V: 50257 }
 * lint(config, model).map(({ rule }) => rule) // ['head-alignment', 'vocabulary-alignment']
 * lint(config, model, { beta2: 0.999, beta2Dtype: 'bfloat16', batchAxes: ['data'] }).map(({ rule }) => rule) // ['head-alignment', 'vocabulary-alignment', 'batch-over-fsdp', 'beta2']
 */
export function lint(config: TpuConfig, model: ModelConfig, step: StepDescription = {}): PlanFinding[] {
  if (
    typeof config !== 'object' ||
    config === null ||
    config.slice === undefined ||
    config.mesh === undefined
  ) {
    throw new TypeError(
      `lint: the first argument is not a config, make one with tpuConfig [${shown(config)}]`,
    )
  }
  checkStep('lint', step)
  return [
    ...checkLayout(config, model, step),
    ...checkNumerics(config, step),
    ...checkHost(config, model, step),
    ...checkFramework(config, step),
  ].sort((a, b) => rules.indexOf(a.rule) - rules.indexOf(b.rule))
}
