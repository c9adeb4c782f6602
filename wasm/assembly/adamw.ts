// One AdamW step of a block of float32 parameters, in place: count rounded up to a multiple of 4. Every operation rounds
// as in src/optimizer/arithmetic/adamwKernel.ts, its readable twin; only the factor of the gradients is float64.

/** Bits of the result: a new parameter is NaN, a NaN of the gradients was zeroed. */
const poisoned = 1
const found = 2

/** When NaNs become zeros: never, before the factor, after it. */
const before = 1
const after = 2

export function adamw(
  grads: usize,
  params: usize,
  mu: usize,
  nu: usize,
  count: i32,
  b1: f32,
  oneMinusB1: f32,
  b2: f32,
  oneMinusB2: f32,
  correction1: f32,
  correction2: f32,
  eps: f32,
  epsRoot: f32,
  rate: f32,
  decay: f32,
  decays: i32,
  factor: f64,
  zeroNans: i32,
): i32 {
  const beta1 = f32x4.splat(b1)
  const share1 = f32x4.splat(oneMinusB1)
  const beta2 = f32x4.splat(b2)
  const share2 = f32x4.splat(oneMinusB2)
  const divisor1 = f32x4.splat(correction1)
  const divisor2 = f32x4.splat(correction2)
  const epsilon = f32x4.splat(eps)
  const epsilonRoot = f32x4.splat(epsRoot)
  const negativeRate = f32x4.splat(rate)
  const weightDecay = f32x4.splat(decay)
  const scale = f64x2.splat(factor)
  const prepares = factor != 1 || zeroNans != 0
  let zeroed = i32x4.splat(0)
  let poison = i32x4.splat(0)
  const end = grads + ((count + 3) & ~3) * 4
  for (; grads < end; grads += 16, params += 16, mu += 16, nu += 16) {
    let g = v128.load(grads)
    if (prepares) {
      if (zeroNans == before) {
        const nan = f32x4.ne(g, g)
        zeroed = v128.or(zeroed, nan)
        g = v128.andnot(g, nan)
      }
      const low = f64x2.promote_low_f32x4(g)
      const high = f64x2.promote_low_f32x4(v128.shuffle<f32>(g, g, 2, 3, 2, 3))
      const lowScaled = f32x4.demote_f64x2_zero(f64x2.mul(low, scale))
      const highScaled = f32x4.demote_f64x2_zero(f64x2.mul(high, scale))
      g = v128.shuffle<f32>(lowScaled, highScaled, 0, 1, 4, 5)
      if (zeroNans == after) {
        const nan = f32x4.ne(g, g)
        zeroed = v128.or(zeroed, nan)
        g = v128.andnot(g, nan)
      }
    }
    const p = v128.load(params)
    const m = f32x4.add(f32x4.mul(share1, g), f32x4.mul(beta1, v128.load(mu)))
    const v = f32x4.add(f32x4.mul(share2, f32x4.mul(g, g)), f32x4.mul(beta2, v128.load(nu)))
    const root = f32x4.sqrt(f32x4.add(f32x4.div(v, divisor2), epsilonRoot))
    let u = f32x4.div(f32x4.div(m, divisor1), f32x4.add(root, epsilon))
    if (decays) u = f32x4.add(u, f32x4.mul(weightDecay, p))
    const next = f32x4.add(p, f32x4.mul(negativeRate, u))
    poison = v128.or(poison, f32x4.ne(next, next))
    v128.store(mu, m)
    v128.store(nu, v)
    v128.store(params, next)
  }
  return (v128.any_true(poison) ? poisoned : 0) | (v128.any_true(zeroed) ? found : 0)
}
