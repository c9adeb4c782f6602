import type { RoundingSite } from './roundingSite.js'
import type { Inner, InnerLayer, InnerModel, InnerWeight, Tf } from './tfjs.js'

/** The numbers at a place, rounded; undefined where they pass as they are. Places are distinguished by identity. */
export type RoundHere = (place: RoundingSite, values: Float32Array) => Float32Array | undefined

/** A model whose layers ask at every place. */
export interface Instrumented {
  /** In the order of the layers. */
  readonly places: readonly RoundingSite[]
  /** Gives the layers their own `call` back. */
  readonly restore: () => void
}

/** On every `call` that is put in the place of a layer's own. */
const marked: unique symbol = Symbol('emulated')

/**
 * Replaces `call` of every layer of a model, those of models inside it too: while a layer runs, reading its weights
 * gives them rounded, and what it returns is rounded, by `here`.
 */
export function instrument(tf: Tf, model: InnerModel, here: RoundHere): Instrumented {
  const layers = [...new Set(leafLayers(model.layers))].filter((layer) => !isInput(layer))
  if (layers.length === 0) throw new RangeError(`emulatePrecision: the model has no layers [${model.name}]`)
  const taken = layers.find((layer) => marked in layer.call)
  if (taken) {
    throw new RangeError(
      `emulatePrecision: the layer is emulated already, restore the other emulation first [${taken.name}]`,
    )
  }
  const places: RoundingSite[] = []
  const before = layers.map((layer) => Object.getOwnPropertyDescriptor(layer, 'call'))
  for (const layer of layers) {
    layer.call = Object.assign(roundedCall(tf, layer, here, places), { [marked]: true })
  }
  return {
    places,
    restore() {
      layers.forEach((layer, i) => {
        // Mostly `call` is a method of the layer's class, which the own property hides.
        if (before[i]) Object.defineProperty(layer, 'call', before[i])
        else Reflect.deleteProperty(layer, 'call')
      })
    },
  }
}

function leafLayers(layers: readonly InnerLayer[]): readonly InnerLayer[] {
  return layers.flatMap((layer) => (Array.isArray(layer.layers) ? leafLayers(layer.layers) : [layer]))
}

function roundedCall(tf: Tf, layer: InnerLayer, here: RoundHere, places: RoundingSite[]): InnerLayer['call'] {
  const { call, name } = layer
  /** Rounds a float32 tensor on its way forward, and the gradient with respect to it on its way back. */
  const rounding = (kind: RoundingSite['kind'], tensor: string): ((x: Inner) => Inner) => {
    const forward: RoundingSite = { layer: name, kind, tensor }
    const back: RoundingSite = { layer: name, kind: 'gradient', tensor }
    places.push(forward, back)
    const pass = (x: Inner, place: RoundingSite): Inner => {
      // A backend may say float32 of integers that nobody has computed with yet: they pass.
      const values = x.dataSync()
      const rounded = values instanceof Float32Array ? here(place, values) : undefined
      return rounded ? tf.tensor(rounded, x.shape, 'float32') : x.clone()
    }
    const op = tf.customGrad((x) => ({ value: pass(x, forward), gradFunc: (dy) => pass(dy, back) }))
    return (x) => (x.dtype === 'float32' ? op(x) : x)
  }
  const entrance = isFirst(layer) ? rounding('activation', 'input') : undefined
  const weights = layer.weights.filter(isOperand).map((weight) => ({
    weight,
    round: rounding('weight', nameWithin(layer, weight)),
  }))
  const exit = rounding('activation', 'output')
  return (inputs, kwargs) =>
    tf.tidy(() => {
      const read = weights.map(({ weight, round }) => {
        const rounded = round(weight.read()) as ReturnType<InnerWeight['read']>
        return { weight, rounded }
      })
      // The own property hides the method of the class only until the layer has run: the optimizer reads the weights
      // themselves.
      for (const { weight, rounded } of read) weight.read = () => rounded
      try {
        return each(call.call(layer, entrance ? each(inputs, entrance) : inputs, kwargs), exit)
      } finally {
        for (const { weight } of read) Reflect.deleteProperty(weight, 'read')
      }
    })
}

function each(x: Inner | readonly Inner[], f: (x: Inner) => Inner): Inner | readonly Inner[] {
  return Array.isArray(x) ? x.map(f) : f(x as Inner)
}

/** 'kernel', or 'forward_lstm/kernel' in a layer made of layers. */
function nameWithin(layer: InnerLayer, { originalName }: InnerWeight): string {
  const scope = `${layer.name}/`
  const at = originalName.lastIndexOf(scope)
  return at < 0 ? originalName : originalName.slice(at + scope.length)
}

/** Running statistics are written while the layer runs: rounded, they would stall. */
function isOperand(weight: InnerWeight): boolean {
  return !/moving_(mean|variance)$/.test(weight.originalName)
}

function isInput(layer: InnerLayer): boolean {
  return layer.getClassName() === 'InputLayer'
}

/** Whether numbers enter the model here; those of an embedding are places in its table, not numbers to round. */
function isFirst(layer: InnerLayer): boolean {
  if (layer.getClassName() === 'Embedding') return false
  return layer.inboundNodes.some(({ inboundLayers }) => inboundLayers.some(isInput))
}
