import { certify, shadow, significantBits } from 'tpu-toolkit/precision'
import { key } from 'tpu-toolkit/random'
import { summarise } from '../speed/measure.js'
import { step, stepInputs } from './step.js'

// What the tools cost beside a plain run of the same training step: `npm run bench:precision`. The goal: 4 times for a shadow.
const inputs = stepInputs()
const quiet = { check: false } as const

const ways: readonly (readonly [string, () => unknown, runs?: number])[] = [
  ['plain run', () => step(inputs)],
  ['shadow: reference and decisions', () => shadow(step, inputs, quiet)],
  ['shadow, with events', () => shadow(step, inputs, quiet).events],
  ['shadow, with events and source lines', () => shadow(step, inputs, { check: false, sites: true }).events],
  [
    'shadow, with events and the errors of every element',
    () => {
      const run = shadow(step, inputs, quiet)
      return [run.events, run.program.steps.map((_, i) => run.errors(i))]
    },
  ],
  ['certify', () => certify(step, inputs, { check: false })],
  [
    'significantBits, a sample',
    () => significantBits(step, inputs, { key: key(1), samples: 8, check: false }),
    8,
  ],
]

const rounds = 6
const batch = 40
const warmUp = 15
const times = ways.map((): number[] => [])
// In processor time, collecting garbage included, which others on the machine do not move. By turns, in batches whose first
// runs are not counted: they clear away what the way before left.
for (let round = 0; round < rounds; round++) {
  for (const [i, [, run]] of ways.entries()) {
    for (let k = 0; k < warmUp; k++) run()
    const from = process.cpuUsage()
    for (let k = 0; k < batch; k++) run()
    const { user, system } = process.cpuUsage(from)
    times[i]!.push((user + system) / 1000 / batch)
  }
}

console.log(
  `one step of a bfloat16 state-space layer and its gradient, node ${process.version} ${process.arch}, ${rounds * batch} runs each`,
)
const plain = summarise(times[0]!).median
for (const [i, [name, , runs]] of ways.entries()) {
  const { median, spread } = summarise(times[i]!)
  const own = median / (runs ?? 1)
  console.log(
    `${name.padEnd(52)} ${own.toFixed(3)} ms (spread ${(100 * spread).toFixed(0)} %), ${(own / plain).toFixed(2)} times the plain run`,
  )
}
