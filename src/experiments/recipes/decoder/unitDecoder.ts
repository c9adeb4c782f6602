import * as nn from '../../../models/nn/index.js'
import { foldIn } from '../../../tensors/random/index.js'
import { cast, reshape, slice, type Tensor } from '../../../tensors/tensor/index.js'
import { vocabulary } from '../text/characters.js'
import type { BlockParameters, Decoder, DecoderParts, DecoderSizes } from './decoderParts.js'
import { headsOf } from './heads.js'
import { type Attend, bfloat16Product } from './product.js'

/** The decoder in unit scaling and u-muP: normal weights of variance 1, norms without parameters, tau of the residual branches. */
export function unitDecoder({ width, layers }: DecoderSizes, parts: DecoderParts): Decoder {
  const { product = bfloat16Product, attend = bfloat16UnitAttend } = parts
  const normal = nn.normalWeights({ deviation: 1 })
  return {
    init: (key) => ({
      embedding: { table: normal(foldIn(key, 0), [vocabulary, width]) },
      blocks: Array.from({ length: layers }, (_, i): BlockParameters => {
        const own = foldIn(key, 10 + i)
        return {
          qkv: normal(foldIn(own, 1), [width, 3 * width]),
          out: normal(foldIn(own, 2), [width, width]),
          up: normal(foldIn(own, 4), [width, 4 * width]),
          down: normal(foldIn(own, 5), [2 * width, width]),
        }
      }),
      head: normal(foldIn(key, 2), [width, vocabulary]),
    }),
    apply(params, tokens, words) {
      const [batch, length] = tokens.shape as [number, number]
      const heads = headsOf({ batch, length, width })
      let index = 0
      const through = (layer: string, x: Tensor, w: Tensor): Tensor => {
        const site = { layer, index: index++, words }
        return nn.unitLinear(x, w, { product: (a, b) => product(a, b, site) })
      }
      const normed = (x: Tensor): Tensor => nn.unitRmsNorm(x as Tensor<'float32'>)
      let x: Tensor = reshape(nn.unitEmbedding(params.embedding.table, tokens), [batch * length, width])
      for (const [i, block] of params.blocks.entries()) {
        const name = `block ${i + 1}`
        const tauOf = (branch: number): number => nn.unitResidualTau(2 * i + branch, 2 * layers)
        const attention = (y: Tensor): Tensor => {
          const qkv = through(`${name}, qkv`, normed(y), block.qkv)
          return through(`${name}, out`, heads.together(attend(...heads.split(qkv))), block.out)
        }
        const mlp = (y: Tensor): Tensor => {
          const up = through(`${name}, up`, normed(y), block.up)
          const gate = slice(up, [null, [0, 2 * width]])
          const value = slice(up, [null, [2 * width, 4 * width]])
          return through(`${name}, down`, nn.unitSiluGlu(value, gate), block.down)
        }
        x = nn.unitResidual(x, attention, { tau: tauOf(0) })
        x = nn.unitResidual(x, mlp, { tau: tauOf(1) })
      }
      const site = { layer: 'logits', index, words }
      const logits = nn.unitLinear(normed(x), params.head, {
        readout: true,
        product: (a, b) => bfloat16Product(a, b, site),
      })
      return reshape(logits, [batch, length, vocabulary])
    },
    loss: (logits, next) => nn.unitCrossEntropy(logits as Tensor<'float32'>, next),
  }
}

/** Attention in unit scaling with operands and result in bfloat16 and a softmax in float32. */
const bfloat16UnitAttend: Attend = (q, k, v) => {
  const [a, b, c] = [q, k, v].map((x) => cast(x, 'bfloat16')) as [
    Tensor<'bfloat16'>,
    Tensor<'bfloat16'>,
    Tensor<'bfloat16'>,
  ]
  return cast(nn.unitAttention(a, b, c, { causal: true, internal: 'float32' }), 'float32')
}
