import { checkFunction, checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'
import { type Shadow, type ShadowOptions, shadow, shadowNames } from './shadow.js'

/** Which runs of a function are shadowed, and where the reports go. */
export interface ShadowEveryOptions extends ShadowOptions {
  /** Shadow the first run and then every so many; the others cost nothing. */
  readonly every: number
  /** Called with each report; runs count from 0. */
  readonly report: (shadow: Shadow, run: number) => void
}

const shadowEveryNames: OptionTable<ShadowEveryOptions> = {
  ...shadowNames,
  every: 'required',
  report: 'required',
}

/**
 * Wraps a function, such as a training step, so that one run in every `every` is shadowed. Results are those of `f`.
 *
 * @example shadowEvery((x) => mul(x, x), { every: 100, report: () => {} })(tensor(3)).item() // 9
 */
export function shadowEvery<T extends Treelike, R extends Tree>(
  f: (inputs: T) => R,
  options: ShadowEveryOptions,
): (inputs: T) => R {
  checkFunction('shadowEvery', 'f', f)
  checkOptions('shadowEvery', options, shadowEveryNames)
  const { every, report, check = false, ...rest } = options
  checkFunction('shadowEvery', 'report', report)
  if (!Number.isInteger(every) || every < 1) {
    throw new RangeError(`shadowEvery: every is not a count from 1 up [${every}]`)
  }
  let run = 0
  return (inputs) => {
    if (run % every === 0) report(shadow(f, inputs, { ...rest, check }), run)
    run++
    return f(inputs)
  }
}
