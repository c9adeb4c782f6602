import { checkArray } from '../../../base/options/index.js'
import { foldIn } from '../../../tensors/random/index.js'
import type { Tensor } from '../../../tensors/tensor/index.js'
import { checkApply, inside, type Layer, type NoParameters, type ParametersOf } from '../layer.js'

/**
 * Layers in sequence. A function of a tensor among them (`gelu`, a reshape) is a layer without parameters: `pure(f)`.
 *
 * Shape     from layer to layer; the parameters are a list with those of each layer.
 * Rounding  that of the layers. Layer i draws from `foldIn(key, i)`, in `init` and in `apply`.
 *
 * @example sequential([linear({ inputs: 4, outputs: 8 }), pure(relu)]).init(random.key(0)).length // 2
 */
export function sequential<L extends readonly Layer[]>(
  layers: readonly [...L],
): Layer<{ readonly [I in keyof L]: ParametersOf<L[I]> }> {
  type Parameters = { readonly [I in keyof L]: ParametersOf<L[I]> }
  checkArray('sequential', 'layers', layers)
  for (const layer of layers) checkLayer('sequential', layer)
  const all: readonly Layer[] = layers
  return {
    init: (key) => all.map((layer, i) => layer.init(foldIn(key, i))) as unknown as Parameters,
    apply(params, x, applied) {
      const own = checkApply('sequential', applied)
      const each = params as readonly unknown[]
      if (each.length !== all.length) {
        throw new RangeError(
          `sequential: there are not parameters for every layer [${each.length} and ${all.length}]`,
        )
      }
      return all.reduce((y, layer, i) => layer.apply(each[i], y, inside(own, i)), x)
    },
  }
}

/** Throws a TypeError unless a value has the two functions of a layer. */
export function checkLayer(op: string, layer: unknown): void {
  const { init, apply } = (layer ?? {}) as Partial<Layer>
  if (typeof init !== 'function' || typeof apply !== 'function') {
    throw new TypeError(`${op}: not a layer, which has init and apply [${typeof layer}]`)
  }
}

/**
 * A function of a tensor as a layer without parameters.
 *
 * @example pure(relu).apply({}, tensor([-1, 2])).toNested() // [0,2]
 */
export function pure(f: (x: Tensor) => Tensor): Layer<NoParameters> {
  if (typeof f !== 'function') throw new TypeError(`pure: f is not a function [${typeof f}]`)
  return {
    init: () => ({}),
    apply(_, x, applied) {
      checkApply('pure', applied)
      return f(x)
    },
  }
}
