import { attention, causalMask } from '../../../models/kernels/index.js'
import { valueAndGrad, vjp } from '../../../tensors/autodiff/index.js'
import {
  apply,
  cast,
  type KnownOp,
  matmul,
  type Tensor,
  transpose,
  untraced,
} from '../../../tensors/tensor/index.js'
import type { Attend, Product, Site } from '../decoder/product.js'
import type { BitsLost } from '../record/outcome.js'

interface Tap {
  readonly heard: (cotangent: Tensor) => void
}

/** The operand itself; its cotangent is shown to `heard`. */
const tapOp: KnownOp<Tap> = {
  name: 'tap',
  form: 'whole',
  rounds: 'never',
  kernel: ([x]) => untraced(x!),
  exact: ([x]) => x!,
  gradient: ({ g, attributes: { heard } }) => {
    heard(untraced(g))
    return [g]
  },
}

interface Seen {
  readonly x: Tensor
  readonly w: Tensor
  readonly site: Site
  g: Tensor | undefined
}

/**
 * How far each product of a model is from the exact one, forward and back: `loss` is run once with `product`, whose operands and
 * cotangents are kept, and each of its products is compared with float64's of the same operands.
 */
export function productsLost<P extends object>(
  product: Product,
  loss: (params: P, through: Product) => Tensor,
  params: P,
): BitsLost[] {
  const all: Seen[] = []
  const tapped: Product = (x, w, site) => {
    const seen: Seen = { x: untraced(x), w: untraced(w), site, g: undefined }
    all.push(seen)
    const heard = (g: Tensor): void => {
      seen.g = g
    }
    return apply(tapOp, [product(x, w, site)], { heard })
  }
  valueAndGrad((at: P) => loss(at, tapped))(params)
  return all.flatMap(({ x, w, site, g }): BitsLost[] => {
    if (g === undefined) return []
    const [y, pull] = vjp((a: Tensor, b: Tensor) => product(a, b, site), x, w)
    const [dx, dw] = pull(g)
    const [wideX, wideW, wideG] = [x, w, g].map((one) => cast(one, 'float64')) as [Tensor, Tensor, Tensor]
    return [
      { layer: site.layer, kind: 'forward', error: distance(y, matmul(wideX, wideW)) },
      { layer: site.layer, kind: 'dgrad', error: distance(dx, matmul(wideG, transpose(wideW))) },
      { layer: site.layer, kind: 'wgrad', error: distance(dw, matmul(transpose(wideX), wideG)) },
    ]
  })
}

/**
 * How far the attention of each block is from attention in float64 of the same queries, keys and values, forward alone.
 */
export function attentionLost<P>(
  attend: Attend,
  loss: (params: P, through: Attend) => Tensor,
  params: P,
): BitsLost[] {
  const found: BitsLost[] = []
  loss(params, (q, k, v) => {
    const result = attend(q, k, v)
    const [a, b, c] = [q, k, v].map((x) => cast(untraced(x), 'float64'))
    const exact = attention(a!, b!, c!, { mask: causalMask() }).out
    found.push({
      layer: `block ${found.length + 1}, attention`,
      kind: 'forward',
      error: distance(untraced(result), exact),
    })
    return result
  })
  return found
}

/** The norm of the difference over the norm of the exact values. */
export function distance(found: Tensor, exact: Tensor): number {
  const [near, right] = [found.toNumbers(), exact.toNumbers()]
  let off = 0
  let all = 0
  for (const [i, value] of right.entries()) {
    off += (near[i]! - value) ** 2
    all += value ** 2
  }
  return all === 0 ? 0 : Math.sqrt(off / all)
}
