import { attention, causalMask } from '../../../models/kernels/index.js'
import * as nn from '../../../models/nn/index.js'
import { foldIn } from '../../../tensors/random/index.js'
import { add, cast, mean, mul, reshape, sigmoid, slice, type Tensor } from '../../../tensors/tensor/index.js'
import { softmaxCrossEntropyWithIntegerLabels } from '../../../training/losses/index.js'
import { vocabulary } from '../text/characters.js'
import type { BlockParameters, Decoder, DecoderParts, DecoderSizes } from './decoderParts.js'
import { headsOf } from './heads.js'
import { type Attend, bfloat16Product } from './product.js'
import { unitDecoder } from './unitDecoder.js'

/**
 * A decoder of pre-norm blocks: RMS norm, causal attention with RoPE, gated MLP, residual stream in float32. The products inside
 * the blocks are `product`'s; embedding, norms and the product to logits stay wide, as the papers leave them.
 */
export function decoder(sizes: DecoderSizes, parts: DecoderParts = {}): Decoder {
  if (parts.scaling === 'unit') return unitDecoder(sizes, parts)
  const { width, layers } = sizes
  const { product = bfloat16Product, attend = bfloat16Attend } = parts
  const norm = nn.rmsNorm({ features: width })
  const table = nn.embedding({ count: vocabulary, features: width })
  const normal = nn.lecunNormal()
  return {
    init: (key) => ({
      embedding: table.init(foldIn(key, 0)),
      blocks: Array.from({ length: layers }, (_, i): BlockParameters => {
        const own = foldIn(key, 10 + i)
        return {
          first: norm.init(foldIn(own, 0)),
          qkv: normal(foldIn(own, 1), [width, 3 * width]),
          out: normal(foldIn(own, 2), [width, width]),
          second: norm.init(foldIn(own, 3)),
          up: normal(foldIn(own, 4), [width, 4 * width]),
          down: normal(foldIn(own, 5), [2 * width, width]),
        }
      }),
      last: norm.init(foldIn(key, 1)),
      head: normal(foldIn(key, 2), [width, vocabulary]),
    }),
    apply(params, tokens, words) {
      const [batch, length] = tokens.shape as [number, number]
      const rows = batch * length
      let index = 0
      const through = (layer: string, x: Tensor, w: Tensor): Tensor =>
        product(x, w, { layer, index: index++, words })
      const heads = headsOf({ batch, length, width })
      let x = reshape(cast(table.apply(params.embedding, tokens), 'float32'), [rows, width])
      for (const [i, block] of params.blocks.entries()) {
        const name = `block ${i + 1}`
        const qkv = through(`${name}, qkv`, norm.apply(block.first!, x), block.qkv)
        const attended = heads.together(attend(...heads.split(qkv)))
        x = add(x, through(`${name}, out`, attended, block.out))
        const up = through(`${name}, up`, norm.apply(block.second!, x), block.up)
        const gate = slice(up, [null, [0, 2 * width]])
        const value = slice(up, [null, [2 * width, 4 * width]])
        x = add(x, through(`${name}, down`, mul(mul(gate, sigmoid(gate)), value), block.down))
      }
      const site = { layer: 'logits', index, words }
      const logits = bfloat16Product(norm.apply(params.last!, x), params.head, site)
      return reshape(logits, [batch, length, vocabulary])
    },
    loss: (logits, next) => mean(softmaxCrossEntropyWithIntegerLabels(logits, next)),
  }
}

/** Attention with operands and result in bfloat16 and a softmax in float32. */
export const bfloat16Attend: Attend = (q, k, v) => {
  const [a, b, c] = [q, k, v].map((x) => cast(x, 'bfloat16'))
  return cast(attention(a!, b!, c!, { mask: causalMask(), internal: 'float32' }).out, 'float32')
}
