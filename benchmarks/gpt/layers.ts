import { causalMask, ropeFrequencies } from 'tpu-toolkit/kernels'
import * as nn from 'tpu-toolkit/nn'
import { logSoftmax } from 'tpu-toolkit/numerics'
import { shadow, tuneChoices } from 'tpu-toolkit/precision'
import { textTable } from 'tpu-toolkit/report'
import { add, cast, exp, mul, slice, sub, sum, type Tensor } from 'tpu-toolkit/tensor'
import { mapTree } from 'tpu-toolkit/tree'
import { crop, type DecoderParameters, precisions, trained } from './decoder.js'

const [features, heads, hidden, vocabulary] = [128, 4, 256, 128]
const policy: nn.Policy = { params: 'bfloat16' }
const choices = ['float8_e4m3fn', 'bfloat16', 'float32'] as const
/** How far probabilities may be from those of float32: the mean Kullback-Leibler divergence of a character, in nats. */
const divergences = [0.001, 0.01, 0.1]

/** One layer after the other of the decoder, each by its name. */
interface Stage {
  readonly name: string
  readonly apply: (params: DecoderParameters, x: Tensor) => Tensor
}

const norm = nn.rmsNorm({ features, policy })
const attention = nn.attention({
  ...{ features, heads, policy, mask: causalMask() },
  rope: ropeFrequencies({ dim: features / heads }),
})
const mlp = nn.mlp({ features, hidden, activation: 'silu', gated: true, policy })
const table = nn.embedding({ count: vocabulary, features, policy })
const head = nn.linear({ inputs: features, outputs: vocabulary, bias: false, policy })

const stages: readonly Stage[] = [
  { name: 'embedding', apply: (params, x) => table.apply(params[0], x) },
  ...([1, 2] as const).flatMap((block): Stage[] => [
    {
      name: `block ${block}, attention`,
      apply: (params, x) => {
        const [ofNorm, ofAttention] = params[block][0]
        return add(x, attention.apply(ofAttention, norm.apply(ofNorm, x)))
      },
    },
    {
      name: `block ${block}, MLP`,
      apply: (params, x) => {
        const [ofNorm, ofMlp] = params[block][1]
        return add(x, mlp.apply(ofMlp, norm.apply(ofNorm, x)))
      },
    },
  ]),
  { name: 'last norm', apply: (params, x) => norm.apply(params[3], x) },
  { name: 'logits', apply: (params, x) => head.apply(params[4], x) },
]

/**
 * Trains the decoder in float32, runs it in bfloat16, and asks the doctor for each layer: results of fp8, bfloat16 or float32, the
 * cheapest of them with which the probabilities of characters that it was not trained on stay near those of float32.
 */
export function layerTable(text: Uint8Array, steps: number): string {
  const { params } = trained(precisions[1]!, text, steps)
  const { tokens } = crop(text, steps + 1)
  const few = (x: Tensor<'int32'>): Tensor<'int32'> =>
    slice(x, [
      [0, 2],
      [0, 32],
    ]) as Tensor<'int32'>
  const inputs = {
    params: mapTree((leaf: Tensor) => cast(leaf, 'bfloat16'), params),
    tokens: few(tokens),
  }
  type Inputs = typeof inputs
  const upTo =
    (count: number) =>
    (given: Inputs): Tensor =>
      stages
        .slice(0, count)
        .reduce<Tensor>((x, { apply }) => apply(given.params as DecoderParameters, x), given.tokens)
  const logits = (given: Inputs): Tensor => cast(upTo(stages.length)(given), 'float32')

  // A step belongs to the first layer whose program has as many.
  const ends = stages.map((_, i) => countOf(upTo(i + 1), inputs))
  const layerOf = (_: unknown, index: number): string =>
    stages[ends.findIndex((end) => index < end)]?.name ?? 'loss'
  const asked = { narrow: 'bfloat16', choices, groupBy: layerOf } as const
  let exact = logits(inputs)
  const keep = (f: (given: Inputs) => Tensor): number => {
    exact = f(inputs)
    return 0
  }
  tuneChoices(logits, inputs, { ...asked, choices: ['float32'], target: { metric: keep, atMost: 0 } })
  const found = divergences.map((atMost) =>
    tuneChoices(logits, inputs, {
      ...asked,
      target: { metric: (f) => divergence(exact, f(inputs)), atMost },
    }),
  )
  const rows = stages.map(({ name }) => ({
    layer: name,
    ...Object.fromEntries(
      found.map(({ chosen }, i) => [
        `${divergences[i]!} nats`,
        chosen.find((one) => one.name === name)?.text ?? '-',
      ]),
    ),
  }))
  const last = {
    layer: 'divergence',
    ...Object.fromEntries(found.map(({ value }, i) => [`${divergences[i]!} nats`, value.toPrecision(2)])),
  }
  const columns = Object.keys(last).map((key) => ({ key }))
  return `${textTable(columns, [...rows, last])}\n`
}

function countOf<T extends Parameters<typeof shadow>[1]>(f: (inputs: T) => Tensor, inputs: T): number {
  const { steps } = shadow(f, inputs, { sites: false }).program
  return steps.filter(({ op }) => op.name !== 'constant').length
}

/** The mean over rows of sum p (log p - log q). */
function divergence(exact: Tensor, other: Tensor): number {
  const [p, q] = [exact, other].map((x) => logSoftmax(cast(x, 'float64')))
  const rows = exact.size / vocabulary
  return sum(mul(exp(p!), sub(p!, q!))).item() / rows
}
