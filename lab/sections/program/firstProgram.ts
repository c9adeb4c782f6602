/** What stands in the editor before anything else does. */
export const firstProgram = `import { div, exp, naiveSum, random, sum, tensor } from 'tpu-toolkit'

// The softmax as it is written on paper, every addition in bfloat16.
export const f = ({ x }) => {
  const weights = exp(x)
  const total = naiveSum(weights)
  return div(weights, total)
}

const draws = random.normal(random.key(1), 512)
export const inputs = { x: tensor(draws, { dtype: 'bfloat16' }) }

// The least to keep wide for 7 right bits of 8 in the mean.
export const target = { meanBits: 1 }

console.log('the sum of the weights:', sum(f(inputs)).item())
`
