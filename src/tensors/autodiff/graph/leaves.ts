import { isFloat, Tensor } from '../../tensor/index.js'
import { mapTreeWith, pathsOf, type Tree } from '../../tree/index.js'
import { variable } from './variable.js'

/** A leaf where values of any kind stand beside tensors: everything but an array or a plain object. */
function isEnd(value: unknown): value is unknown {
  if (Array.isArray(value)) return false
  if (typeof value !== 'object' || value === null) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== Object.prototype && prototype !== null
}

/** The tensors in a value, depth first, keys sorted; other things may stand beside them. */
export function tensorsIn(value: unknown): Tensor[] {
  return pathsOf<unknown>(value as Tree<unknown>, { isLeaf: isEnd })
    .map(({ leaf }) => leaf)
    .filter((leaf) => leaf instanceof Tensor)
}

/** The same value with every tensor replaced, in the order of `tensorsIn`. */
export function replaceTensors<T>(value: T, f: (x: Tensor) => Tensor): T {
  const replace = (leaf: unknown): unknown => (leaf instanceof Tensor ? f(leaf) : leaf)
  return mapTreeWith<unknown, unknown>({ isLeaf: isEnd }, replace, value as Tree<unknown>) as T
}

/** Throws unless an argument that a gradient is asked for is a tree of float tensors, `what` being its name. */
export function checkDifferentiable(op: string, argument: unknown, what: string): void {
  for (const { path, leaf } of pathsOf(argument as Tree, { op })) {
    if (!isFloat(leaf.dtype)) {
      throw new TypeError(
        `${op}: needs floating-point tensors in ${what}${path && ` at ${path}`}, cast them [${leaf.dtype}]`,
      )
    }
  }
}

/** A tree of tensors with a variable in place of each leaf, and those variables in order. */
export function asVariables<T>(argument: T): [argument: T, variables: Tensor[]] {
  const variables: Tensor[] = []
  const replaced = replaceTensors(argument, (leaf) => {
    const root = variable(leaf)
    variables.push(root)
    return root
  })
  return [replaced, variables]
}
