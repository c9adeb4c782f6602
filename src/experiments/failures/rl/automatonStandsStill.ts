import { checkInteger, checkName } from '../../../base/options/index.js'
import { type NcaParams, type NcaRolloutOptions, ncaRollout } from '../../../models/nca/index.js'
import { key } from '../../../tensors/random/index.js'
import {
  add,
  cast,
  type FloatDType,
  matmul,
  relu,
  type Tensor,
  zeros,
} from '../../../tensors/tensor/index.js'
import { mapTree } from '../../../tensors/tree/index.js'
import { bfloat16Draws } from '../record/bfloat16Draws.js'
import { examination } from '../record/examination.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The automaton's state. */
export interface AutomatonStandsStillOptions extends DTypeOption {
  /** How a new state is rounded to it. Default: 'nearest-even'. */
  readonly rounding?: 'nearest-even' | 'stochastic'
  /** Into how many steps a unit of time is cut: the update is divided by it. Default: 64. */
  readonly steps?: number
}

const [side, channels, hidden] = [8, 8, 32]
const numbers = side * side * channels

/**
 * A neural cellular automaton on a torus, computed with bfloat16, one unit of time in more and more steps.
 *
 * Readings  `unchanged`: numbers of the state that a step left as they were, over all steps, of 512 in each; `off`: how far the last
 *           state is from that of float64, in percent of how far that one moved, one digit after the point. The stable twin
 *           keeps the state in float32 and computes with bfloat16 as well.
 *
 * @example automatonStandsStill.run().naive.off > 50 // true
 */
export const automatonStandsStill: Failure<AutomatonStandsStillOptions> =
  failure<AutomatonStandsStillOptions>({
    id: 'automaton-stands-still',
    title: 'An automaton stands still in bfloat16',
    story:
      'A neural cellular automaton adds to every cell what a small network makes of its neighbours. The smaller the step of time, the nearer that is to a flow, and the smaller is what is added: in bfloat16 it is under half an ulp of what it is added to, and lost. The network computes the right updates in every step, nothing is NaN, and the picture does not move. Automata whose last weights begin as zeros start there.',
    source: 'https://arxiv.org/abs/2404.06279',
    reported:
      'The update of an automaton that makes textures is read as one Euler step of an equation, and its size is turned down at will to set how fast a pattern forms and to see whether what was learned is the flow or its steps. What rounding makes of small steps is not its subject.',
    repairs: [
      { change: 'a state of float32, all else in bfloat16', options: { dtype: 'float32' } },
      { change: 'rounding at random, still bfloat16', options: { rounding: 'stochastic' } },
      { change: 'the same time in 8 steps', options: { steps: 8 } },
    ],
    cure: examination('cells of an automaton that see themselves alone, a unit of time in 64 steps', () => {
      const inputs = {
        state: bfloat16Draws(38, [side, channels]),
        w1: drawn(36, [channels, hidden], 0.5),
        w2: drawn(37, [hidden, channels], 0.0625 / 64),
      }
      const wide = flow(mapTree((leaf) => cast(leaf, 'float64'), inputs)).toNumbers()
      const way = distance(wide, inputs.state.toNumbers())
      return {
        f: flow,
        inputs,
        question: 'the last state off by a tenth of the way at most',
        target: { holds: (g) => distance(g(inputs).toNumbers(), wide) <= way / 10 },
        groupBy: 'name',
      }
    }),
    options: { dtype: 'optional', rounding: 'optional', steps: 'optional' },
    run({ dtype = 'bfloat16', rounding = 'nearest-even', steps = 64 }) {
      checkName(this.id, 'rounding', rounding, ['nearest-even', 'stochastic'])
      checkInteger(this.id, 'steps', steps, 1, 512)
      const { naive, stable } = measured(steps, dtype, rounding)
      const holds = naive.off > 30 && stable.off < 10
      const all = steps * numbers
      const seen = [4, 8, 16, 32, 64].map((x) => ({
        x,
        ...(x === steps ? { naive, stable } : measured(x, dtype, rounding)),
      }))
      return {
        naive,
        stable,
        holds,
        text: holds
          ? `${say(naive.unchanged)} of ${say(all)} updates leave the state as it is, and it ends ${say(naive.off)} % of the way off; with a float32 state ${say(stable.off)} %.`
          : `${say(naive.unchanged)} of ${say(all)} updates leave the state as it is, and it ends ${say(naive.off)} % of the way off.`,
        figure: {
          caption: `${side} x ${side} cells of ${channels} numbers on a torus, computed with bfloat16, for one unit of time.`,
          axes: [{ label: 'steps in a unit of time', scale: 'log2' }, 'percent of the way off'],
          series: [
            blue(
              'state float32',
              seen.map(({ x, stable: { off } }) => ({ x, y: off })),
            ),
            red(
              `state ${dtype}${rounding === 'stochastic' ? ', at random' : ''}`,
              seen.map(({ x, naive: { off } }) => ({ x, y: off })),
            ),
          ],
        },
      }
    },
  })

/** Drawn parameters, the last of them divided by the steps of a unit of time. */
function automaton(steps: number): NcaParams {
  return {
    w1: drawn(36, [3 * channels, hidden], 0.25),
    b1: zeros([hidden], { dtype: 'bfloat16' }),
    w2: drawn(37, [hidden, channels], 0.03125 / steps),
    b2: zeros([channels], { dtype: 'bfloat16' }),
  }
}

const drawn = (seed: number, shape: readonly number[], deviation: number): Tensor =>
  bfloat16Draws(seed, shape, { deviation })

const started = (): Tensor => bfloat16Draws(38, [side, side, channels])

/** The states of all steps. */
function states(
  steps: number,
  dtype: FloatDType,
  stateDtype: FloatDType,
  rounding: 'nearest-even' | 'stochastic',
): Float64Array {
  const options: NcaRolloutOptions = {
    ...{ steps, dtype, stateDtype, padding: 'wrap', keep: 'all' },
    ...(rounding === 'stochastic' && { rounding, key: key(39) }),
  }
  return ncaRollout(automaton(steps), started(), options).toNumbers()
}

type Measured = { readonly unchanged: number; readonly off: number }

/** With a state of the dtype, and with one of float32. */
function measured(
  steps: number,
  dtype: FloatDType,
  rounding: 'nearest-even' | 'stochastic',
): { readonly naive: Measured; readonly stable: Measured } {
  const start = started().toNumbers()
  const exact = states(steps, 'float64', 'float64', 'nearest-even').subarray(-numbers)
  const way = distance(exact, start)
  const of = (seen: Float64Array): Measured => ({
    unchanged: seen.filter((value, i) => value === (i < numbers ? start[i] : seen[i - numbers])).length,
    off: Math.round((1000 * distance(seen.subarray(-numbers), exact)) / way) / 10,
  })
  return {
    naive: of(states(steps, 'bfloat16', dtype, rounding)),
    stable: of(states(steps, 'bfloat16', 'float32', 'nearest-even')),
  }
}

function distance(a: Float64Array, b: Float64Array): number {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0))
}

/** Cells that see themselves alone, through 64 steps. */
function flow({ state, w1, w2 }: { readonly [name: string]: Tensor }): Tensor {
  let x = state!
  for (let i = 0; i < 64; i++) x = add(x, matmul(relu(matmul(x, w1!)), w2!))
  return x
}
