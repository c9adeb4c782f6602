import type { SlopeRule, TileRule } from '../../../numbers/simd/index.js'
import type { FloatDType } from '../../../tensors/tensor/index.js'
import { productsFit } from '../gemm/product.js'
import { flash2End } from './flash2.js'
import type { End } from './form.js'
import { isWide } from './narrow.js'
import { pallasEnd } from './pallas.js'
import type { FlashPlan } from './plan.js'
import { masked, splashEnd } from './splash.js'

const always = (): boolean => true

/** How the rows of forms end whose tiles the arena has. */
export const ends: Readonly<Record<TileRule['kind'], (m: number, l: number) => End>> = {
  flash2: flash2End,
  splash: splashEnd,
  pallas: pallasEnd,
}

/** The parameters of the tile kernels for a plan; undefined where the plan rounds otherwise than they do. */
export function tileRule(plan: FlashPlan, dtype: FloatDType): TileRule | undefined {
  const { form, scale, single, probs, softCap, ties, exponent, extras, unit } = plan
  if (extras.length > 0 || unit) return undefined
  if (form === 'bfloat16' || softCap !== undefined || ties !== undefined || exponent !== 'e') return undefined
  if (probs !== 'float32' && probs !== 'bfloat16') return undefined
  return {
    ...{ kind: form, scale, single, narrow: probs === 'bfloat16' },
    masked: form === 'flash2' ? -Infinity : masked,
    fits: isWide(dtype) ? always : productsFit,
    probabilitiesFit: isWide(dtype) || isWide(probs) ? always : productsFit,
  }
}

/** The same of its backward pass, which all forms but one share. */
export function slopeRule(
  { form, scale, softCap, delta, extras, unit }: FlashPlan,
  dtype: FloatDType,
): SlopeRule | undefined {
  if (form === 'bfloat16' || softCap !== undefined || delta === 'probs' || extras.length > 0 || unit) {
    return undefined
  }
  if (dtype !== 'float32' && dtype !== 'bfloat16') return undefined
  return { scale, narrow: dtype === 'bfloat16', fits: isWide(dtype) ? always : productsFit }
}
