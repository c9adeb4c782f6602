import { checkArray, shown } from '../../../base/options/index.js'

/** Weights of n rows as float64; an error where one is negative or not finite, or all are 0. */
export function checkWeights(op: string, weights: unknown, n: number): Float64Array {
  checkArray(op, 'weights', weights)
  const list = Float64Array.from(weights as ArrayLike<number>)
  if (list.length !== n) throw new RangeError(`${op}: not a weight for each row [${list.length}, not ${n}]`)
  const wrong = list.find((weight) => !(weight >= 0 && weight < Infinity))
  if (wrong !== undefined) throw new RangeError(`${op}: a weight is negative or not finite [${shown(wrong)}]`)
  if (!list.some((weight) => weight > 0)) throw new RangeError(`${op}: all weights are 0 [${n}]`)
  return list
}
