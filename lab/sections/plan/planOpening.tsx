import { chip } from 'tpu-toolkit/hardware'
import { criticalIntensity } from 'tpu-toolkit/roofline'
import { Axes, type Field, Line, Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'

const field: Field = { left: 14, right: 350, top: 16, bottom: 124, x: [0, 4], y: [-2.6, 0.15] }

/** The roof of a v5p, on logarithmic axes. */
function draw() {
  const critical = Math.log10(criticalIntensity(chip('v5p')))
  const at = (x: number): number => Math.min(0, x - critical)
  return (
    <>
      <Axes field={field} />
      <Line field={field} x={[0, critical, 4]} y={[at(0), 0, 0]} color="blue" />
      <Words x={256} y={16} from="start">
        peak FLOP/s
      </Words>
      <Words x={92} y={52}>
        HBM
      </Words>
      <circle cx="14" cy="110" r="5" fill="var(--series-orange)" />
      <Words x={28} y={116} color="orange" from="start">
        decode one token
      </Words>
      <circle cx="267" cy="22" r="5" fill="var(--series-green)" />
      <Words x={262} y={48} color="green">
        train, 2,048 tokens
      </Words>
      <Words x={182} y={144}>
        FLOPs per byte of HBM
      </Words>
    </>
  )
}

export const planOpening: Opening = {
  question: 'Does the model fit on the slice, and what will bound its step?',
  draw,
  says: 'The roofline of a chip: up to the critical intensity the memory bounds the rate, beyond it the matrix units; decoding one token lies far to the left, training to the right.',
  formula: 'FLOP/s ≤ min(peak, intensity · bandwidth of HBM)',
  symbols: [
    ['intensity', 'FLOPs of an operation by byte that it moves from and to HBM, the memory of the chip'],
    [
      'critical',
      'peak over bandwidth: 166 FLOPs per byte on v5p, 241 on v5e; what has less waits for memory',
    ],
    [
      'ways',
      'how many parts something is cut into: fsdp cuts parameters and batch, tensor cuts each product',
    ],
    ['slice', 'chips connected to a torus, as they are rented'],
  ],
  experiments: [
    {
      name: 'Eight chips of v5e',
      watch:
        'Llama 3 8B with float32 parameters does not fit: one sequence takes 17.92 GiB of 15.75. Choose bfloat16 parameters, and it does.',
      values: { chip: 'v5e', topology: '2x4' },
      at: 'plan-answer',
    },
    {
      name: 'Decode one token',
      watch:
        'Every product has 1 FLOP per byte, since each weight is read for one multiplication: all squares, all bound by HBM.',
      values: { tab: 'operations', tokens: '1', context: '4096', pass: 'forward' },
      at: 'plan-tabs',
    },
    {
      name: 'A product that does not fit the unit',
      watch:
        'An 8 x 4 times 4 x 4 product on 3 x 3 cells is done in four pieces; on average 44.4 % of the cells have work.',
      values: { tab: 'unit', m: '8', n: '4', k: '4' },
      at: 'plan-tabs',
    },
  ],
  prediction: {
    asks: '256 sequences are decoded together on a v5p, each a token with 4,096 before it. What bounds the attention?',
    answers: ['the matrix units, as for the MLP', 'HBM', 'the links between chips'],
    right: 1,
    because:
      'The weights of the MLP serve all 256 sequences, 237 FLOPs per byte. Each sequence has keys and values of its own, so attention stays at 4 however large the batch is.',
    values: { tab: 'operations', rows: '256', tokens: '1', context: '4096', pass: 'forward' },
    at: 'plan-tabs',
  },
  guide: 'Planning without a TPU',
}
