import { Arrow, Box, Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'
import { packProgram } from '../../parts/packProgram.js'
import { firstProgram } from './firstProgram.js'

const variance = `import { mean, random, square, sub, tensor } from 'tpu-toolkit'

// The mean of the squares less the square of the mean: two numbers near 10,000 whose difference is about 1.
export const f = ({ x }) => sub(mean(square(x)), square(mean(x)))

const draws = random.normal(random.key(1), 512)
export const inputs = { x: tensor(draws.map((draw) => 100 + draw), { dtype: 'bfloat16' }) }

console.log('the variance:', f(inputs).item())
`

const steady = `import { mean, random, square, sub, tensor } from 'tpu-toolkit'

// The mean subtracted first: nothing large is left to cancel.
export const f = ({ x }) => mean(square(sub(x, mean(x))))

const draws = random.normal(random.key(1), 512)
export const inputs = { x: tensor(draws.map((draw) => 100 + draw), { dtype: 'bfloat16' }) }

console.log('the variance:', f(inputs).item())
`

const logarithm = `import { add, log, log1p, tensor } from 'tpu-toolkit'

// Near 1 bfloat16 numbers are 0.0078 apart: 1 + 0.0001 is 1.
export const f = ({ x }) => log(add(x, 1))

export const inputs = { x: tensor([1e-4], { dtype: 'bfloat16' }) }

console.log('log(1 + x):', f(inputs).toString())
console.log('log1p(x):', log1p(inputs.x).toString())
`

/** A program: its operations rounded, beside the same ones that are not. */
function draw() {
  const lines = ['exp(x)', 'naiveSum', 'div']
  return (
    <>
      <Words x={62} y={18}>
        program
      </Words>
      <Words x={180} y={18}>
        rounded
      </Words>
      <Words x={296} y={18}>
        not rounded
      </Words>
      {lines.map((line, i) => {
        const lost = i === 1
        return (
          <g key={line}>
            <Words x={62} y={48 + 36 * i} bold={lost}>
              {line}
            </Words>
            <Box x={140} y={28 + 36 * i} width={80} color={lost ? 'red' : 'green'}>
              {lost ? '5 bits' : '8 bits'}
            </Box>
            <Box x={256} y={28 + 36 * i} width={80}>
              exact
            </Box>
            <Arrow from={[250, 43 + 36 * i]} to={[226, 43 + 36 * i]} color={lost ? 'red' : 'green'} />
          </g>
        )
      })}
      <Words x={238} y={146}>
        compared at every line
      </Words>
    </>
  )
}

export const programOpening: Opening = {
  question: 'Which line of a program loses the bits?',
  draw,
  says: 'Each line of a program is computed twice, rounded as the dtype asks and not rounded; the line where the two part is the one that loses the bits.',
  formula: 'bits lost by a line = log2(error after it / half an ulp)',
  symbols: [
    ['f, inputs', 'what a program exports to be examined: a function of named tensors, and the tensors'],
    ['shadow', 'the same operations without rounding, beside those of the program'],
    ['share', 'the part of the error of the result that comes from a line'],
    ['certified', 'a bound that no rounding of these inputs can exceed'],
  ],
  experiments: [
    {
      name: 'A softmax as on paper',
      watch: 'Press Run: the line of naiveSum is marked. Its 512 additions are each rounded to bfloat16.',
      values: async () => ({ program: await packProgram(firstProgram) }),
      at: 'the-editor',
    },
    {
      name: 'A variance that cancels',
      watch:
        'Press Run: it prints 0, where the variance is about 1. Both terms are near 10,000, and bfloat16 numbers there are 64 apart.',
      values: async () => ({ program: await packProgram(variance) }),
      at: 'the-editor',
    },
    {
      name: 'The same, mean first',
      watch:
        'Press Run: it prints 1.046875. The same inputs and dtype; only the order of the operations differs.',
      values: async () => ({ program: await packProgram(steady) }),
      at: 'the-editor',
    },
  ],
  prediction: {
    asks: 'In bfloat16 x is 0.0001. What is log(1 + x)?',
    answers: ['about 0.0001', '0', 'NaN'],
    right: 1,
    because:
      '1 + 0.0001 rounds to 1, and the logarithm of 1 is 0. log1p(x) does not form the sum, and is 0.0001. Press Run to see both.',
    values: async () => ({ program: await packProgram(logarithm) }),
    at: 'the-editor',
  },
  guide: 'The precision doctor',
}
