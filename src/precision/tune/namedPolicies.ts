import type { FloatDType } from '../../tensors/tensor/index.js'
import { constantOp, isFloat } from '../../tensors/tensor/index.js'
import { kindOf } from '../program/opKind.js'
import type { Program } from '../program/program.js'
import { readersOfConstants, stepNames } from '../program/stepName.js'
import { composedSteps } from './composedSteps.js'
import type { WidePolicy } from './withPolicy.js'

/** A fixed rule that says by an operation's name where it runs. */
export interface NamedPolicy {
  readonly name: string
  /** Where the lists were read. */
  readonly source: string
  readonly wide: readonly string[]
  readonly narrow: readonly string[]
  /** Functions of several operations that are on the wide list as a whole: all of their parts run wide. Default none. */
  readonly functions?: readonly string[]
  /** On neither list: narrow, wide, or wide where an operand is. */
  readonly otherwise: 'narrow' | 'wide' | 'as operands'
}

const words = (text: string): readonly string[] => text.split(' ')

/**
 * What frameworks and people do by rule, to compare a tuned policy with. Lists name the operations of this package that
 * theirs have; softmax, logSoftmax, layerNorm, logsumexp, norms, the sums or means of squared and absolute errors, Huber losses and
 * Kullback-Leibler divergences are found in the program as a whole, where a list has them; of other composed ones the parts
 * count.
 */
export const namedPolicies: readonly NamedPolicy[] = [
  {
    name: 'pytorch-autocast',
    source: 'https://github.com/pytorch/pytorch/blob/d70fe7f/aten/src/ATen/autocast_mode.h',
    wide: words(
      'acos asin cosh exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow softplus cumprod cumsum sum',
    ),
    narrow: ['matmul'],
    functions: [
      ...['softmax', 'logSoftmax', 'layerNorm', 'logsumexp', 'norm'],
      // mse_loss, l1_loss, huber_loss with smooth_l1_loss, and kl_div.
      ...['squaredError', 'absoluteError', 'huber', 'klDivergence'],
    ],
    otherwise: 'as operands',
  },
  {
    name: 'tensorflow',
    source: 'the lists of automatic mixed precision as of 2020, auto_mixed_precision_lists.h',
    wide: words('exp expm1 mean pow sum'),
    narrow: ['matmul'],
    otherwise: 'as operands',
  },
  {
    name: 'apex-o1',
    source: 'https://github.com/NVIDIA/apex/tree/03421e8/apex/amp/lists',
    wide: words(
      'acos asin cosh exp expm1 log log10 log2 reciprocal rsqrt sinh tan pow softplus cumprod cumsum sum',
    ),
    narrow: ['matmul'],
    functions: ['softmax', 'logSoftmax', 'layerNorm'],
    otherwise: 'as operands',
  },
  {
    name: 'matmul-narrow',
    source: 'the usual advice: matrix products in the narrow dtype, everything else in the wide one',
    wide: [],
    narrow: ['matmul'],
    otherwise: 'wide',
  },
  {
    name: 'cumsum-wide',
    source: 'the checklist of this toolkit: upcast the running sum and nothing else',
    wide: ['cumsum'],
    narrow: [],
    otherwise: 'narrow',
  },
]

/** The steps of a program that a named policy runs wide. */
export function stepsOfNamed(program: Program, named: NamedPolicy, narrow: FloatDType): Set<number> {
  const n = program.inputs.length
  const wide = new Set<number>()
  const isWide = new Set<number>()
  const parts = composedSteps(program, named.functions ?? [])
  for (const [i, { op, operands, output }] of program.steps.entries()) {
    if (!isFloat(output.dtype) || op === constantOp) continue
    const fed = operands.some((operand) => typeof operand === 'number' && isWide.has(operand))
    const rounds = kindOf(op) === 'rounds'
    if (rounds && output.dtype === narrow && (parts.has(i) || runsWide(named, op.name, fed))) wide.add(i)
    if (wide.has(i) || (!rounds && fed)) isWide.add(n + i)
  }
  // A plain number is rounded where it is read.
  for (const [constant, reader] of readersOfConstants(program)) {
    if (wide.has(reader) && program.steps[constant]!.output.dtype === narrow) wide.add(constant)
  }
  return wide
}

function runsWide({ wide, narrow, otherwise }: NamedPolicy, op: string, fed: boolean): boolean {
  if (wide.includes(op)) return true
  if (narrow.includes(op)) return false
  // A cast to the narrow dtype is asked for by the code.
  return otherwise === 'wide' || (otherwise === 'as operands' && fed && op !== 'cast')
}

/** A named policy as one that `withPolicy` takes, for programs with these steps. */
export function widePolicyOf(
  program: Program,
  steps: ReadonlySet<number>,
  { dtype, narrow }: Required<Pick<WidePolicy, 'dtype' | 'narrow'>>,
): WidePolicy {
  const names = stepNames(program, 'operation')
  return { wide: [...new Set([...steps].map((i) => names[i]!))], dtype, narrow, groupBy: 'operation' }
}
