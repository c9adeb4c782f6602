import { checkRecord } from '../../base/options/index.js'
import { chip as chipNamed } from '../../planning/hardware/index.js'
import { matmulPadding } from '../../planning/mxu/index.js'
import { lintFlags } from '../../planning/xla/index.js'
import { share } from './quantities.js'
import type { RunProfile } from './runProfile.js'
import type { Found, Problem, RunProduct, RunRecord } from './runRecord.js'

/** The matrix products of a profile, for `diagnose`. */
export function productsOf(profile: RunProfile): readonly RunProduct[] {
  checkRecord('productsOf', 'profile', profile, ['operations'])
  return profile.operations.flatMap(({ product, selfMicroseconds }) =>
    product && product.m * product.k * product.n > 0 ? [{ ...product, microseconds: selfMicroseconds }] : [],
  )
}

/** Products whose sizes leave the matrix unit of the chip half empty. */
export function checkProducts({ products, chip = 'v5e' }: RunRecord): Found {
  if (products === undefined) return 'not recorded'
  const side = chipNamed(chip).mxuSide
  const work = ({ m, k, n, count }: RunProduct): number => m * k * n * count
  const all = products.reduce((sum, product) => sum + work(product), 0)
  const empty = products.filter(({ m, k, n }) => matmulPadding({ m, k, n, side }).utilisation < 0.5)
  const part = empty.reduce((sum, product) => sum + work(product), 0) / all
  if (!(part > 0.1)) return []
  const worst = empty.reduce((a, b) => (work(b) > work(a) ? b : a))
  const { m, k, n } = worst
  const { utilisation } = matmulPadding({ m, k, n, side })
  return [
    {
      ...{ problem: 'products leave the matrix unit empty', severity: 'warning' },
      evidence: `${share(part)} of the multiplications are in products that fill less than half of the matrix unit of ${chip} (side ${side}): [${m}, ${k}] x [${k}, ${n}] fills ${share(utilisation)}`,
      remedy: `sizes that are multiples of ${side}, wider heads, or several products as one`,
    },
  ]
}

/** Flags that end the process, or do nothing. */
export function checkFlags({ environment, chip }: RunRecord): Found {
  if (environment === undefined) return 'not recorded'
  return lintFlags(environment, chip === undefined ? {} : { hardware: chip }).map(
    ({ variable, text, effect, message, instead }): Problem => ({
      ...{ problem: 'flags', severity: effect === 'ends the process' ? 'critical' : 'warning' },
      evidence: `${variable} has ${text}, which ${effect === 'unknown' ? 'may do nothing' : effect}: ${message}`,
      remedy: instead === null ? 'leave it out' : `write ${instead}`,
    }),
  )
}
