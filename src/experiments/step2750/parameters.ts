import { Tensor } from '../../tensors/tensor/index.js'

/** The parameters of the model, in the order in which trees walk them. */
export const parameterNames = ['aLog', 'b', 'c', 'dtBias', 'dtGap'] as const

/** One scalar a name: parameters, their gradients. */
export type Parameters = { readonly [name in (typeof parameterNames)[number]]: Tensor }

/** Scalars of float32 from their values in the order of `parameterNames`. */
export function parametersOf(values: Float32Array): Parameters {
  return Object.fromEntries(
    parameterNames.map((name, i) => [name, new Tensor('float32', [], values.slice(i, i + 1))]),
  ) as unknown as Parameters
}

/** The values in the order of `parameterNames`. */
export function valuesOf(parameters: Parameters): Float32Array {
  return Float32Array.from(parameterNames, (name) => parameters[name].item())
}
