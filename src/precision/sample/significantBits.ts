import { checkFunction, checkOptions, type OptionTable } from '../../base/options/index.js'
import { foldIn, type Key } from '../../tensors/random/index.js'
import { isFloat, type Tensor, tensor } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { constantText, isConstant } from '../program/constantOf.js'
import { kindOf } from '../program/opKind.js'
import { type Program, programOf, recorded, type Step, type TensorFunction } from '../program/program.js'
import { checkDeterministic, describeStep } from '../replay/checkRun.js'
import { sameBits } from '../replay/replay.js'
import { estimator, type Significance } from './significance.js'
import type { RandomRounding } from './stochasticRound.js'
import { roundsAtRandom, type StochasticRun, stochasticRun } from './stochasticRun.js'

/** How a computation is sampled. */
export interface SignificantBitsOptions {
  /** Runs with random roundings, 2 or more. Default 30: all of them agreeing is 95 % sure of 90 % of all results. */
  readonly samples?: number
  /** Where the randomness comes from; the same key gives the same samples. */
  readonly key: Key
  /** Default 'stochastic', which is unbiased; 'random' is CESTAC's and Verrou's. */
  readonly rounding?: RandomRounding
  /** Which steps round at random; the others as always. Default: all that round. */
  readonly steps?: (step: Step, index: number) => boolean
  /** As in `significance`. Default .95 both. */
  readonly probability?: number
  readonly confidence?: number
  /** Run `f` once more, to see whether it is deterministic. Default true. */
  readonly check?: boolean
}

const sampleNames: OptionTable<SignificantBitsOptions> = {
  key: 'required',
  samples: 'optional',
  rounding: 'optional',
  steps: 'optional',
  probability: 'optional',
  confidence: 'optional',
  check: 'optional',
}

/** What the samples of one output say, element by element. */
export interface SampledOutput {
  /** The mean of the samples. */
  readonly mean: Tensor<'float64'>
  readonly deviation: Tensor<'float64'>
  /** Significant bits, a point estimate; Infinity where all samples agree, at most the precision elsewhere. */
  readonly plain: Tensor<'float64'>
  /** At least this many, with the confidence. */
  readonly significant: Tensor<'float64'>
  /** All results of `significance`, element by element. */
  readonly elements: readonly Significance[]
}

/** The significant bits of every output, and what sampling could not see. */
export interface SignificantBits {
  readonly outputs: readonly SampledOutput[]
  readonly samples: number
  /** Steps that rounded at random. */
  readonly steps: readonly number[]
  /** What agreement between samples does not exclude here, in words; never empty. */
  readonly unseen: readonly string[]
}

/**
 * Monte Carlo arithmetic: a computation run repeatedly with operations rounded at random instead of to nearest. Bits
 * that the samples share are not noise; whether they are right is another question, see `unseen`.
 *
 * Shape     of each output. Dtype float64. Steps in float64 itself are not perturbed, and sums round each addition at random.
 * Rounding  up or down by a word that depends on the key, the sample, the step and the element alone.
 * Throws    fewer than 2 samples, no key, an `f` that is not deterministic: RangeError, TypeError.
 * Cost      as many runs in float64; some 250 ns a rounding of a result, 450 ns an addition inside a sum, and 250 ns a sample of an
 *           output element for its estimates.
 * Source    Parker, Pierce, Eggert, Monte Carlo arithmetic, doi:10.1109/5992.852391; the estimators: `significance`.
 *
 * @example significantBits((x) => mul(x, x), tensor(1.1), { key: random.key(0) }).outputs[0].significant.item() > 20 // true
 */
export function significantBits<T extends Treelike>(
  f: TensorFunction<T>,
  inputs: T,
  options: SignificantBitsOptions,
): SignificantBits {
  checkFunction('significantBits', 'f', f)
  checkOptions('significantBits', options, sampleNames)
  const { samples = 30, rounding = 'stochastic', steps = () => true, check = true } = options
  if (!Number.isInteger(samples) || samples < 2) {
    throw new RangeError(`significantBits: needs two samples or more [${samples}]`)
  }
  if (!options.key?.data) {
    throw new TypeError(`significantBits: needs a key of random [${String(options.key)}]`)
  }
  if (rounding !== 'stochastic' && rounding !== 'random') {
    throw new RangeError(`significantBits: unknown rounding [${String(rounding)}]`)
  }
  checkFunction('significantBits', 'steps', steps)
  const program = programOf('significantBits', f, inputs)
  if (check) checkDeterministic('significantBits', program, f, inputs)
  const chosen = [...program.steps.keys()].filter(
    (i) => roundsAtRandom(program.steps[i]!) && steps(program.steps[i]!, i),
  )
  const set = new Set(chosen)
  const runs = Array.from({ length: samples }, (_, k) =>
    stochasticRun(program, (i) => set.has(i), foldIn(options.key, k), rounding),
  )
  const outputs = program.outputs.flatMap((output) => {
    const own = recorded(program, output)
    return isFloat(own.dtype)
      ? [
          sampled(
            own,
            runs.map((run) => run.valueOf(output).toNumbers()),
            options,
          ),
        ]
      : []
  })
  return { outputs, samples, steps: chosen, unseen: unseenBy(program, runs, outputs) }
}

function sampled(
  own: Tensor,
  lists: readonly Float64Array[],
  { probability = 0.95, confidence = 0.95 }: SignificantBitsOptions,
): SampledOutput {
  const judge = estimator(lists.length, { probability, confidence })
  const elements = Array.from({ length: own.size }, (_, i) => judge(lists.map((list) => list[i]!)))
  const of = (name: 'mean' | 'deviation' | 'plain' | 'significant'): Tensor<'float64'> =>
    tensor(
      Float64Array.from(elements, (element) => element[name]),
      { shape: own.shape, dtype: 'float64' },
    )
  return {
    mean: of('mean'),
    deviation: of('deviation'),
    plain: of('plain'),
    significant: of('significant'),
    elements,
  }
}

function unseenBy(
  program: Program,
  runs: readonly StochasticRun[],
  outputs: readonly SampledOutput[],
): string[] {
  const said = [
    'an error that all samples share: a bias, a wrong formula, an iteration that settles on a wrong limit',
  ]
  for (const [i, { elements }] of outputs.entries()) {
    const still = elements.filter(({ deviation }) => deviation === 0).length
    if (still > 0) {
      said.push(
        `output ${i}: ${still} of ${elements.length} elements never changed: exact, or all samples wrong alike`,
      )
    }
    const bad = elements.filter(({ mean }) => !Number.isFinite(mean)).length
    if (bad > 0) {
      said.push(
        `output ${i}: ${bad} of ${elements.length} elements overflowed or are NaN: no bits to compare`,
      )
    }
  }
  const constants = program.steps.filter(isConstant)
  if (constants.length > 0) {
    const texts = new Set(constants.map(constantText))
    said.push(`constants that rounding changed, alike in all samples: ${[...texts].slice(0, 3).join(', ')}`)
  }
  for (const [i, step] of program.steps.entries()) {
    if (kindOf(step.op) !== 'decides') continue
    const value = program.inputs.length + i
    const alike = runs.every((run) => sameBits(run.valueOf(value), step.output))
    said.push(
      alike
        ? `step ${i} ${describeStep(step)}: decided alike in all samples, right or wrong`
        : `step ${i} ${describeStep(step)}: decided differently from sample to sample, so they are not one computation`,
    )
  }
  return said
}
