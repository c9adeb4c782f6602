import { checkArray, checkRecord, shown } from '../../base/options/index.js'
import {
  checkTensor,
  type DType,
  dtypeFacts,
  formOf,
  type Op,
  ops,
  type Shape,
  sizeOf,
  Tensor,
} from '../tensor/index.js'
import { machine } from './engine/machine.js'
import type { Graph, Node } from './graph/graph.js'
import { Program } from './run/program.js'

/**
 * An elementwise computation that is not done yet: a tensor, or an operation of `ops` on expressions of the dtypes that it
 * takes. Shapes are equal, or have one element.
 */
export type Expression = { readonly dtype: DType; readonly shape: Shape } & (
  | { readonly tensor: Tensor }
  | { readonly op: Op; readonly attributes?: unknown; readonly inputs: readonly Expression[] }
)

/** Programs by what they compute: a few for each structure of leaves that a training run has. */
const programs = new Map<string, Program>()
/** The most programs that are kept: the first is the one used longest ago. */
const most = 512
let isFull = false

const isElementwise = (op: unknown): boolean =>
  typeof op === 'object' &&
  op !== null &&
  typeof (op as Op).kernel === 'function' &&
  formOf(op as Op) === 'elementwise'

/** Throws unless an output may be written into an array: one of its dtype, as long as it is. */
function checkStorage(x: Expression, data: unknown): void {
  const { storage } = dtypeFacts(x.dtype)
  if (data === undefined || (data instanceof storage && data.length === sizeOf(x.shape))) return
  throw new TypeError(`evaluate: storage is not a ${storage.name} of ${sizeOf(x.shape)} [${shown(data)}]`)
}

const notAnExpression = (value: unknown): TypeError =>
  new TypeError(
    `evaluate: an expression is neither a tensor's nor an operation's on expressions [${shown(value)}]`,
  )

/** The expression of a tensor. */
export function leaf(tensor: Tensor): Expression {
  checkTensor('leaf', tensor)
  return { dtype: tensor.dtype, shape: tensor.shape, tensor }
}

/** An expression cast to a dtype, nearest even; itself where it has the dtype. */
export function castTo(x: Expression, dtype: DType): Expression {
  checkRecord('castTo', 'x', x, ['dtype', 'shape'])
  if (x.dtype === dtype) return x
  return { op: ops.cast, attributes: { dtype, options: undefined }, inputs: [x], dtype, shape: x.shape }
}

/**
 * The tensors that some expressions say, computed together, block by block: each operation rounds as `apply` would have it.
 * Their elements are written into `storage`, as far as there are some. Undefined where no program can: no WebAssembly SIMD, the machine in use, a NaN that is not the canonical one.
 *
 * @example evaluate([{ op: ops.add, inputs: [leaf(tensor([1, 2])), leaf(tensor(10))], dtype: 'float32', shape: [2] }])[0].toNested() // [11, 12]
 */
export function evaluate(
  outputs: readonly Expression[],
  storage: readonly Tensor['data'][] = [],
): readonly Tensor[] | undefined {
  checkArray('evaluate', 'outputs', outputs)
  const engine = machine()
  if (!engine || engine.busy) return undefined
  const places = new Map<Expression, number>()
  const order: Expression[] = []
  const leaves: Tensor[] = []
  const leafPlaces = new Map<Tensor['data'], number>()
  let key = ''
  const visit = (x: Expression): number => {
    const known = places.get(x)
    if (known !== undefined) return known
    if (typeof x !== 'object' || x === null || !Array.isArray(x.shape)) throw notAnExpression(x)
    if ('tensor' in x) {
      if (!(x.tensor instanceof Tensor) || x.tensor.dtype !== x.dtype) throw notAnExpression(x)
      const seen = leafPlaces.get(x.tensor.data)
      if (seen !== undefined) {
        places.set(x, seen)
        return seen
      }
      leaves.push(x.tensor)
      leafPlaces.set(x.tensor.data, order.length)
      key += `|${x.dtype} ${x.shape.join()}`
    } else {
      if (!Array.isArray(x.inputs) || x.inputs.length === 0 || !isElementwise(x.op)) throw notAnExpression(x)
      let read = ''
      for (const input of x.inputs) read += `${visit(input)},`
      key += `|${x.op.name} ${read} ${x.dtype}`
    }
    places.set(x, order.length)
    order.push(x)
    return order.length - 1
  }
  checkArray('evaluate', 'storage', storage)
  const wanted = outputs.map(visit)
  key += `>${wanted.join()}`
  let program = programs.get(key)
  if (!program) {
    program = new Program(
      graphFrom(order, wanted, (x) => places.get(x)!),
      engine,
    )
    if (programs.size === most) {
      programs.delete(programs.keys().next().value!)
      if (!isFull) {
        console.warn(
          `evaluate: ${most} programs are kept, those used longest ago are made again when they are needed`,
        )
      }
      isFull = true
    }
  } else {
    programs.delete(key)
  }
  programs.set(key, program)
  for (const [i, output] of outputs.entries()) checkStorage(output, storage[i])
  return program.run(leaves, storage)
}

function graphFrom(
  order: readonly Expression[],
  wanted: readonly number[],
  placeOf: (x: Expression) => number,
): Graph {
  const nodes: Node[] = []
  let leaves = 0
  for (const [id, x] of order.entries()) {
    dtypeFacts(x.dtype)
    checkArray('evaluate', 'shape', x.shape)
    const source: Node['source'] =
      'tensor' in x
        ? { kind: 'argument', index: leaves++ }
        : { kind: 'operation', op: x.op, attributes: x.attributes }
    const inputs = 'tensor' in x ? [] : x.inputs.map((input) => nodes[placeOf(input)]!)
    nodes.push({ id, dtype: x.dtype, shape: x.shape, size: sizeOf(x.shape), inputs, source })
  }
  return { nodes, outputs: wanted.map((id) => nodes[id]!), recorded: nodes.length - leaves }
}
