import { Arrow, Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'

const machine = (x: number, y: number, name: string) => (
  <g key={`${x} ${y}`}>
    <circle cx={x} cy={y} r="13" fill="var(--panel)" stroke="var(--edge)" />
    <Words x={x} y={y + 5}>
      {name}
    </Words>
  </g>
)

/** Four machines: the partial sum going round the ring, and up a tree. */
function draw() {
  return (
    <>
      {machine(30, 32, '0')}
      {machine(130, 32, '1')}
      {machine(130, 104, '2')}
      {machine(30, 104, '3')}
      <Arrow from={[46, 32]} to={[114, 32]} color="blue" />
      <Arrow from={[130, 48]} to={[130, 88]} color="blue" />
      <Arrow from={[114, 104]} to={[46, 104]} color="blue" />
      <Words x={80} y={72}>
        ring
      </Words>
      <Words x={80} y={144}>
        ((g0+g1)+g2)+g3
      </Words>
      {['0', '1', '2', '3'].map((name, i) => machine(200 + 46 * i, 104, name))}
      <Arrow from={[205, 90]} to={[219, 62]} color="green" />
      <Arrow from={[241, 90]} to={[227, 62]} color="green" />
      <Arrow from={[297, 90]} to={[311, 62]} color="green" />
      <Arrow from={[333, 90]} to={[319, 62]} color="green" />
      <Arrow from={[226, 54]} to={[262, 26]} color="green" />
      <Arrow from={[312, 54]} to={[276, 26]} color="green" />
      <Words x={269} y={72}>
        tree
      </Words>
      <Words x={269} y={144}>
        (g0+g1)+(g2+g3)
      </Words>
    </>
  )
}

export const sumsOpening: Opening = {
  question: 'Why does the same gradient have other bits on another number of machines?',
  draw,
  says: 'Four machines: on a ring the partial sum goes from one to the next, in a tree pairs are added and then the sums of pairs.',
  formula: 'round(round(g0 + g1) + g2) is not round(g0 + round(g1 + g2))',
  symbols: [
    ['g0, g1, …', 'what each machine holds of one element of the gradient'],
    ['all-reduce', 'the operation after which every machine holds the sum of all'],
    ['ring', 'a partial sum that goes round the machines, one addition at each'],
    ['tree', 'pairs, then pairs of pairs: as many levels as log2 of the machines'],
    ['all-to-all', 'each machine gets everything of its share and adds it in the order of the machines'],
  ],
  experiments: [
    {
      name: 'Eight-bit gradients',
      watch:
        '32 machines in float8_e5m2: ring and all-to-all end at 16, the tree at 32; the exact sum is 32.6.',
      values: { dtype: 'float8_e5m2' },
    },
    {
      name: 'Add in float32',
      watch: 'The partial sums are float32 and rounded once at the end: all orders end with the same bits.',
      values: { accumulate: 'float32' },
    },
    {
      name: '64 machines in float32',
      watch:
        'The rings and all-to-all agree, the tree ends two codes above them and that of NCCL one: float32 makes the difference small, not zero.',
      values: { dtype: 'float32', hosts: '64' },
    },
  ],
  prediction: {
    asks: 'Eight machines add bfloat16 numbers near 1 in each order. Do the sums agree?',
    answers: ['no', 'yes, on the rounded exact sum', 'yes, on another number'],
    right: 2,
    because:
      'All of them end at 9. The exact sum is 9.0586, whose nearest bfloat16 number is 9.0625: equal bits are not yet the right ones.',
    values: { hosts: '8' },
  },
  guide: 'Hosts',
}
