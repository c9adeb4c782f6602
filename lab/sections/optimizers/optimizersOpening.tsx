import { nextUp } from 'tpu-toolkit/formats'
import { Arrow, Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'

/** A parameter of 1 in bfloat16, its neighbours, and an update of 0.001. */
function draw() {
  const ulp = nextUp(1, 'bfloat16') - 1
  const at = (value: number): number => 40 + ((value - 1) / ulp) * 140
  const moved = Number(at(1.001).toFixed(1))
  return (
    <>
      <path d="M10 80 H350" stroke="var(--ink)" />
      {[0, 1, 2].map((steps) => (
        <g key={steps}>
          <path d={`M${at(1 + steps * ulp)} 66 V94`} stroke="var(--ink)" stroke-width="3" />
          <Words x={at(1 + steps * ulp)} y={114}>
            {1 + steps * ulp}
          </Words>
        </g>
      ))}
      <path d={`M${at(1 + ulp / 2)} 70 V90`} stroke="var(--edge)" stroke-dasharray="3 3" />
      <Words x={at(1 + ulp / 2)} y={140}>
        half an ulp: 0.0039
      </Words>
      <Arrow from={[40, 48]} to={[moved, 60]} color="blue" />
      <Words x={72} y={44} color="blue" from="start">
        w + 0.001
      </Words>
      <path
        d={`M${moved} 72 C ${moved + 4} 100, 46 104, 42 92`}
        fill="none"
        stroke="var(--series-red)"
        stroke-width="1.5"
      />
      <Words x={40} y={24} color="red" from="start">
        rounded: 1 again
      </Words>
    </>
  )
}

export const optimizersOpening: Opening = {
  question: 'When does an update move a parameter?',
  draw,
  says: 'A bfloat16 parameter of 1 has its next neighbour at 1.0078; an update of 0.001 ends under half of that distance, and the sum is rounded back to 1.',
  formula: (
    <>
      w ← round(w − η<sub>t</sub> · u); w stays where |η<sub>t</sub> u| {'<'} ½ ulp(w)
    </>
  ),
  symbols: [
    ['w', 'a parameter, as it is stored'],
    ['η_t', 'the learning rate of step t, which a schedule gives'],
    ['u', 'the direction that the optimizer chooses, of a size near 1 with Adam'],
    ['stochastic', 'rounding up as often as the remainder is large: right in the mean'],
    [
      'Kahan, master copy',
      'a second number that keeps what was rounded away; a float32 copy that is updated instead',
    ],
  ],
  experiments: [
    {
      name: 'A rate in eight bits',
      watch:
        'Every rate of the schedule is 0 in float8_e4m3fn: 0.0003 is under half of its least number, 0.00195.',
      values: { rounded: 'float8_e4m3fn' },
      at: 'schedules',
    },
    {
      name: 'A small rate',
      watch:
        'With 0.0001 the updates are under half an ulp: to nearest no parameter moves, and after 300 steps one is 0.03 behind float64; Kahan and the master copy stay within 0.0024.',
      values: { rate: '0.0001' },
      at: 'stored',
    },
    {
      name: 'Wider models',
      watch: 'With one rate for all widths the outputs grow with the width; with muP the line is level.',
      values: { width: '512' },
      at: 'widths',
    },
  ],
  prediction: {
    asks: 'A bfloat16 parameter is 1, and 1,000 updates of 0.001 are added to it, each sum rounded to nearest. Where does it end?',
    answers: ['at 2', 'at 1.5', 'at 1'],
    right: 2,
    because:
      'The next number above 1 is 1.0078. Each sum, 1.001, is nearer to 1: no update is ever taken. Below, the same happens to those of 64 parameters that are large.',
    values: { trained: '1000' },
    at: 'stored',
  },
  guide: 'Optimizers',
}
