import { checkRecord } from '../../../base/options/index.js'
import { checkTensor } from './checkCall.js'
import type { DType, Storage } from './dtype.js'
import { siteOf, withDeepStacks } from './siteOf.js'
import { Tensor, type Trace } from './tensor.js'

/** Whether the elements of a tensor may not be looked at, because it stands for others to come. */
export function isSealed({ trace }: Tensor): boolean {
  return trace?.elements !== undefined
}

/** The elements of any tensor, sealed or not. */
export function elementsOf<D extends DType>(x: Tensor<D>): Tensor<D>['data'] {
  return (x.trace?.elements as Tensor<D>['data'] | undefined) ?? x.data
}

/** The tensor that a kernel may read in place of a sealed one: the same elements, nothing recorded. */
export function opened(x: Tensor): Tensor {
  return x.trace?.elements ? new Tensor(x.dtype, x.shape, x.trace.elements) : x
}

/**
 * A tensor that only operations can read: what is computed from it is recorded and sealed too. Looking at its elements is an
 * error, since the recording is to hold for other elements as well.
 */
export function seal<D extends DType>(x: Tensor<D>, trace: Trace): Tensor<D> {
  checkTensor('seal', x)
  checkRecord('seal', 'trace', trace, ['op', 'inputs'])
  // An array of its own, so that two tensors are never taken for one because they happen to share storage.
  const elements: Storage = trace.elements ?? (x.data.subarray(0) as Storage)
  const made = new Tensor(x.dtype, x.shape, x.data, { ...trace, elements })
  Object.defineProperties(made, {
    size: { value: x.data.length },
    data: { get: refuse },
    toString: {
      value: () => `${x.dtype} [${x.shape.join(', ')}] (recorded, its elements are not known yet)`,
    },
  })
  return made
}

function refuse(this: Tensor): never {
  const site = withDeepStacks(() => new Error('reading'))
  const recorder = recorderOf(this)
  const way = recorder === 'compile' ? 'compute with where or make the argument static' : 'compute with where'
  throw new TypeError(
    `${recorder}: an element was read while the function was recorded, ${way} [${siteOf({ site }) ?? 'at an unknown place'}]`,
  )
}

/** Who recorded a sealed tensor, as the root says that it was computed from. */
function recorderOf(x: Tensor): string {
  let at = x
  for (let next = x.trace?.inputs.find(isSealed); next; next = at.trace?.inputs.find(isSealed)) at = next
  return at.trace?.recorder ?? 'compile'
}
