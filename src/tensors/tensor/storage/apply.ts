import { shown } from '../../../base/options/index.js'
import { checkTensor } from './checkCall.js'
import { constantOp } from './constant.js'
import { type DType, isFloat } from './dtype.js'
import { weak } from './fill.js'
import { observer } from './observe.js'
import { recordsEverything } from './recordEverything.js'
import { elementsOf, isSealed, opened, seal } from './seal.js'
import { type Shape, sameShape } from './shape.js'
import { currentLocation } from './siteOf.js'
import { substitution } from './substitute.js'
import { type Op, Tensor } from './tensor.js'
import { currentTimer, type Timer } from './timing.js'

/** Where an operation writes instead of allocating: same dtype and shape as its result. It may be an input. */
export interface OutOption<D extends DType = DType> {
  readonly out?: Tensor<D>
}

/**
 * Runs one operation: the single path that every tensor operation takes. If an input carries a trace, so does the
 * result; otherwise nothing is recorded and nothing is paid, unless everything is: see `recordEverything`, and `observe`.
 */
export function apply<A>(op: Op<A>, inputs: readonly Tensor[], attributes: A, out?: Tensor): Tensor {
  if (typeof op?.kernel !== 'function' || !Array.isArray(inputs)) throw notApplied('apply', op, inputs)
  const other = substitution()?.(op, inputs, attributes)
  if (other) return out ? written(other, out) : other
  const timer = currentTimer()
  if (timer) return clocked(timer, op, inputs, attributes, out)
  return observer() ? observed(op, inputs, attributes, out) : run(op, inputs, attributes, out)
}

function clocked<A>(
  timer: Timer,
  op: Op<A>,
  inputs: readonly Tensor[],
  attributes: A,
  out: Tensor | undefined,
): Tensor {
  const site = timer.sites ? currentLocation(op.name) : undefined
  const began = performance.now()
  const output = observer() ? observed(op, inputs, attributes, out) : run(op, inputs, attributes, out)
  timer.operation({ op, inputs, attributes, output }, began, performance.now(), site)
  return output
}

/** The elements of a result in the tensor that was handed for them. */
function written(x: Tensor, out: Tensor): Tensor {
  checkOut('substitute', out, x.dtype, x.shape)
  out.data.set(x.data as never)
  return out
}

function run<A>(op: Op<A>, inputs: readonly Tensor[], attributes: A, out: Tensor | undefined): Tensor {
  if (!isTraced(inputs) && (out || !recordsEverything())) return op.kernel(inputs, attributes, out)
  if (out) {
    throw new RangeError(
      `${op.name}: out cannot be recorded, leave it off under a gradient and where it is compiled [out]`,
    )
  }
  return withTrace(op.kernel(inputs.map(opened), attributes), op, inputs, attributes)
}

function observed<A>(op: Op<A>, inputs: readonly Tensor[], attributes: A, out: Tensor | undefined): Tensor {
  // What is written over was read before.
  const read = inputs.map((x) =>
    out && x.data === out.data ? new Tensor(x.dtype, x.shape, x.data.slice()) : x,
  )
  const output = run(op, inputs, attributes, out)
  observer()?.({ op, inputs: read, attributes, output })
  return output
}

function isTraced(inputs: readonly Tensor[]): boolean {
  for (const input of inputs) if (input.trace !== undefined) return true
  return false
}

// Operations are numbered as they run, so that a walk over traces can put them back in order. No result depends on it.
let recorded = 0

/**
 * The same elements, recorded as the result of an operation: what `apply` does, and what roots of traces are made by. A root
 * with a `site`, an Error made there, has every operation recorded from it keep where it was called.
 */
export function withTrace<D extends DType, A>(
  x: Tensor<D>,
  op: Op<A>,
  inputs: readonly Tensor[],
  attributes: A,
  site?: Error,
): Tensor<D> {
  if (typeof op?.kernel !== 'function' || !Array.isArray(inputs)) throw notApplied('withTrace', op, inputs)
  checkTensor('withTrace', x)
  const called = site ?? (hasSite(inputs) ? currentLocation(op.name) : undefined)
  const trace = { op, inputs, attributes, serial: ++recorded, ...(called ? { site: called } : {}) }
  if (!isSealed(x) && !inputs.some(isSealed)) return new Tensor(x.dtype, x.shape, x.data, trace)
  const elements = elementsOf(x)
  return seal(isSealed(x) ? new Tensor(x.dtype, x.shape, elements) : x, { ...trace, elements })
}

/** The error for what is no operation, or is not applied to a list of tensors. */
function notApplied(by: string, op: unknown, inputs: unknown): TypeError {
  return Array.isArray(inputs)
    ? new TypeError(
        `${by}: op is not the record of an operation, which has a name and a kernel [${shown(op)}]`,
      )
    : new TypeError(`${by}: inputs are not a list of tensors [${shown(inputs)}]`)
}

function hasSite(inputs: readonly Tensor[]): boolean {
  for (const { trace } of inputs) if (trace?.site) return true
  return recordsEverything() === 'with sites' || currentTimer()?.sites === true
}

/** The operands of an operation as tensors of one dtype: numbers take the dtype of the tensors beside them. */
export function operands(op: string, values: readonly (Tensor | number | bigint)[]): Tensor[] {
  if (alike(values)) return values
  const first = values.find((value) => value instanceof Tensor)
  if (!first) throw new TypeError(`${op}: needs a tensor among its operands [${shown(values)}]`)
  return values.map((value) => {
    if (!(value instanceof Tensor)) return numberBeside(op, value, first.dtype)
    if (value.dtype !== first.dtype) {
      throw new TypeError(`${op}: dtypes differ, cast one of them [${first.dtype} and ${value.dtype}]`)
    }
    return value
  })
}

// The usual case, found without a closure: operands that are tensors of one dtype go on as they are.
function alike(values: readonly (Tensor | number | bigint)[]): values is Tensor[] {
  const dtype = values[0] instanceof Tensor ? values[0].dtype : undefined
  for (const value of values) if (!(value instanceof Tensor) || value.dtype !== dtype) return false
  return dtype !== undefined
}

/** A plain number rounded to a dtype; where everything is recorded, one that changed is the result of an operation. */
function numberBeside(op: string, value: number | bigint, dtype: DType): Tensor {
  const rounded = weak(op, value, dtype)
  if (!recordsEverything() || !isFloat(dtype) || Object.is(rounded.toNumbers()[0], value)) return rounded
  return withTrace(rounded, constantOp, [], { value: Number(value), dtype, shape: [] })
}

/** Throws unless `out`, when given, has this dtype and shape. */
export function checkOut(op: string, out: Tensor | undefined, dtype: DType, shape: Shape): void {
  if (out === undefined) return
  if (!(out instanceof Tensor)) throw new TypeError(`${op}: out is not a tensor [${shown(out)}]`)
  if (out.dtype !== dtype) throw new TypeError(`${op}: out has another dtype [${out.dtype}, not ${dtype}]`)
  if (!sameShape(out.shape, shape)) {
    throw new RangeError(`${op}: out has another shape [${out.shape.join(', ')}, not ${shape.join(', ')}]`)
  }
}
