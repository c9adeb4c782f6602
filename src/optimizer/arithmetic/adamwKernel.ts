import {
  type AdamwConstants,
  type AdamwLeaf,
  type AdamwOutcome,
  adamwBlocks,
  arena,
  type Engine,
} from '../../numbers/simd/index.js'
import { canonicalizeNaN } from '../../tensors/tensor/index.js'

/**
 * A whole AdamW step of one float32 leaf: in WebAssembly where the machine has it, equal in every bit to
 * `plainAdamw`. Returns whether a NaN was zeroed. Timed by benchmarks/optimizer/adamw.bench.ts.
 */
export function adamwKernel(leaf: AdamwLeaf, constants: AdamwConstants, engine: Engine = 'simd'): boolean {
  const { newParams, newMu, newNu } = leaf
  const wasm = arena(engine)
  const { poisoned, found } = wasm ? adamwBlocks(wasm, leaf, constants) : plainAdamw(leaf, constants)
  // A NaN anywhere reaches the parameters; how its bits look is up to the processor until they are made canonical.
  if (poisoned) for (const values of [newParams, newMu, newNu]) canonicalizeNaN(values)
  return found
}

/**
 * A whole AdamW step of one float32 leaf in one pass: the readable form is `chain(clipByGlobalNorm, zeroNans,
 * scaleByAdam, addDecayedWeights, scaleByLearningRate)` with `applyUpdates`, whose every rounding is repeated here.
 */
function plainAdamw(leaf: AdamwLeaf, constants: AdamwConstants): AdamwOutcome {
  const { grads, params, mu, nu, newParams, newMu, newNu } = leaf
  const fround = Math.fround
  const b1 = fround(constants.b1)
  const c1 = fround(constants.oneMinusB1)
  const b2 = fround(constants.b2)
  const c2 = fround(constants.oneMinusB2)
  const correction1 = fround(constants.correction1)
  const correction2 = fround(constants.correction2)
  const eps = fround(constants.eps)
  const epsRoot = fround(constants.epsRoot)
  const rate = fround(constants.rate)
  const decays = constants.decay !== undefined
  const decay = fround(constants.decay ?? 0)
  const { factor, zeroNans } = constants
  const prepares = factor !== 1 || zeroNans !== 'never'
  let found = false
  let poison = 0
  for (let i = 0; i < grads.length; i++) {
    let g = grads[i]!
    if (prepares) {
      if (zeroNans === 'before' && Number.isNaN(g)) {
        found = true
        g = 0
      }
      g = fround(g * factor)
      if (zeroNans === 'after' && Number.isNaN(g)) {
        found = true
        g = 0
      }
    }
    const p = params[i]!
    const m = fround(fround(c1 * g) + fround(b1 * mu[i]!))
    const v = fround(fround(c2 * fround(g * g)) + fround(b2 * nu[i]!))
    const root = fround(Math.sqrt(fround(fround(v / correction2) + epsRoot)))
    const scaled = fround(fround(m / correction1) / fround(root + eps))
    const u = decays ? fround(scaled + fround(decay * p)) : scaled
    const next = fround(p + fround(rate * u))
    newMu[i] = m
    newNu[i] = v
    newParams[i] = next
    poison += next * 0
  }
  return { poisoned: Number.isNaN(poison), found }
}
