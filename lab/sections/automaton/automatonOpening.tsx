import { Arrow, Box, Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'

/** A cell and its neighbours, the network, and the state that the update is added to. */
function draw() {
  return (
    <>
      {Array.from({ length: 9 }, (_, i) => (
        <rect
          key={i}
          x={10 + (i % 3) * 26}
          y={30 + Math.floor(i / 3) * 26}
          width="24"
          height="24"
          fill={i === 4 ? 'var(--series-green)' : 'var(--panel)'}
          fill-opacity={i === 4 ? 0.6 : 1}
          stroke="var(--edge)"
        />
      ))}
      <Words x={48} y={130}>
        neighbours
      </Words>
      <Arrow from={[92, 68]} to={[116, 68]} />
      <Box x={118} y={50} width={80} height={36}>
        network
      </Box>
      <Words x={158} y={110}>
        the same
      </Words>
      <Words x={158} y={128}>
        for all cells
      </Words>
      <Arrow from={[202, 68]} to={[244, 68]} color="blue" />
      <Words x={224} y={58} color="blue">
        u
      </Words>
      <Box x={246} y={50} width={106} height={36} color="red">
        round(x + u)
      </Box>
      <path d="M299 50 V14 H48 V26" fill="none" stroke="var(--soft)" stroke-width="1.5" />
      <Words x={299} y={110}>
        u under ½ ulp(x)
      </Words>
      <Words x={299} y={128}>
        is lost
      </Words>
    </>
  )
}

export const automatonOpening: Opening = {
  question: 'How much of a flower is left when every cell keeps its state in few bits?',
  draw,
  says: 'Each cell sees itself and its eight neighbours; one network, the same for all cells, gives an update u, which is added to the state x and rounded; then it begins again.',
  formula: <>x ← round(x + u(neighbours)); the update is lost where |u| {'<'} ½ ulp(x)</>,
  symbols: [
    ['x', 'the state of a cell: 12 numbers, of which four are red, green, blue and opacity'],
    ['u', 'the update, computed in the first dtype that is named'],
    ['state float32', 'the sum is kept in float32, and only the network computes in few bits'],
    ['at random', 'the sum is rounded up as often as the remainder is large'],
  ],
  experiments: [
    {
      name: 'A hole',
      watch: 'At step 64 a hole was cut into all of them; at step 80 compare how far each has closed it.',
      values: { step: '80', wounds: '64:0,-0.3,0.35' },
      at: 'flower',
    },
    {
      name: 'The youngest flower',
      watch: 'At step 16 the flowers are still alike: the updates are large beside the states.',
      values: { step: '16' },
      at: 'flower',
    },
    {
      name: 'Small updates',
      watch:
        'Random automata whose updates are small: the bfloat16 state hardly moves, a float32 state or random rounding follows.',
      values: { power: '-4' },
      at: 'stand-still',
    },
  ],
  prediction: {
    asks: 'A network computes in bfloat16 and its small updates are added to a state. Which of these brings the state nearer to float64?',
    answers: ['a float32 network', 'a float32 state', 'neither'],
    right: 1,
    because:
      'What is lost is lost in the addition to the state, not in the network: float32 for the state alone repairs it, at the cost of one cast a step.',
    values: {},
    at: 'stand-still',
  },
  guide: 'Neural cellular automata',
}
