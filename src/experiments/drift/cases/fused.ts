import { readable } from '../../../base/text/index.js'
import { compile } from '../../../tensors/compile/index.js'
import { add, cast, mul, sub, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { normalDraws } from '../lab/driftInputs.js'
import { atLongest, formatNumber } from '../lab/formatNumber.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'

/** Elements, each a chain of its own. */
const size = 512

/** Longer chains are no fusion that a compiler makes. */
const longest = 1024

interface Chain {
  readonly name: string
  readonly step: (y: Tensor, x: Tensor) => Tensor
}

const chains: readonly Chain[] = [
  // Numbers that bfloat16 holds, so that what differs is the rounding of operations alone.
  { name: 'y = 0.875 y + 0.125 x', step: (y, x) => add(mul(y, 0.875), mul(x, 0.125)) },
  { name: 'y = (y + 64) - 64 + x', step: (y, x) => add(sub(add(y, 64), 64), x) },
]

/** A chain as a function of its start and of what it takes in, n times. */
function chainOf({ step }: Chain, n: number): (y: Tensor, x: Tensor) => Tensor {
  return (y, x) => {
    let z = y
    for (let i = 0; i < n; i++) z = step(z, x)
    return z
  }
}

/** What jit changes: chains of elementwise operations rounded after each, and where a fusion ends. */
export const fusedCase: Operation = {
  name: 'fused',
  title: 'Eager against fused',
  about:
    'Chains of elementwise operations on 512 drawn pairs: rounded after every operation, as they are written and as JAX runs them op by op ("eager"), and as XLA may fuse them on TPU v4 to v6e, where xla_allow_excess_precision keeps bfloat16 in float32 until a fusion ends ("fused": `compile(f, { rounding: \'fused\' })`). Constants are exact in bfloat16. Formats other than bfloat16 are rounded after every operation in both.',
  lengthName: 'links',
  lengths: powersOfTwo(1, 256),
  running: false,
  training: true,
  growth: 'maxAbs',
  trials: ({ dtype, seed, lengths }) => {
    const draws = normalDraws(seed, 9, 2 * size)
    const start = tensor(draws.subarray(0, size), { dtype })
    const taken = tensor(draws.subarray(size), { dtype })
    return chains.flatMap((chain) =>
      lengths
        .filter((length) => length <= longest)
        .map((length) => () => {
          const f = chainOf(chain, length)
          return {
            variant: chain.name,
            input: 'normal',
            length,
            reference: f(cast(start, 'float64'), cast(taken, 'float64')).toNumbers(),
            ways: [
              { name: 'eager', role: 'naive' as const, compute: () => f(start, taken) },
              {
                name: 'fused',
                // One rounding in the place of many.
                role: 'stable' as const,
                compute: () => compile(f, { rounding: 'fused' })(start, taken),
              },
            ],
          }
        }),
    )
  },
  finding: (rows, dtype) => {
    const [mean] = chains
    const eager = atLongest(rows, { variant: mean?.name ?? '', way: 'eager' })
    const fused = atLongest(rows, { variant: mean?.name ?? '', way: 'fused' })
    if (!eager || !fused) return ''
    if (eager.maxAbs === fused.maxAbs) {
      return `In ${dtype} jit changes nothing: the worst of ${size} chains of ${readable(eager.length)} links is ${formatNumber(eager.maxAbs)} off either way.`
    }
    return `After ${readable(eager.length)} links the worst of ${size} running means is ${formatNumber(eager.maxAbs)} off where every operation rounds to ${dtype}, and ${formatNumber(fused.maxAbs)} where a fusion rounds once: results under jit are other numbers.`
  },
  figures: () =>
    chains.map(({ name }) => ({
      input: 'normal',
      variant: name,
      measure: 'maxAbs' as const,
      caption: `Error of the worst of 512 results: ${name}.`,
    })),
}
