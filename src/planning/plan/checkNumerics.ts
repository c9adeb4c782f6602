import { checkNumber } from '../../base/options/index.js'
import { type FormatName, formatNames, nextDown, round, ulp } from '../../numbers/formats/index.js'
import type { PlanFinding } from './finding.js'
import type { StepDescription, StepDType } from './step.js'
import type { TpuConfig } from './tpuConfig.js'

/** A value as a dtype holds it. */
function held(value: number, dtype: StepDType): number {
  if (dtype === 'float64') return value
  return dtype === 'float32' ? Math.fround(value) : round(value, dtype)
}

const isNarrow = (dtype: StepDType | undefined): dtype is 'bfloat16' | 'float16' =>
  dtype !== undefined && formatNames.includes(dtype as FormatName)

/** What rounds away: sums, decays, clocks. */
export function checkNumerics(config: TpuConfig, step: StepDescription): PlanFinding[] {
  const found: PlanFinding[] = []
  for (const [rule, dtype, what] of [
    ['accumulation', step.accumulateDtype, 'products and sums accumulate'],
    ['cumsum', step.cumsumDtype, 'a running sum is kept'],
    ['covariance', step.covarianceDtype, 'a covariance is summed'],
  ] as const) {
    if (isNarrow(dtype)) found.push(narrowSum(rule, dtype, what))
  }
  found.push(...beta2(step), ...allReduce(config, step), ...clockBias(step))
  return found
}

/** The count at which a sum of ones stops: where 1 is half an ulp. */
const stalls = (dtype: 'bfloat16' | 'float16'): number => 2 / ulp(1, dtype)

function narrowSum(
  rule: 'accumulation' | 'cumsum' | 'covariance',
  dtype: 'bfloat16' | 'float16',
  what: string,
): PlanFinding {
  return {
    rule,
    severity: 'error',
    what: `${what} in ${dtype}`,
    evidence: `a sum of ones in ${dtype} stops at ${stalls(dtype)}: one more is half an ulp`,
    remedy: `float32 inside, one rounding at the end${rule === 'cumsum' ? ' (stableCumsum)' : rule === 'covariance' ? ' (stableCovariance)' : ''}`,
  }
}

function beta2({ beta2, beta2Dtype = 'bfloat16' }: StepDescription): PlanFinding[] {
  if (beta2 === undefined) return []
  checkNumber('lint', 'beta2', beta2, 0, 1)
  if (held(beta2, beta2Dtype) !== 1 || beta2 === 1) return []
  const most = isNarrow(beta2Dtype) ? nextDown(1, beta2Dtype) : 1 - 2 ** -24
  return [
    {
      rule: 'beta2',
      severity: 'error',
      what: `beta2 of ${beta2} is 1 in ${beta2Dtype}`,
      evidence: `the largest ${beta2Dtype} below 1 is ${most}: the second moment never decays, and 1 - beta2 is 0`,
      remedy: `keep it and the moments in float32, or beta2 of ${most} or less`,
    },
  ]
}

function allReduce({ mesh, environment }: TpuConfig, { allReduceDtype }: StepDescription): PlanFinding[] {
  if (!isNarrow(allReduceDtype)) return []
  const devices = mesh.axisNames.reduce(
    (n, name, i) => (name === 'data' || name === 'fsdp' ? n * mesh.shape[i]! : n),
    1,
  )
  if (devices === 1) return []
  const asked = environment.LIBTPU_INIT_ARGS?.includes('xla_jf_bf16_inside_cross_replica_sum=false')
  const share = (devices - 1) * (ulp(1, allReduceDtype) / 2)
  return [
    {
      rule: 'all-reduce-dtype',
      severity: asked ? 'note' : 'warning',
      what: `gradients are summed in ${allReduceDtype} over ${devices} devices`,
      evidence: `round a ring up to (n - 1) u = ${Number(share.toPrecision(3))} of the sum of magnitudes${asked ? '; the flags ask for sums that are not bfloat16' : ''}`,
      remedy: 'cast gradients to float32 before the all-reduce: twice the bytes',
    },
  ]
}

function clockBias({ clockBias }: StepDescription): PlanFinding[] {
  if (clockBias !== 'unbounded') return []
  return [
    {
      rule: 'clock-bias',
      severity: 'error',
      what: 'the clock bias is unbounded',
      evidence:
        'a decay exp(A dt) of a dt without a bound reaches 0 or, of the wrong sign, infinity: exp(89) is above the largest float32',
      remedy: 'boundedClockBias(raw, { maxDelta })',
    },
  ]
}
