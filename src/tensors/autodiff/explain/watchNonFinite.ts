import {
  checkFlag,
  checkFunction,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import {
  type Applied,
  currentSite,
  type DType,
  isFloat,
  observe,
  type Tensor,
  withDeepStacks,
} from '../../tensor/index.js'
import { stepOf, trimmed } from './elements.js'
import { eventKind, largestFinite, threshold } from './eventKind.js'
import { eventLine, short } from './explain.js'
import type { ElementStep, NonFiniteKind } from './nonFinite.js'
import { operandsOf } from './operandsOf.js'

/** Options of watchNonFinite. */
export interface WatchOptions {
  /** Whether infinities count, or NaN alone. Default true. */
  readonly infinities?: boolean
  /** Whether the first event ends the run with an error. Default false: the run continues, and all are reported. */
  readonly stop?: boolean
}

/** What an operation read: the range of its finite numbers, from Infinity to -Infinity where there are none, and the others. */
export interface WatchedInput {
  readonly dtype: DType
  readonly shape: readonly number[]
  readonly min: number
  readonly max: number
  readonly nans: number
  readonly infinities: number
}

/** Values that are not finite where they arose: the first of them, as one element of one operation. */
export interface WatchedEvent extends ElementStep {
  /** What happened; 'constant' where an operand is not finite that no operation of the run computed. */
  readonly kind: NonFiniteKind
  readonly largest: number
  readonly threshold: number | undefined
  readonly inputs: readonly WatchedInput[]
  /** How many elements of the result are NaN and infinite, including those that were so in the operands. */
  readonly nans: number
  readonly infinities: number
  /** The source line that called the operation: `model.ts:12:7`. */
  readonly site: string | undefined
  /** How often the same happened at this line. */
  readonly times: number
}

/** A run that was watched. */
export interface Watched<T> {
  /** What the function returned, the same bits as without. */
  readonly result: T
  /** Where values that are not finite arose, in the order of the run; the same at one line is one event. */
  readonly events: readonly WatchedEvent[]
  /** How many operations ran, and how many of them only passed on non-finite values. */
  readonly operations: number
  readonly passed: number
  /** The events as lines, the first first. */
  toString(): string
}

const names: OptionTable<WatchOptions> = { infinities: 'optional', stop: 'optional' }

/** Elements of a result that are looked at one by one, until what happened to the rest is taken to be the same. */
const examined = 1000

/**
 * Runs a function and reports every value that is not finite, wherever it arises: swallowed later on, in a backward pass, or
 * in what nothing reads. `findFirstNonFinite` looks back from a result that has one; this looks at every operation, as
 * `jax_debug_nans` and `jax_debug_infs` do.
 *
 * Special   what is computed outside of the tensors' operations (a fused optimizer, an array read by hand) is seen where an
 *           operation reads it.
 * Throws    TypeError unless `f` is a function that returns at once, since what an asynchronous one does later could not be seen; with `stop` RangeError at the first event.
 * Cost      every float result is decoded once; where there is one that is not finite, its operands too.
 *
 * @example const norm = () => div(tensor([300, 300], { dtype: 'float16' }), sqrt(sum(square(tensor([300, 300], { dtype: 'float16' })))))
 * norm().toNested() // [0, 0]
 * watchNonFinite(norm).events.map(({ op, kind }) => [op, kind]) // [['square', 'overflow']]
 * @example watchNonFinite(() => log(tensor([1, 0]))).events[0].at // [1]
 */
export function watchNonFinite<T>(f: () => T, options: WatchOptions = noOptions): Watched<T> {
  checkFunction('watchNonFinite', 'f', f)
  checkOptions('watchNonFinite', options, names)
  const { infinities = true, stop = false } = options
  checkFlag('watchNonFinite', 'infinities', infinities)
  checkFlag('watchNonFinite', 'stop', stop)
  const events = new Map<string, WatchedEvent>()
  const computed = new WeakSet<object>()
  let operations = 0
  let passed = 0

  function look(applied: Applied): void {
    const index = operations++
    const { output } = applied
    computed.add(output.data)
    if (!isFloat(output.dtype)) return
    const values = output.toNumbers()
    const bad = infinities ? (x: number): boolean => !Number.isFinite(x) : Number.isNaN
    if (!values.some(bad)) return
    const found = arisen(applied, index, values, bad, (x) => computed.has(x.data))
    if (found.length === 0) passed++
    const site = currentSite(applied.op.name)
    const nans = values.filter(Number.isNaN).length
    const all = values.filter((x) => !Number.isFinite(x)).length
    for (const { kind, step } of found) {
      const key = `${kind} ${step.op} ${site}`
      const known = events.get(key)
      const event: WatchedEvent = known
        ? { ...known, times: known.times + 1 }
        : {
            ...trimmed(applied.op, step),
            kind,
            largest: largestFinite(step.dtype),
            threshold: threshold(applied.op, step.dtype),
            inputs: applied.inputs.map(rangeOf),
            nans,
            infinities: all - nans,
            site,
            times: 1,
          }
      events.set(key, event)
      if (stop) throw new RangeError(`watchNonFinite: ${eventLine(event)}${site ? ` [${site}]` : ''}`)
    }
  }

  const result = withDeepStacks(() => observe(f, look))
  if (result instanceof Promise) {
    throw new TypeError('watchNonFinite: the function is asynchronous, watch what it awaits [a Promise]')
  }
  const list = [...events.values()]
  return { result, events: list, operations, passed, toString: () => summaryOf(list, operations, passed) }
}

interface Arisen {
  readonly kind: NonFiniteKind
  readonly step: ElementStep
}

/** The first element of each kind of event; none where all values were handed on. */
function arisen(
  { op, inputs, attributes, output }: Applied,
  index: number,
  values: Float64Array,
  bad: (x: number) => boolean,
  isComputed: (x: Tensor) => boolean,
): Arisen[] {
  const node = { index, op: op.name, record: op, attributes, output }
  const read = inputs.map((x) => x.toNumbers())
  const foreign = inputs.map((x, i) => !isComputed(x) && read[i]!.some(bad))
  const places = operandsOf(node, inputs)
  const found = new Map<NonFiniteKind, ElementStep>()
  let left = examined
  for (let element = 0; element < values.length && left > 0; element++) {
    const value = values[element]!
    if (!bad(value)) continue
    const operands = places(element).map((list, i) => list.map((place) => read[i]![place]!))
    const handed = operands.some((list) => list.some((x) => !Number.isFinite(x)))
    const isForeign = operands.some((list, i) => foreign[i] && list.some(bad))
    // An infinity that stays one, and a NaN that was there.
    const passes = handed && (!Number.isNaN(value) || operands.some((list) => list.some(Number.isNaN)))
    if (passes && !isForeign) continue
    left--
    const step = stepOf(node, element, value, operands)
    const kind = (passes ? undefined : eventKind(op, step)) ?? 'constant'
    if (!found.has(kind)) found.set(kind, step)
  }
  return [...found].map(([kind, step]) => ({ kind, step }))
}

function rangeOf(x: Tensor): WatchedInput {
  let [min, max, nans, infinities] = [Infinity, -Infinity, 0, 0]
  for (const value of x.toNumbers()) {
    if (Number.isNaN(value)) nans++
    else if (!Number.isFinite(value)) infinities++
    else [min, max] = [Math.min(min, value), Math.max(max, value)]
  }
  return { dtype: x.dtype, shape: x.shape, min, max, nans, infinities }
}

function summaryOf(events: readonly WatchedEvent[], operations: number, passed: number): string {
  const ran = counted(operations, 'operation ran', 'operations ran')
  if (events.length === 0) return `${ran}, all values are finite.`
  const lines = events.flatMap((event) => {
    const { site, times, inputs } = event
    const where = [site, times > 1 ? `${times} times` : ''].filter(
      (part) => part !== undefined && part !== '',
    )
    return [
      `${eventLine(event)}${where.length > 0 ? ` (${where.join(', ')})` : ''}`,
      ...inputs.map(rangeLine),
    ]
  })
  const on = passed > 0 ? `, and ${counted(passed, 'operation', 'operations')} handed such values on` : ''
  const arose = `values that are not finite arose in ${counted(events.length, 'place', 'places')}`
  return [`${ran}; ${arose}${on}:`, ...lines].join('\n')
}

function counted(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`
}

function rangeLine({ dtype, shape, min, max, nans, infinities }: WatchedInput): string {
  const finite = min <= max ? `from ${short(min)} to ${short(max)}` : 'nothing finite'
  const others = [nans > 0 ? `${nans} NaN` : '', infinities > 0 ? `${infinities} infinite` : '']
  return `  read ${[`${dtype} [${shape.join(', ')}] ${finite}`, ...others.filter((part) => part !== '')].join(', ')}`
}
