import { Arrow, Axes, Box, type Field, Line, Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'
import { sumAt } from './recorded/sumAt.js'

const field: Field = { left: 12, right: 180, top: 14, bottom: 120, x: [0, 127], y: [14, 33] }

/** The sum of the recorded run before its last step, in it, and exactly. */
function draw() {
  const [before, after] = [sumAt(16.375, 0.06201171875), sumAt(16.375, 0.06298828125)]
  return (
    <>
      <Axes field={field} />
      <Line field={field} x={after.x} y={after.rounded} color="red" />
      <Line field={field} x={before.x} y={before.rounded} color="orange" />
      <Line field={field} x={after.x} y={after.exact} color="blue" dashed />
      <Words x={112} y={26} color="red" from="end">
        dt = 0.0630
      </Words>
      <Words x={178} y={118} color="orange" from="end">
        dt = 0.0620
      </Words>
      <Words x={178} y={94} color="blue" from="end">
        exactly
      </Words>
      <Words x={96} y={140}>
        cs, in bfloat16
      </Words>
      <Arrow from={[186, 67]} to={[206, 67]} />
      <Box x={208} y={10} width={148}>
        |A| · (cs_end − cs_0)
      </Box>
      <Arrow from={[282, 42]} to={[282, 58]} />
      <Box x={222} y={60} width={120}>
        exp( 112.8 )
      </Box>
      <Arrow from={[282, 92]} to={[282, 106]} />
      <Box x={222} y={108} width={120} color="red">
        Inf · 0 = NaN
      </Box>
    </>
  )
}

export const nanOpening: Opening = {
  question: 'Why does a run whose loss is fine for 2,745 steps become NaN in the next one?',
  draw,
  says: 'The running sum in bfloat16 stays at 16.375 with dt 0.0620 and rises to 32 with 0.0630, while the exact sum is 24.4 in both; its span times |A| is the argument of an exponential, which overflows: Inf times 0 is NaN.',
  formula: (
    <>
      y<sub>i</sub> = c · Σ<sub>j ≤ i</sub> exp(A (cs<sub>i</sub> − cs<sub>j</sub>)) · b dt<sub>j</sub> x
      <sub>j</sub>
    </>
  ),
  symbols: [
    ['dt', 'the time step before each of 128 positions, a trained number; the first one is 16'],
    ['cs', 'the running sum of dt: cs_i = cs_(i−1) + dt_i, each addition rounded'],
    ['A, |A|', 'the trained rate of the decay, A < 0; |A| is its magnitude'],
    [
      'factorized',
      'the decay exp(A (cs_i − cs_j)) computed as exp(A cs_i + m) · exp(−A cs_j − m), two vectors instead of a matrix: one of the exponents is |A| (cs_end − cs_0)',
    ],
  ],
  experiments: [
    {
      name: 'Add in float32',
      watch:
        'The blue sum rises smoothly beside the red one, which stalls and jumps; the run beside it is clean at step 330.',
      values: { run: '1' },
      at: 'run-here',
    },
    {
      name: 'Write it as segsum',
      watch:
        'The same bfloat16 sum, but no exponent spans the whole sequence: the run beside it is clean, and its loss is lower.',
      values: { cumsum: 'sequential', form: 'segsum', run: '1' },
      at: 'run-here',
    },
    {
      name: 'Set NaN gradients to 0',
      watch:
        'Both runs are NaN at step 275: the parameters are finite, but the loss at them is not, in this step and every later one.',
      values: { cumsum: 'sequential', zeroNans: '1', run: '1' },
      at: 'run-here',
    },
  ],
  prediction: {
    asks: 'The same run is computed in float16, which has three more bits of mantissa than bfloat16. When is it NaN?',
    answers: ['never', 'at about the same step', 'in its first step'],
    right: 2,
    because:
      "float16's largest number is 65,504, so exp overflows at 11.09; the exponent of the first step is 27.75 already. More mantissa does not help where the range is short.",
    values: { cumsum: 'sequential', dtype: 'float16', run: '1' },
    at: 'run-here',
  },
  guide: 'The NaN at step 2750',
}
