import { checkFunction } from '../../base/options/index.js'
import { isFloat, isSealed, type Tensor, untraced, withTrace, zeros } from '../tensor/index.js'
import { checkpointOp } from './graph/checkpointOp.js'
import { replaceTensors, tensorsIn } from './graph/leaves.js'
import { variable } from './graph/variable.js'

/**
 * f with a gradient that keeps none of its inside: the backward pass runs f again and walks what it then records. The
 * bits of value and gradient are those of f itself. f must give the same at the same arguments; tensors that it reads
 * from outside have their gradients too.
 * Cost      f is run once more, each time a gradient is taken; between the passes only its arguments and results are kept.
 * Source    Griewank, Walther, Algorithm 799: revolve, doi:10.1145/347837.347846
 *
 * @example grad(checkpoint((x) => exp(sin(x))))(tensor(0)).item() // 1
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
export function checkpoint<A extends readonly any[], R>(f: (...args: A) => R): (...args: A) => R {
  checkFunction('checkpoint', 'f', f)
  return (...args) => {
    const own = tensorsIn(args).filter((x) => x.trace)
    // What is compiled is recorded whole: the program plans its own memory.
    if (own.some(isSealed)) return f(...args)
    const before = variable(zeros([])).trace!.serial
    const result = f(...(replaceTensors(args, untraced) as unknown as A))
    const kept = tensorsIn(result)
    // Closed over: recorded whole as well.
    if (kept.some(isSealed)) return own.length === 0 ? result : f(...args)
    const inputs = [...own, ...readFromOutside(kept, before)]
    if (inputs.length === 0) return result
    const run = (): Tensor[] => {
      const again = tensorsIn(f(...args))
      if (again.length !== kept.length) {
        throw new RangeError(
          `checkpoint: f gave another number of tensors when run again [${again.length}, not ${kept.length}]`,
        )
      }
      return again
    }
    const outputs: Tensor[] = []
    return replaceTensors(result, (x) => {
      const attributes = { outputs, run, index: outputs.length }
      const output = isFloat(x.dtype) ? withTrace(x, checkpointOp, inputs, attributes) : untraced(x)
      outputs.push(output)
      return output
    })
  }
}

/** The traced tensors made up to `before` that what ran after it has read. */
function readFromOutside(results: readonly Tensor[], before: number): Tensor[] {
  const seen = new Set<number>()
  const outside: Tensor[] = []
  const open = [...results]
  for (let x = open.pop(); x; x = open.pop()) {
    if (!x.trace || seen.has(x.trace.serial)) continue
    seen.add(x.trace.serial)
    if (x.trace.serial < before) outside.push(x)
    else open.push(...x.trace.inputs)
  }
  return outside
}
