import { dequantizeBlocks, quantizeBlocks, round } from 'tpu-toolkit/formats'
import { Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'

const values = Float32Array.from({ length: 32 }, (_, i) => Math.sin(0.7 * i + 0.3) * (1 + (i % 5)))

/** Signal to noise of a wave in decibels. */
function decibels(kept: ArrayLike<number>): number {
  let [signal, noise] = [0, 0]
  values.forEach((value, i) => {
    signal += value ** 2
    noise += (value - kept[i]!) ** 2
  })
  return 10 * Math.log10(signal / noise)
}

/** What three formats leave of the same 32 values. */
function draw() {
  const bars = [
    ['bfloat16', decibels(values.map((value) => round(value, 'bfloat16'))), 'blue'],
    ['MXFP8', decibels(dequantizeBlocks(quantizeBlocks(values, { element: 'float8_e4m3fn' }))), 'green'],
    ['MXFP4', decibels(dequantizeBlocks(quantizeBlocks(values, { element: 'float4_e2m1fn' }))), 'orange'],
  ] as const
  return (
    <>
      {bars.map(([name, sqnr, color], i) => (
        <g key={name}>
          <Words x={72} y={36 + 36 * i} from="end">
            {name}
          </Words>
          <rect
            x="80"
            y={22 + 36 * i}
            width={(sqnr * 3.6).toFixed(1)}
            height="20"
            fill={`var(--series-${color})`}
            fill-opacity="0.6"
          />
          <Words x={86 + sqnr * 3.6} y={37 + 36 * i} from="start">
            {`${sqnr.toFixed(0)} dB`}
          </Words>
        </g>
      ))}
      <Words x={180} y={142}>
        signal over noise of the same 32 values
      </Words>
    </>
  )
}

export const fileOpening: Opening = {
  question: 'What is left of these tensors in eight bits, or four?',
  draw,
  says: 'The signal to noise ratio that bfloat16, MXFP8 and MXFP4 leave of the same 32 values, as bars.',
  formula: (
    <>
      SQNR = 10 log<sub>10</sub>(Σ x² / Σ (x − q)²) dB
    </>
  ),
  symbols: [
    ['x, q', 'the values of a tensor, and what the format makes of them'],
    ['SQNR', 'signal to quantisation noise: each bit of mantissa is worth about 6 dB'],
    [
      'MX',
      'blocks of 32 values with a power of two as their scale; NVFP4 has blocks of 16 with a float8 scale',
    ],
    ['scaled', 'divided by one float32 number for the tensor, so that its largest value fits'],
  ],
  experiments: [
    {
      name: 'A sample model',
      watch:
        'One row a tensor, one column a format: bfloat16 first, the blocks of four bits last; the activations have outliers.',
      values: { sample: '1' },
    },
    {
      name: 'With a scale for each tensor',
      watch:
        'The gradient is no longer lost in float8: its values are brought into the range of the format first.',
      values: { sample: '1', way: 'scaled', tensor: 'layer.0.gradient' },
    },
    {
      name: 'A tensor with outliers',
      watch:
        'layer.0.activations: one column is 60 times the others. Its magnitudes have two humps, which a scale must share.',
      values: { sample: '1', tensor: 'layer.0.activations' },
    },
  ],
  prediction: {
    asks: "The sample's gradients are about 2^-20. What does plain float8_e4m3fn, without a scale, leave of them?",
    answers: ['three bits of each', 'the larger half', 'nothing'],
    right: 2,
    because:
      'Its least number is 2^-9: everything up to half of that becomes 0, here all of them. SQNR is 0 dB, and 100 % underflow. MX blocks have a scale and keep them.',
    values: { sample: '1', tensor: 'layer.0.gradient' },
  },
  guide: 'Block formats',
}
