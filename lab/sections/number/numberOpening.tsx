import { nextDown, nextUp, round } from 'tpu-toolkit/formats'
import { Arrow, Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'

/** 0.1 between the two bfloat16 numbers beside it. */
function draw() {
  const [x, near] = [0.1, round(0.1, 'bfloat16')]
  const [low, high] = [
    near > x ? nextDown(near, 'bfloat16') : near,
    near > x ? near : nextUp(near, 'bfloat16'),
  ]
  const at = (value: number): number => Number((60 + ((value - low) / (high - low)) * 240).toFixed(1))
  const [middle, end] = [at((low + high) / 2), at(near)]
  return (
    <>
      <rect
        x={near === high ? middle : 0}
        y="70"
        width={near === high ? 360 - middle : middle}
        height="24"
        fill="var(--series-green)"
        fill-opacity="0.2"
      />
      <path d="M0 82 H360" stroke="var(--ink)" />
      {[low, high].map((value) => (
        <g key={value}>
          <path d={`M${at(value)} 66 V98`} stroke="var(--ink)" stroke-width="3" />
          <Words x={at(value)} y={118}>
            {value}
          </Words>
        </g>
      ))}
      <path d={`M${middle} 70 V94`} stroke="var(--edge)" stroke-dasharray="3 3" />
      <Words x={middle} y={142}>
        half an ulp
      </Words>
      <circle cx={at(x)} cy="82" r="5" fill="var(--series-red)" />
      <Words x={at(x)} y={26} color="red">
        0.1
      </Words>
      <Arrow from={[at(x), 36]} to={[end, 62]} color="red" />
    </>
  )
}

export const numberOpening: Opening = {
  question: 'What does a format do with a number that it does not have?',
  draw,
  says: 'The decimal 0.1 lies between two bfloat16 numbers, 0.099609375 and 0.10009765625, and is rounded to the nearer one.',
  formula: (
    <>
      x ≈ (−1)<sup>s</sup> · 1.m · 2<sup>e − bias</sup>
    </>
  ),
  symbols: [
    ['s, e, m', 'the bits of a code: sign, exponent, mantissa; e = 0 has 0.m · 2^(1 − bias), the subnormals'],
    ['bias', 'what is taken from the exponent, so that it reaches below 0'],
    [
      'ulp',
      'the distance between neighbouring numbers of the format near x; it doubles at every power of two',
    ],
    ['tie', 'a number just between two neighbours: to nearest, it goes to the even code'],
  ],
  experiments: [
    {
      name: 'Round twice',
      watch:
        'The marked row: 1 + 2^-8 + 2^-40 rounds up, but through float32 it is first made a tie, which then goes down.',
      values: { number: String(1 + 2 ** -8 + 2 ** -40) },
      at: 'roundings',
    },
    {
      name: 'Reach the least number',
      watch: '0.001 in float8_e4m3fn becomes 0.001953125, nearly twice as much: below it there is only 0.',
      values: { format: 'float8_e4m3fn', number: '0.001' },
    },
    {
      name: 'Share a scale',
      watch:
        'One value 32 times the others: in MXFP4, where 32 values share a scale, all the others become 0, in NVFP4 17 of them.',
      values: { outlier: '5' },
      at: 'blocks',
    },
  ],
  prediction: {
    asks: 'The largest number of float8_e4m3fn is 448, and it has no infinity. What does 500 become?',
    answers: ['448', 'NaN', '512'],
    right: 1,
    because:
      'Rounded to its 4 significant bits, 500 would be 512, which the format does not have. Without an infinity it is NaN; only up to 464 does a number round to 448. Who wants 448 has to clip first.',
    values: { format: 'float8_e4m3fn', number: '500' },
  },
  guide: 'The formats',
}
