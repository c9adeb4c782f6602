import { add, fromNumber, toNumber } from 'tpu-toolkit/bf16'
import { Axes, type Field, Line, Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'

const field: Field = { left: 40, right: 350, top: 12, bottom: 122, x: [0, 512], y: [0, 512] }

/** Ones, added up in bfloat16 and exactly. */
function draw() {
  const one = fromNumber(1)
  const codes = [fromNumber(0)]
  for (let i = 1; i <= 512; i++) codes.push(add(codes[i - 1]!, one))
  const places = codes.map((_, i) => i).filter((i) => i % 8 === 0)
  return (
    <>
      <Axes field={field} />
      <Line field={field} x={places} y={places} color="blue" dashed />
      <Line field={field} x={places} y={places.map((i) => toNumber(codes[i]!))} color="red" />
      <Words x={346} y={86} color="red" from="end">
        256 + 1 = 256
      </Words>
      <Words x={250} y={30} color="blue" from="end">
        exactly
      </Words>
      <Words x={36} y={72} from="end">
        256
      </Words>
      <Words x={195} y={142}>
        ones added in bfloat16
      </Words>
    </>
  )
}

export const driftOpening: Opening = {
  question: 'When does a running sum stop growing?',
  draw,
  says: 'The running sum of ones in bfloat16 follows the exact one up to 256 and stays there.',
  formula: (
    <>
      s<sub>i</sub> = round(s<sub>i−1</sub> + x<sub>i</sub>); nothing changes where |x<sub>i</sub>| {'<'} ½
      ulp(s<sub>i−1</sub>)
    </>
  ),
  symbols: [
    ['s, x', 'the running sum, and what is added to it'],
    [
      'ulp(s)',
      'the distance between neighbouring numbers at s: for bfloat16 2^-7 of the power of two below s',
    ],
    [
      'order',
      'which sums are added to which: one after the other, in pairs, or with the lost part carried along',
    ],
    ['bound', 'what the error cannot exceed, known from the length and the dtype before anything is added'],
  ],
  experiments: [
    {
      name: 'Eight bits',
      watch: 'With the 4 significant bits of float8_e4m3fn the sum of ones stalls at 16.',
      values: { dtype: 'float8_e4m3fn' },
    },
    {
      name: 'Add in pairs',
      watch:
        'The same 1,024 ones, the same bfloat16: the sum ends at 1,024, since equals are added to equals.',
      values: { order: 'pairwise' },
    },
    {
      name: 'Carry what is lost',
      watch:
        "Kahan's sum of 1,024 times 0.1 ends at the rounded exact value: it adds what was rounded away to the next value.",
      values: { series: 'tenths', order: 'kahan' },
    },
  ],
  prediction: {
    asks: '0.1 is added 1,024 times in bfloat16, one after the other. Where does the sum end?',
    answers: ['at 102.5', 'at 256', 'at 32'],
    right: 2,
    because:
      'From 32 to 64 the ulp is 0.25. Half of it, 0.125, is more than 0.1: every addition is rounded away from there on. The exact sum is 102.5.',
    values: { series: 'tenths' },
  },
  guide: 'Error bounds and noise',
}
