import { type Loop, type Scanned, scanOp } from '../../autodiff/index.js'
import {
  type Diagonal,
  type DType,
  dtypeFacts,
  elementsOf,
  flushOp,
  formOf,
  isFloat,
  isSealed,
  type KnownOp,
  type Op,
  ones,
  ops,
  roundsOf,
  type Shape,
  seal,
  sizeOf,
  Tensor,
  tril,
  triu,
  where,
  withLocation,
  zeros,
} from '../../tensor/index.js'

/** The record of what a program is called with; its attribute is the number of the tensor among the arguments. */
const argumentOp: KnownOp = { name: 'argument', form: 'view', rounds: 'never', kernel: ([x]) => x! }

/** A value of a program: an argument, a constant, or the result of an operation on earlier ones. */
export interface Node {
  /** Its place among the nodes: inputs come before what reads them. */
  readonly id: number
  readonly dtype: DType
  readonly shape: Shape
  readonly size: number
  readonly inputs: readonly Node[]
  /** Where it was called, where the recording kept that. */
  readonly site?: Error | undefined
  readonly source:
    | { readonly kind: 'argument'; readonly index: number }
    | { readonly kind: 'constant'; readonly tensor: Tensor }
    | { readonly kind: 'operation'; readonly op: Op; readonly attributes: unknown }
    /** The elements of its only input in another shape, row-major both. */
    | { readonly kind: 'reshaped' }
    /** One result of a loop; those of one run have the same list `run`. */
    | {
        readonly kind: 'scanned'
        readonly loop: Loop
        readonly run: readonly Tensor[]
        readonly index: number
      }
}

/** What a recording gave: the values that are needed, and which of them come out. */
export interface Graph {
  readonly nodes: readonly Node[]
  readonly outputs: readonly Node[]
  /** How many operations ran, before equal ones were joined and unused ones dropped. */
  readonly recorded: number
}

/** A stand-in for argument `index`, to be recorded on; with a site the operations on it keep theirs. */
export function argument(x: Tensor, index: number, site?: Error): Tensor {
  const trace = { op: argumentOp, inputs: [], attributes: index, serial: -1 }
  return seal(x, site ? { ...trace, site } : trace)
}

/**
 * The values behind some tensors: equal ones are one, what nothing needs is left out. `inputs` are arguments by their places in
 * the list, beside the stand-ins.
 */
export function graphOf(outputs: readonly Tensor[], inputs: readonly Tensor[] = []): Graph {
  const places = new Map(inputs.map((x, i) => [x, i]))
  const nodes: Node[] = []
  const byTensor = new Map<Tensor, Node>()
  const byKey = new Map<string, Node>()
  const identities = new Map<unknown, number>()
  const identity = (value: unknown): number => {
    const known = identities.get(value) ?? identities.size
    identities.set(value, known)
    return known
  }
  let recorded = 0

  /** Operations that are others together, as those. */
  const expanded = new Map<Tensor, Tensor>()
  const masks = new Map<string, Tensor>()

  const node = (key: string, x: Tensor, inputs: readonly Node[], source: Node['source']): Node => {
    const known = byKey.get(key)
    if (known) return known
    const made: Node = {
      ...{ id: nodes.length, dtype: x.dtype, shape: x.shape, size: sizeOf(x.shape), inputs, source },
      site: x.trace?.site,
    }
    byKey.set(key, made)
    nodes.push(made)
    return made
  }

  const made = (x: Tensor): Node => {
    const place = places.get(x)
    if (place !== undefined) return node(`argument ${place}`, x, [], { kind: 'argument', index: place })
    if (!isSealed(x)) {
      const bits = x.size === 1 ? [...x.toBits()].join() : `#${identity(x.data)}`
      return node(`constant ${x.dtype} ${x.shape.join()} ${bits}`, x, [], {
        kind: 'constant',
        tensor: x.trace ? new Tensor(x.dtype, x.shape, x.data) : x,
      })
    }
    const { op, inputs, attributes } = x.trace!
    if (op === argumentOp) {
      const index = attributes as number
      return node(`argument ${index}`, x, [], { kind: 'argument', index })
    }
    recorded++
    if (op === scanOp) {
      const { loop, outputs: run, index } = attributes as Scanned
      return node(
        `scanned ${identity(run)} ${index}`,
        x,
        inputs.map((input) => byTensor.get(input)!),
        { kind: 'scanned', loop, run, index },
      )
    }
    const own = elementsOf(x)
    const same = inputs.find((input) => input.dtype === x.dtype && elementsOf(input) === own)
    if (same) {
      const from = byTensor.get(same)!
      const origin = from.source.kind === 'reshaped' ? from.inputs[0]! : from
      if (origin.shape.join() === x.shape.join()) return origin
      return node(`reshaped ${origin.id} ${x.shape.join()}`, x, [origin], { kind: 'reshaped' })
    }
    if (drawsFrom(attributes)) {
      throw new RangeError(
        `compile: ${op.name} draws random numbers from a function, which a program would draw in another order; hand it drawn words [${op.name}]`,
      )
    }
    const from = inputs.map((input) => byTensor.get(input)!)
    if (op === flushOp && isNormal(from[0]!)) return from[0]!
    const key = `${identity(op)} ${from.map(({ id }) => id).join()} ${keyOf(attributes, identity)} ${x.dtype} ${x.shape.join()}`
    return node(key, x, from, { kind: 'operation', op, attributes })
  }

  // Depth first without recursion: recordings are as deep as loops are long.
  const open: Tensor[] = [...outputs].reverse()
  for (let x = open.at(-1); x; x = open.at(-1)) {
    if (byTensor.has(x)) {
      open.pop()
      continue
    }
    const inner = isSealed(x) && !places.has(x)
    const parts = inner
      ? (expanded.get(x) ?? withLocation(x.trace!.site, () => partsOf(x, masks)))
      : undefined
    if (parts) expanded.set(x, parts)
    const waiting = (parts ? [parts] : inner ? x.trace!.inputs : []).filter((input) => !byTensor.has(input))
    if (waiting.length > 0) {
      open.push(...waiting)
      continue
    }
    byTensor.set(x, parts ? byTensor.get(parts)! : made(x))
    open.pop()
  }
  return { nodes, outputs: outputs.map((x) => byTensor.get(x)!), recorded }
}

/** A mask of more elements than this is not kept for a triangle: its operation's own kernel has none. */
const largestMask = 2 ** 18

/** A recorded result as operations that have loops, the same bits; undefined where its own operation is to do. */
function partsOf(x: Tensor, masks: Map<string, Tensor>): Tensor | undefined {
  const { op, inputs, attributes } = x.trace!
  if (op.parts) return op.parts(inputs, attributes)
  const lower = op === ops.tril
  if ((!lower && op !== ops.triu) || x.size === 0 || dtypeFacts(x.dtype).format?.zero === false) {
    return undefined
  }
  const [rows, columns] = x.shape.slice(-2) as [number, number]
  if (rows * columns > largestMask) return undefined
  const { k } = attributes as Diagonal
  const key = `${op.name} ${rows} ${columns} ${k}`
  const mask = masks.get(key) ?? (lower ? tril : triu)(ones([rows, columns], { dtype: 'bool' }), { k })
  masks.set(key, mask)
  return where(mask, inputs[0]!, zeros([], { dtype: x.dtype }))
}

/** Whether attributes hold a function: its results are not what they were when it is called again. */
function drawsFrom(attributes: unknown): boolean {
  if (typeof attributes === 'function') return true
  if (typeof attributes !== 'object' || attributes === null || ArrayBuffer.isView(attributes)) return false
  return Object.values(attributes).some(drawsFrom)
}

/** Equal for attributes that say the same. */
function keyOf(value: unknown, identity: (value: unknown) => number): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => keyOf(item, identity)).join()}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return `#${identity(value)}`
  return `{${Object.entries(value).map(([name, item]) => `${name}:${keyOf(item, identity)}`)}}`
}

/** Whether an operation takes elements as they are, and makes none. */
export function moves({ source }: Node): boolean {
  return (
    source.kind !== 'operation' ||
    (roundsOf(source.op) === 'never' && ['view', 'concat'].includes(formOf(source.op)))
  )
}

/** The least normal number of float32. */
const least = 2 ** -126

/** A constant of more elements than this is not looked through. */
const mostElements = 64

/** Whether no element is a subnormal float32 number, as far as is known before they are computed: `flush` gives such a value as it is. */
function isNormal({ dtype, inputs, source }: Node): boolean {
  if (isAbove(dtype)) return true
  if (source.kind === 'reshaped') return isNormal(inputs[0]!)
  if (source.kind === 'constant') {
    const { tensor } = source
    return tensor.size <= mostElements && tensor.toNumbers().every((x) => !(x !== 0 && Math.abs(x) < least))
  }
  if (source.kind !== 'operation') return false
  const { op } = source
  if (op === flushOp) return dtype === 'float32'
  // Of 8 bits or 24, what is normal is rounded to a normal number: the exponents are the same.
  return op === ops.cast && (dtype === 'float32' || dtype === 'bfloat16') && isNormal(inputs[0]!)
}

/** Whether the least number of a dtype is no subnormal float32 number. */
function isAbove(dtype: DType): boolean {
  return !isFloat(dtype) || dtypeFacts(dtype).minPositive >= least
}
