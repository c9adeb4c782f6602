import { literal } from '../../parts/literal.js'
import { arithmetics, type GrowAsked } from './automatonMessages.js'
import { between } from './growthOf.js'

/** The program that grows the flower in every arithmetic. */
export function growCode({ seed, scale, to: steps, wounds }: GrowAsked): string {
  return `import { compile } from 'tpu-toolkit/compile'
import { damageCircle, drawPicture, fireMasks, lostUpdates, ncaStep, seedState, trainedFlower } from 'tpu-toolkit/nca'
import { foldIn, key, uniform } from 'tpu-toolkit/random'
import { type FloatDType, mul, reshape, slice, type Tensor } from 'tpu-toolkit/tensor'

interface Arithmetic {
  name: string
  dtype: FloatDType
  stateDtype: FloatDType
  rounding: string
}
const arithmetics: Arithmetic[] = [
${arithmetics.map((one) => `  ${literal(one)},\n`).join('')}]
const wounds: { step: number; x: number; y: number; radius: number }[] = ${literal(wounds)}
const [learned, target] = [trainedFlower(), drawPicture('flower').toNumbers()]
const params = { ...learned, w2: mul(learned.w2, ${scale}), b2: mul(learned.b2, ${scale}) }

for (const { name, dtype, stateDtype, rounding } of arithmetics) {
  const rule = { dtype, stateDtype, alive: {} }
  const nearest = compile((x: Tensor, mask: Tensor) => ncaStep(params, x, { ...rule, mask }))
  const random = compile((x: Tensor, mask: Tensor, draws: Tensor) => ncaStep(params, x, { ...rule, mask, draws }))
  let state = seedState({ shape: [24, 24], channels: 12, dtype: stateDtype })
  let lost = 0
  for (let step = 0; step <= ${steps}; step++) {
    for (const { x, y, radius } of wounds.filter((wound) => wound.step === step)) {
      state = damageCircle(state, { center: [y, x], radius })
    }
    if (step > 0 && step % ${between} === 0) lost = lostUpdates(params, state, rule).share
    if (step === ${steps}) break
    const drawn = foldIn(key(${seed}), step)
    const mask = reshape(fireMasks(foldIn(drawn, 0), { steps: 1, shape: [24, 24] }), [24, 24])
    state = rounding === 'stochastic'
      ? random(state, mask, uniform(foldIn(drawn, 1), [24, 24, 12]))
      : nearest(state, mask)
  }
  const cells = slice(state, [null, null, [0, 4]]).toNumbers()
  const off = cells.reduce((sum, value, i) => sum + (value - target[i]!) ** 2, 0) / cells.length
  console.log(name + ':', Number(off.toPrecision(3)), 'off,', (100 * lost).toFixed(1), '% under half an ulp')
}
`
}
