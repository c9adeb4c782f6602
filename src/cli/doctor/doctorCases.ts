import { bfloat16Draws, type Examination, examination, gallery } from '../../experiments/failures/index.js'
import { layerNorm, naiveCovariance, softmax } from '../../numerics/index.js'
import { type Tensor, zeros } from '../../tensors/tensor/index.js'
import { adamwStageOf, adamwSteps } from './adamw.js'

/** An examination by its name on the command line. */
export interface DoctorCase extends Examination {
  readonly id: string
  /** Source lines that the report leaves out. Default none. */
  readonly ignore?: readonly string[]
  /** What was taken for granted, in sentences below the title. Default none. */
  readonly notes?: readonly string[]
  /** Lines below the report, which gets them its text: the source lines of a program of a file. Default none. */
  readonly footnotes?: (text: string) => readonly string[]
}

/** What the doctor examines without further options, by name: usual computations, then cases of the gallery. */
export const doctorCases: readonly DoctorCase[] = [
  {
    id: 'softmax',
    ...examination('softmax of 8 rows of 64 logits with deviation 4', () => ({
      f: (x: Tensor<'bfloat16'>) => softmax(x, { accumulate: x.dtype }),
      inputs: bfloat16Draws(1, [8, 64], { deviation: 4 }),
      question: 'every element within one step of the correctly rounded one',
      target: { maxBits: 1 },
    })),
  },
  {
    id: 'layer-norm',
    ...examination('layer norm of 8 rows of 64 activations with mean 10', () => ({
      f: (x: Tensor<'bfloat16'>) => layerNorm(x, { accumulate: x.dtype }),
      inputs: bfloat16Draws(2, [8, 64], { mean: 10 }),
      question: 'half a bit of error in the mean',
      target: { meanBits: 0.5 },
    })),
  },
  {
    id: 'covariance',
    ...examination('covariance of 128 rows of 4 features with mean 20', () => ({
      f: (z: Tensor) => naiveCovariance(z),
      inputs: bfloat16Draws(3, [128, 4], { mean: 20 }),
      question: 'half a bit of error in the mean',
      target: { meanBits: 0.5 },
    })),
  },
  {
    id: 'adamw',
    ...examination('10 steps of AdamW on 64 parameters, moments and all in bfloat16', () => ({
      f: adamwSteps,
      inputs: {
        w: bfloat16Draws(4, [64]),
        m: zeros([64], { dtype: 'bfloat16' }),
        v: zeros([64], { dtype: 'bfloat16' }),
        g: bfloat16Draws(5, [10, 64], { deviation: 0.1 }),
      },
      question: 'parameters half a bit off in the mean, where a stage is made wide in all steps at once',
      target: { meanBits: 0.5 },
      groupBy: (_, i) => adamwStageOf(i),
    })),
  },
  ...gallery.flatMap(({ id, cure }) => ('none' in cure ? [] : [{ id, ...cure }])),
]
