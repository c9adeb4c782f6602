import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { causalMask, ropeFrequencies } from 'tpu-toolkit/kernels'
import { softmaxCrossEntropyWithIntegerLabels } from 'tpu-toolkit/losses'
import * as nn from 'tpu-toolkit/nn'
import { adamw, makeTrainStep } from 'tpu-toolkit/optimizer'
import { foldIn, key, randint } from 'tpu-toolkit/random'
import { cast, mean, type Tensor, tensor, wideDType } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'

/** The sizes of benchmarks/peers/gpt.py. */
const [vocabulary, features, hidden, heads, length, batch] = [128, 128, 256, 4, 128, 8]

/** Where the blocks of a decoder round; norms, embedding and the product to logits are those of the attention. */
export interface Precision {
  readonly name: string
  readonly attention: nn.Policy
  readonly mlp: nn.Policy
}

const mixed: nn.Policy = { params: 'float32', compute: 'bfloat16', output: 'float32' }

export const precisions: readonly Precision[] = [
  { name: 'float64', attention: { params: 'float64' }, mlp: { params: 'float64' } },
  { name: 'float32', attention: { params: 'float32' }, mlp: { params: 'float32' } },
  { name: 'read as bfloat16', attention: mixed, mlp: mixed },
  { name: 'bfloat16 throughout', attention: { params: 'bfloat16' }, mlp: { params: 'bfloat16' } },
  {
    name: 'MLP read as float8_e4m3fn',
    attention: mixed,
    mlp: { params: 'float32', compute: 'float8_e4m3fn', output: 'float32' },
  },
]

/** A decoder of two blocks: RMS norm, causal attention with RoPE; RMS norm, gated MLP. */
export function decoder({ attention: policy, mlp }: Precision) {
  const wide = wideDType(policy.params ?? 'float32')
  const block = nn.sequential([
    nn.residual(
      nn.sequential([
        nn.rmsNorm({ features, policy }),
        nn.attention({
          ...{ features, heads, policy, mask: causalMask() },
          rope: ropeFrequencies({ dim: features / heads, dtype: wide }),
        }),
      ]),
    ),
    nn.residual(
      nn.sequential([
        nn.rmsNorm({ features, policy }),
        nn.mlp({ features, hidden, activation: 'silu', gated: true, policy: mlp }),
      ]),
    ),
  ])
  return nn.sequential([
    nn.embedding({ count: vocabulary, features, policy }),
    block,
    block,
    nn.rmsNorm({ features, policy }),
    nn.linear({ inputs: features, outputs: vocabulary, bias: false, policy }),
  ])
}

/** What a run shows. */
export interface Run {
  readonly losses: readonly number[]
  /** The least time of a step. */
  readonly milliseconds: number
  /** The sum of squares of every parameter at the end. */
  readonly squares: readonly number[]
}

/** The parameters of a decoder. */
export type DecoderParameters = nn.ParametersOf<ReturnType<typeof decoder>>

/** Trains a decoder on a text for some steps: AdamW, every step one compiled program. */
export function trained(
  precision: Precision,
  text: Uint8Array,
  steps: number,
): Run & { readonly params: DecoderParameters } {
  const model = decoder(precision)
  const loss = (
    params: nn.ParametersOf<typeof model>,
    tokens: Tensor<'int32'>,
    next: Tensor<'int32'>,
  ): Tensor => {
    const logits = model.apply(params, tokens)
    const wide = cast(logits, wideDType(logits.dtype))
    return mean(softmaxCrossEntropyWithIntegerLabels(wide, next))
  }
  const rule = adamw({ learningRate: 1e-3, weightDecay: 1e-4 })
  const step = makeTrainStep(compile(valueAndGrad(loss)), rule)
  const params = model.init(key(0))
  let point = { params, state: rule.init(params) }
  const losses: number[] = []
  let milliseconds = Infinity
  for (let i = 0; i < steps; i++) {
    const { tokens, next } = crop(text, i)
    const began = performance.now()
    const trainedPoint = step(point, tokens, next)
    milliseconds = Math.min(milliseconds, performance.now() - began)
    losses.push(trainedPoint.loss.item())
    point = trainedPoint
  }
  const squares = leavesOf(point.params).map((leaf) =>
    leaf.toNumbers().reduce((total, value) => total + value * value, 0),
  )
  return { losses, milliseconds, squares, params: point.params }
}

/** Windows of the text at places drawn for a step, and what follows each of their characters. */
export function crop(text: Uint8Array, step: number) {
  const places = randint(foldIn(key(7), step), batch, { minval: 0, maxval: text.length - length })
  const rows = (from: number): Tensor<'int32'> =>
    tensor(
      Array.from(places, (place) =>
        Array.from(text.subarray(place + from, place + from + length), (code) => code % vocabulary),
      ),
      { dtype: 'int32' },
    )
  return { tokens: rows(0), next: rows(1) }
}
