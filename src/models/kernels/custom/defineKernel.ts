import {
  checkArray,
  checkFunction,
  checkName,
  checkNumber,
  checkOptions,
  checkRecord,
  checkText,
  type OptionTable,
  shown,
} from '../../../base/options/index.js'
import { checkGrads } from '../../../tensors/autodiff/index.js'
import {
  apply,
  cast,
  checkTensor,
  type Form,
  isFloat,
  type KnownOp,
  mul,
  type OpCotangent,
  type Rounds,
  type Shape,
  sameShape,
  sum,
  Tensor,
  tensor,
  untraced,
} from '../../../tensors/tensor/index.js'

/** What one run of a kernel costs. */
export interface KernelWork {
  readonly flops: number
  /** Bytes of memory moved. */
  readonly bytes: number
}

/** Operands on which a kernel is checked when it is defined. */
export interface KernelSample<A> {
  readonly inputs: readonly Tensor[]
  readonly attributes: A
}

/** A custom operation: its kernel, its gradient, its error bound, its cost. */
export interface KernelRecord<A> {
  /** The name in errors and reports. */
  readonly name: string
  /**
   * The result, for operands without a trace. It must accept float64 operands, on which it is the exact function, with which
   * the gradient and the bound are checked.
   */
  forward(inputs: readonly Tensor[], attributes: A): Tensor
  /** The cotangents of the inputs, in tensor operations: each of its input's dtype and shape, undefined where there is none. */
  gradient(context: OpCotangent<A>): readonly (Tensor | undefined)[]
  /**
   * The exact function in tensor operations, of operands in float64: with it `certify` carries errors through the kernel. Default:
   * it knows `bound`, of operands that have no error.
   */
  exact?(inputs: readonly Tensor[], attributes: A): Tensor
  /** The largest error of any element for these operands. Default: none is promised. */
  bound?(inputs: readonly Tensor[], attributes: A): number
  /** What a run on operands of these shapes costs. Default: unknown. */
  cost?(shapes: readonly Shape[], attributes: A): KernelWork
  /** Operands for the checks, at least one; low-precision floats show where it rounds. */
  readonly samples: readonly KernelSample<A>[]
  /** Which elements a result reads. Default 'whole'. */
  readonly form?: Form
  /** When it rounds. Default 'once'. */
  readonly rounds?: Rounds
  /** The relative tolerance of the gradient against differences in float64. Default 1e-6. */
  readonly tolerance?: number
}

/** A checked kernel. */
export interface Kernel<A> {
  readonly name: string
  /** The record of the operation, for `withPolicy`, `rules` and analyses of traces. */
  readonly op: KnownOp<A>
  /** Runs the operation; works under gradients, in compiled programs and in the doctor. */
  run(inputs: readonly Tensor[], attributes: A): Tensor
  /** The error bound for these operands; Infinity without a bound. */
  bound(inputs: readonly Tensor[], attributes: A): number
  /** The cost of a run; undefined if unknown. */
  cost(shapes: readonly Shape[], attributes: A): KernelWork | undefined
}

const names: OptionTable<KernelRecord<unknown>> = {
  ...{ name: 'required', forward: 'required', gradient: 'required', samples: 'required' },
  ...{
    exact: 'optional',
    bound: 'optional',
    cost: 'optional',
    form: 'optional',
    rounds: 'optional',
    tolerance: 'optional',
  },
}
const forms: readonly Form[] = ['elementwise', 'view', 'concat', 'reduce', 'scan', 'dot', 'whole']
const roundings: readonly Rounds[] = ['never', 'once', 'each step', 'decides']

/**
 * Defines a custom operation and checks it on its samples: it returns the same bits twice and does not change its operands,
 * its gradient is that of differences in float64, its error on each sample is inside its bound, its cost is a number.
 *
 * Shape     as the record has it. Dtype as the record has it.
 * Throws    RangeError that names the check that failed, with the numbers.
 * Cost      of the checks: two runs for each element of each sample.
 *
 * @example defineKernel({ name: 'twice', forward: ([x]) => add(x, x), gradient: ({ g }) => [mul(g, 2)], samples: [{ inputs: [tensor([1, 2])], attributes: undefined }] }).run([tensor([3])], undefined).toNested() // [6]
 * @example defineKernel({ name: 'twice', forward: ([x]) => add(x, x), gradient: ({ g }) => [g], samples: [{ inputs: [tensor([1])], attributes: undefined }] }) // throws defineKernel: the gradient of twice is not that of differences: gradient is off by 0.5 at 0, element 0 [1, not 2]
 */
export function defineKernel<A>(record: KernelRecord<A>): Kernel<A> {
  checkRecord('defineKernel', 'record', record)
  checkOptions('defineKernel', record, names)
  const { name, forward, gradient, samples, form = 'whole', rounds = 'once', tolerance = 1e-6 } = record
  checkText('defineKernel', 'name', name)
  for (const [what, f] of Object.entries({ forward, gradient })) checkFunction('defineKernel', what, f)
  for (const what of ['exact', 'bound', 'cost'] as const) {
    if (record[what] !== undefined) checkFunction('defineKernel', what, record[what])
  }
  checkArray('defineKernel', 'samples', samples)
  checkName('defineKernel', 'form', form, forms)
  checkName('defineKernel', 'rounds', rounds, roundings)
  checkNumber('defineKernel', 'tolerance', tolerance, 0)
  if (samples.length === 0) throw new RangeError(`defineKernel: ${name} has no samples [an empty array]`)
  const op: KnownOp<A> = {
    name,
    form,
    rounds,
    kernel: (inputs, attributes) => record.forward(inputs.map(untraced), attributes),
    gradient: (context) => record.gradient(context),
    ...(record.exact && { exact: (inputs, attributes) => record.exact!(inputs, attributes) }),
    ...(record.bound && { bound: (inputs, attributes) => record.bound!(inputs, attributes) }),
  }
  const kernel: Kernel<A> = {
    name,
    op,
    run(inputs, attributes) {
      checkInputs(name, inputs)
      return apply(op, inputs, attributes)
    },
    bound: (inputs, attributes) => record.bound?.(inputs, attributes) ?? Infinity,
    cost: (shapes, attributes) => record.cost?.(shapes, attributes),
  }
  for (const sample of samples) checkSample(kernel, sample, tolerance)
  return kernel
}

function checkInputs(name: string, inputs: readonly Tensor[]): void {
  checkArray(name, 'inputs', inputs)
  for (const input of inputs) checkTensor(name, input)
}

function checkSample<A>(kernel: Kernel<A>, sample: KernelSample<A>, tolerance: number): void {
  checkRecord('defineKernel', 'sample', sample, ['inputs'])
  const { name } = kernel
  const { inputs, attributes } = sample
  checkInputs('defineKernel', inputs)
  const before = inputs.map((x) => x.toBits().join())
  const [first, again] = [kernel.run(inputs, attributes), kernel.run(inputs, attributes)]
  if (!(first instanceof Tensor)) {
    throw new TypeError(`defineKernel: ${name} gives no tensor [${shown(first)}]`)
  }
  if (first.toBits().join() !== again.toBits().join()) {
    throw new RangeError(
      `defineKernel: ${name} gives other bits the second time [${shown(first.toNumbers())}]`,
    )
  }
  const changed = inputs.findIndex((x, i) => x.toBits().join() !== before[i])
  if (changed >= 0) {
    throw new RangeError(`defineKernel: ${name} writes into its operand ${changed} [${changed}]`)
  }
  checkError(kernel, sample, first)
  checkGradient(kernel, sample, tolerance)
  const work = kernel.cost(
    inputs.map(({ shape }) => shape),
    attributes,
  )
  if (work === undefined) return
  for (const what of ['flops', 'bytes'] as const) {
    checkNumber('defineKernel', `${name}'s ${what}`, work[what], 0)
  }
}

const widened = (x: Tensor): Tensor => (isFloat(x.dtype) ? cast(x, 'float64') : x)

function checkError<A>(kernel: Kernel<A>, { inputs, attributes }: KernelSample<A>, result: Tensor): void {
  const bound = kernel.bound(inputs, attributes)
  if (typeof bound !== 'number' || !(bound >= 0)) {
    throw new RangeError(
      `defineKernel: the bound of ${kernel.name} is no number, 0 or more [${shown(bound)}]`,
    )
  }
  if (!isFloat(result.dtype)) return
  const exact = kernel.run(inputs.map(widened), attributes)
  if (!sameShape(exact.shape, result.shape)) {
    throw new RangeError(
      `defineKernel: ${kernel.name} gives another shape in float64 [${exact.shape.join(', ')}, not ${result.shape.join(', ')}]`,
    )
  }
  const [seen, wanted] = [result.toNumbers(), exact.toNumbers()]
  checkExact(kernel, inputs.map(widened), attributes, exact)
  for (const [i, value] of seen.entries()) {
    const error = Math.abs(value - wanted[i]!)
    if (error > bound) {
      throw new RangeError(
        `defineKernel: ${kernel.name} is off by more than its bound of ${bound} at element ${i} [${value}, not ${wanted[i]}]`,
      )
    }
  }
}

/** In tensor operations it is the same function, to what float64 may lose. */
function checkExact<A>(
  { name, op }: Kernel<A>,
  inputs: readonly Tensor[],
  attributes: A,
  wanted: Tensor,
): void {
  if (!op.exact) return
  const given = op.exact(inputs, attributes)
  if (!(given instanceof Tensor) || !sameShape(given.shape, wanted.shape)) {
    throw new RangeError(
      `defineKernel: exact of ${name} is of another shape than its forward [${shown(given)}]`,
    )
  }
  const [seen, forward] = [given.toNumbers(), wanted.toNumbers()]
  const largest = forward.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
  const at = seen.findIndex((x, i) => !(Math.abs(x - forward[i]!) <= 2 ** -30 * largest))
  if (at >= 0) {
    throw new RangeError(
      `defineKernel: exact of ${name} is not its forward in float64, element ${at} [${seen[at]}, not ${forward[at]}]`,
    )
  }
}

function checkGradient<A>(kernel: Kernel<A>, sample: KernelSample<A>, tolerance: number): void {
  const { inputs, attributes } = sample
  const places = [...inputs.keys()].filter((i) => isFloat(inputs[i]!.dtype) && inputs[i]!.size > 0)
  const scalar = (...args: Tensor[]): Tensor => {
    const result = kernel.run(args, attributes)
    if (result.dtype !== 'float64') {
      throw new TypeError(
        `defineKernel: ${kernel.name} gives ${result.dtype} for float64 operands, so that its gradient cannot be checked [${result.dtype}]`,
      )
    }
    // Weights that differ, so that a gradient in a wrong place is seen.
    const weights = Float64Array.from({ length: result.size }, (_, i) => 1 + ((i * 7) % 5) / 8)
    return sum(mul(result, tensor(weights, { shape: result.shape, dtype: 'float64' })))
  }
  if (places.length === 0) return
  try {
    checkGrads(scalar, [...inputs], { argnums: places, tolerance: tolerance || Number.MIN_VALUE })
  } catch (error) {
    const own = error instanceof Error ? error.message : String(error)
    if (!own.startsWith('checkGrads: gradient is off')) throw error
    throw new RangeError(
      `defineKernel: the gradient of ${kernel.name} is not that of differences: ${own.slice('checkGrads: '.length)}`,
    )
  }
}
