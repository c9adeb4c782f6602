import { checkFunction } from '../../base/options/index.js'
import { dtypeArithmetic, isWide, type Operand, programOf, recorded, replay } from '../../precision/index.js'
import { dtypeFacts, isFloat, type Tensor } from '../../tensors/tensor/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'

/** What is known of a layer: squares of its gradient and of what is wrong with it. */
interface Layer {
  squares: number
  wrong: number
  /** The most bits that its leaves have. */
  precision: number
}

/**
 * How many bits of a gradient are right, layer by layer, as the metrics of a step: `effectiveBits/layers.0` and so on, and the fewest of
 * all under `effectiveBits`. The gradient is recorded and run again without rounding; the bits of a layer are log2 of the norm of its
 * gradient over the norm of the error, at least 0 and at most the significand bits of its dtype.
 *
 * Shape     `gradient` takes the parameters and gives a tree of gradients. A layer is a leaf's path without its last part, so that weights
 *           and biases count together; a leaf at the top is a layer of its own.
 * Rounding  the reference is float64: what rounds in float64 itself is not seen.
 * Special   a gradient with NaN or infinity has 0 bits; an exact one all that its dtype has.
 * Throws    what `gradient` does; TypeError where it gives no floating-point tensor, or a promise.
 * Cost      a run that is recorded and one in float64, every result of theirs kept meanwhile: ten to thirty steps of a compiled gradient.
 *
 * @example const loss = ({ w }) => mean(square(w))
 * effectiveBits((params) => autodiff.grad(loss)(params), { w: tensor([1, 2], { dtype: 'bfloat16' }) }) // { effectiveBits: 8, 'effectiveBits/w': 8 }
 */
export function effectiveBits<P extends Treelike>(
  gradient: (params: P) => Treelike,
  params: P,
): Readonly<Record<string, number>> {
  const op = 'effectiveBits'
  checkFunction(op, 'gradient', gradient)
  const program = programOf(op, (given) => gradient(given as P) as Tree, params as Tree, { nonFinite: true })
  const { valueOf } = replay(program, () => 'exact', dtypeArithmetic('float64'))
  const exactly = (output: Operand): Float64Array => {
    const value = valueOf(output)
    return (isWide(value) ? value.wide : value).toNumbers()
  }
  const layers = new Map<string, Layer>()
  for (const [i, output] of program.outputs.entries()) {
    const own = recorded(program, output)
    if (!isFloat(own.dtype)) continue
    const name = layerOf(program.names[i]!)
    const layer = layers.get(name) ?? { squares: 0, wrong: 0, precision: 0 }
    layers.set(name, layer)
    take(layer, own, exactly(output))
  }
  const bits = [...layers].map(([name, layer]) => [name, bitsOf(layer)] as const)
  return {
    effectiveBits: Math.min(...bits.map(([, count]) => count)),
    ...Object.fromEntries(bits.map(([name, count]) => [`effectiveBits/${name}`, count])),
  }
}

/** `layers.0` of `layers.0.w`; a path of one part is its own layer, and a gradient that is a tensor has no path. */
function layerOf(path: string): string {
  const end = path.lastIndexOf('.')
  return end < 0 ? path || 'params' : path.slice(0, end)
}

function take(layer: Layer, own: Tensor, exact: Float64Array): void {
  const computed = own.toNumbers()
  for (let i = 0; i < computed.length; i++) {
    layer.squares += exact[i]! ** 2
    layer.wrong += (computed[i]! - exact[i]!) ** 2
  }
  layer.precision = Math.max(layer.precision, dtypeFacts(own.dtype).precision)
}

function bitsOf({ squares, wrong, precision }: Layer): number {
  if (wrong === 0) return precision
  const bits = Math.log2(squares / wrong) / 2
  return bits > 0 ? Math.min(bits, precision) : 0
}
