import type { GradientRules } from '../../tensors/autodiff/index.js'
import { isFloat, type Tensor } from '../../tensors/tensor/index.js'
import { constantText, isConstant } from '../program/constantOf.js'
import { kindOf } from '../program/opKind.js'
import type { Step } from '../program/program.js'
import { elementErrors } from '../shadow/elementErrors.js'
import { sensitivities } from '../shadow/firstOrder.js'
import type { ShadowRun } from '../shadow/shadowRun.js'
import { type FoundGradient, gradientWeights } from './gradientErrors.js'
import type { GradientLine } from './trainStep.js'

/** Where the error of the gradients comes from, by source line and operation, the largest share first. */
export function gradientLines(
  run: ShadowRun<Tensor>,
  found: readonly FoundGradient[],
  rules: GradientRules | undefined,
): GradientLine[] {
  const { steps } = run.program
  const rounding = [...steps.keys()].filter((i) => {
    const { op, output } = steps[i]!
    return isFloat(output.dtype) && kindOf(op) === 'rounds'
  })
  const slopes =
    found.length === 0 ? undefined : sensitivities(run, rounding, gradientWeights(run, found), rules)
  if (!slopes) return []
  const lines = new Map<string, { name: string; site: string | undefined; steps: number[]; share: number }>()
  let total = 0
  for (const [k, i] of rounding.entries()) {
    const { introduced } = elementErrors(run, i)
    const slope = slopes[k]!.toNumbers()
    let share = 0
    for (let at = 0; at < introduced.length; at++) share += introduced[at]! * slope[at]! || 0
    if (share === 0) continue
    total += share
    const step = steps[i]!
    const key = `${nameOf(step)} ${step.site ?? ''}`
    const line = lines.get(key) ?? { name: nameOf(step), site: step.site, steps: [], share: 0 }
    line.steps.push(i)
    line.share += share
    lines.set(key, line)
  }
  return [...lines.values()]
    .map((line) => ({ ...line, share: line.share / total }))
    .sort((a, b) => Math.abs(b.share) - Math.abs(a.share))
}

function nameOf(step: Step): string {
  return !isConstant(step) ? step.op.name : `constant ${constantText(step)}`
}
