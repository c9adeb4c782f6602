import { applyRope, causalMask, ropeCache, ropeFrequencies } from '../../../models/kernels/index.js'
import * as nn from '../../../models/nn/index.js'
import { adamw, makeTrainStep } from '../../../optimizer/index.js'
import { valueAndGrad } from '../../../tensors/autodiff/index.js'
import { compile } from '../../../tensors/compile/index.js'
import { foldIn, type Key, key, randint } from '../../../tensors/random/index.js'
import { mean, reshape, slice, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { softmaxCrossEntropyWithIntegerLabels } from '../../../training/losses/index.js'

const [vocabulary, features, hidden, window, batch] = [128, 64, 128, 128, 4]

/** Activations of a trained model, row by row: those of one head, and the stream behind the block. */
export interface Activations {
  readonly q: Float64Array
  readonly k: Float64Array
  readonly v: Float64Array
  readonly x: Float64Array
  readonly w: Float64Array
  /** The loss of every step that it was trained. */
  readonly losses: readonly number[]
}

/** A decoder of one block with one head of 64, characters in and out; float32. */
function decoder() {
  const rope = ropeFrequencies({ dim: features })
  const parts = {
    embed: nn.embedding({ count: vocabulary, features }),
    before: nn.rmsNorm({ features }),
    attention: nn.attention({ features, heads: 1, mask: causalMask(), rope }),
    between: nn.rmsNorm({ features }),
    mlp: nn.mlp({ features, hidden, activation: 'silu', gated: true }),
    last: nn.rmsNorm({ features }),
    logits: nn.linear({ inputs: features, outputs: vocabulary, bias: false }),
  }
  const block = nn.sequential([
    parts.embed,
    nn.residual(nn.sequential([parts.before, parts.attention])),
    nn.residual(nn.sequential([parts.between, parts.mlp])),
  ])
  return { parts, rope, block, whole: nn.sequential([block, parts.last, parts.logits]) }
}

/**
 * Trains a small decoder on a text, AdamW, some dozen steps, and reads it over `length` characters: queries and keys turned to
 * their positions, values, and the stream behind the block, in windows of 128 as it was trained.
 */
export function trainedActivations(
  text: Uint8Array,
  length: number,
  steps: number,
  seed: number,
): Activations {
  const { parts, rope, block, whole } = decoder()
  const loss = (params: nn.ParametersOf<typeof whole>, tokens: Tensor<'int32'>, next: Tensor<'int32'>) =>
    mean(softmaxCrossEntropyWithIntegerLabels(whole.apply(params, tokens), next))
  const rule = adamw({ learningRate: 3e-3, weightDecay: 1e-4 })
  const step = makeTrainStep(compile(valueAndGrad(loss)), rule)
  const params = whole.init(key(seed))
  let point = { params, state: rule.init(params) }
  const losses: number[] = []
  for (let i = 0; i < steps; i++) {
    const { tokens, next } = windows(text, foldIn(key(seed), i + 1))
    const trained = step(point, tokens, next)
    losses.push(trained.loss.item())
    point = trained
  }
  const [ofBlock, , ofLogits] = point.params
  const [ofTable, [ofNorm, ofAttention]] = ofBlock
  const padded = Math.ceil(length / window) * window
  const tokens = reshape(characters(text, 0, padded), [padded / window, window])
  const stream = slice(reshape(block.apply(ofBlock, tokens), [padded, features]), [[0, length]])
  const rows = parts.before.apply(ofNorm, parts.embed.apply(ofTable, characters(text, 0, length)))
  const inputs = nn.linear({ inputs: features, outputs: features, bias: false })
  const turned = ropeCache(
    rope,
    Array.from({ length }, (_, position) => position),
  )
  const [q, k, v] = [ofAttention.query, ofAttention.key, ofAttention.value].map((of) =>
    inputs.apply(of, rows),
  )
  const numbers = (x: Tensor): Float64Array => Float64Array.from(x.toNumbers())
  return {
    q: numbers(applyRope(q as Tensor<'float32'>, turned)),
    k: numbers(applyRope(k as Tensor<'float32'>, turned)),
    v: numbers(v!),
    x: numbers(stream),
    w: numbers(ofLogits.weight),
    losses,
  }
}

/** Windows of the text at drawn places, and what follows each of their characters. */
function windows(text: Uint8Array, at: Key): { tokens: Tensor<'int32'>; next: Tensor<'int32'> } {
  const places = randint(at, batch, { minval: 0, maxval: Math.max(1, text.length - window) })
  const rows = (from: number): Tensor<'int32'> =>
    tensor(
      Array.from(places, (place) =>
        Array.from({ length: window }, (_, i) => text[(place + from + i) % text.length]! % vocabulary),
      ),
      { dtype: 'int32' },
    )
  return { tokens: rows(0), next: rows(1) }
}

/** Characters of the text from a place on, from its beginning again where it ends. */
function characters(text: Uint8Array, from: number, count: number): Tensor<'int32'> {
  return tensor(
    Array.from({ length: count }, (_, i) => text[(from + i) % text.length]! % vocabulary),
    { dtype: 'int32' },
  )
}
