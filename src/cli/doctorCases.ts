import { layerNorm, naiveCovariance, softmax } from '../numerics/index.js'
import { type Tensor, zeros } from '../tensor/index.js'
import { adamwStageOf, adamwSteps } from './doctorAdamw.js'
import { type DoctorCase, doctorCase } from './doctorCase.js'
import { draws } from './doctorDraws.js'
import { galleryCases } from './doctorGallery.js'

/** What the doctor examines without further options, by name: usual computations, then cases of the gallery. */
export const doctorCases: readonly DoctorCase[] = [
  doctorCase({
    id: 'softmax',
    title: 'softmax of 8 rows of 64 logits with deviation 4',
    f: (x: Tensor) => softmax(x),
    inputs: draws(1, [8, 64], { deviation: 4 }),
    question: 'every element within one step of the correctly rounded one',
    target: { maxBits: 1 },
  }),
  doctorCase({
    id: 'layer-norm',
    title: 'layer norm of 8 rows of 64 activations with mean 10',
    f: (x: Tensor) => layerNorm(x),
    inputs: draws(2, [8, 64], { mean: 10 }),
    question: 'half a bit of error in the mean',
    target: { meanBits: 0.5 },
  }),
  doctorCase({
    id: 'covariance',
    title: 'covariance of 128 rows of 4 features with mean 20',
    f: (z: Tensor) => naiveCovariance(z),
    inputs: draws(3, [128, 4], { mean: 20 }),
    question: 'half a bit of error in the mean',
    target: { meanBits: 0.5 },
  }),
  doctorCase({
    id: 'adamw',
    title: '10 steps of AdamW on 64 parameters, moments and all in bfloat16',
    f: adamwSteps,
    inputs: {
      w: draws(4, [64]),
      m: zeros([64], { dtype: 'bfloat16' }),
      v: zeros([64], { dtype: 'bfloat16' }),
      g: draws(5, [10, 64], { deviation: 0.1 }),
    },
    question: 'parameters half a bit off in the mean, where a stage is made wide in all steps at once',
    target: { meanBits: 0.5 },
    groupBy: (_, i) => adamwStageOf(i),
  }),
  ...galleryCases,
]

/** Cases of the gallery that no wider operation cures, and why. */
export const notByOperations: Readonly<Record<string, string>> = {
  'eps-underflow': 'eps is a constant, and 0 in float16 before any operation sees it',
  'beta2-rounds-to-one': 'b2 is a constant, and 1 in bfloat16 before any operation sees it',
  'ring-all-reduce':
    'the partial sums live in a collective, between devices, and not in operations of one program',
  'tanh-reaches-bound': 'the result itself has no bfloat16 number below its bound that is near enough',
  'loss-scale-collapse': 'the scaled gradients are handed over in float16, which has no number that large',
  'clip-then-zero-nans': 'the run is in float32 already: exp overflows there',
}
