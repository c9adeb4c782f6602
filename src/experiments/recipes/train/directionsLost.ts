import { scaleByMuon } from '../../../optimizer/index.js'
import { grad } from '../../../tensors/autodiff/index.js'
import type { FloatDType, Tensor } from '../../../tensors/tensor/index.js'
import { leavesOf } from '../../../tensors/tree/index.js'
import type { BlockParameters, DecoderParameters } from '../decoder/decoderParts.js'
import type { BitsLost } from '../record/outcome.js'
import { distance } from './bitsLost.js'

const matrices = ['qkv', 'out', 'up', 'down'] as const satisfies readonly (keyof BlockParameters)[]

/** How far muon's direction of each matrix of the blocks, of its gradient alone, is from that of Newton-Schulz steps in float64. */
export function directionsLost(
  nsDtype: FloatDType,
  loss: (params: DecoderParameters) => Tensor,
  params: DecoderParameters,
): BitsLost[] {
  const grads = grad(loss)(params)
  return grads.blocks.flatMap((block, i) =>
    matrices.map((name): BitsLost => {
      const [found, exact] = [nsDtype, 'float64' as const].map((dtype) => directionOf(block[name], dtype))
      return { layer: `block ${i + 1}, ${name}`, kind: 'update', error: distance(found!, exact!) }
    }),
  )
}

function directionOf(g: Tensor, nsDtype: FloatDType): Tensor {
  const rule = scaleByMuon({ beta: 0, nesterov: false, nsDtype })
  const [direction] = rule.update([g], rule.init([g]), [g])
  return leavesOf(direction)[0]!
}
