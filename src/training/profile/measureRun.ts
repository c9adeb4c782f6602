import {
  type DType,
  flopsOf,
  type Op,
  productOf,
  type Shape,
  stackOf,
  Tensor,
  type Timer,
  timed,
  type Work,
  type WorkTensors,
  withDeepStacks,
} from '../../tensors/tensor/index.js'

/** A timed piece of work: what it was, and when, in milliseconds. */
export interface TimedWork {
  readonly work: Work
  readonly began: number
  readonly ended: number
  /** The values it read and made, by number; those that came from outside have none. */
  readonly reads: readonly number[]
  readonly makes: readonly number[]
  /** Bytes that the values of a program take while it runs. */
  readonly within: number
}

/** One timed run: its pieces of work in the order in which they ended, and its own beginning and end. */
export interface MeasuredRun {
  readonly work: readonly TimedWork[]
  readonly began: number
  readonly ended: number
  /** Bytes of each value that was made. */
  readonly bytes: readonly number[]
  /** Bytes of what was read and made outside. */
  readonly givenBytes: number
  /** The values that the run returned. */
  readonly returned: ReadonlySet<number>
}

/** The function at the foot of every stack. */
const foot = 'profiledRun'

/** What is kept of an operation while time is measured: no tensor, which would be alive for it. */
interface Seen {
  readonly op: Op
  readonly attributes: unknown
  readonly shapes: readonly Shape[]
  readonly shape: Shape
  readonly dtype: DType
  readonly bytes: number
  readonly memory: number
  readonly stacks: Work['stacks']
}

/** A timed piece of work whose costs are not computed yet. */
interface Noted {
  readonly seen: Seen | undefined
  readonly work: Work | undefined
  readonly began: number
  readonly ended: number
  readonly values: Pick<TimedWork, 'reads' | 'makes'>
}

/**
 * Runs a function once and keeps the timer's reports. Bare, it keeps times and shapes alone; with sites also where everything was called and
 * which values were read, and that run takes longer.
 */
export function measureRun(f: () => unknown, sites: boolean): MeasuredRun {
  const notes: Noted[] = []
  const values = new Values()
  const timer: Timer = {
    ...{ sites, until: foot },
    operation({ op, inputs, attributes, output }, began, ended, site) {
      const memory = output.data.byteLength
      const shapes: Shape[] = []
      let bytes = memory
      for (const input of inputs) {
        shapes.push(input.shape)
        bytes += input.data.byteLength
      }
      const stacks = site ? [stackOf({ site }, foot)] : noStack
      const seen = { op, attributes, shapes, shape: output.shape, dtype: output.dtype, bytes, memory, stacks }
      const own = sites ? values.seen({ reads: inputs, makes: [output] }) : nothing
      notes.push({ seen, work: undefined, began, ended, values: own })
    },
    work(work, began, ended, tensors) {
      const own = sites && tensors ? values.seen(tensors) : nothing
      notes.push({ seen: undefined, work, began, ended, values: own })
    },
  }
  const began = performance.now()
  const result = sites ? withDeepStacks(() => profiledRun(f, timer)) : profiledRun(f, timer)
  const ended = performance.now()
  if (result instanceof Promise) {
    throw new TypeError('profile: the function is asynchronous, what it does later is not seen [Promise]')
  }
  const { bytes, givenBytes } = values
  const returned = sites ? values.known(tensorsIn(result)) : none
  return { work: notes.map(timedWorkOf), began, ended, bytes, givenBytes, returned }
}

function timedWorkOf({ seen, work: given, began, ended, values: { reads, makes } }: Noted): TimedWork {
  const work = given ?? workOf(seen!)
  const within = 'alive' in work && typeof work.alive === 'number' ? work.alive : 0
  return { work, began, ended, reads, makes, within }
}

function workOf({ op, attributes, shapes, shape, dtype, bytes, memory, stacks }: Seen): Work {
  const product = productOf(op, shapes, shape, attributes)
  return {
    ...{ kind: op.name, operations: [op.name], dtype, shape, memory, bytes, stacks },
    flops: flopsOf(op, attributes, shapes, shape),
    ...(product ? { product } : {}),
  }
}

const noStack: Work['stacks'] = [[]]
const nothing: Pick<TimedWork, 'reads' | 'makes'> = { reads: [], makes: [] }
const none: ReadonlySet<number> = new Set()

function profiledRun(f: () => unknown, timer: Timer): unknown {
  return timed(f, timer)
}

/** Values by number, distinguished by where their elements lie; what holds them no longer need be there. */
class Values {
  readonly bytes: number[] = []
  givenBytes = 0
  readonly #numbers = new WeakMap<object, number>()

  seen({ reads = [], makes = [] }: WorkTensors): Pick<TimedWork, 'reads' | 'makes'> {
    const read = reads.flatMap(({ data }) => {
      const number = this.#numbers.get(data)
      if (number === undefined) {
        this.#numbers.set(data, -1)
        this.givenBytes += data.byteLength
      }
      return number === undefined || number < 0 ? [] : [number]
    })
    const made = makes.flatMap(({ data }) => {
      // What is handed on as it came is nothing new.
      if (this.#numbers.has(data)) return []
      this.#numbers.set(data, this.bytes.length)
      return [this.bytes.push(data.byteLength) - 1]
    })
    return { reads: read, makes: made }
  }

  known(tensors: readonly Tensor[]): Set<number> {
    return new Set(tensors.flatMap(({ data }) => this.#numbers.get(data) ?? []))
  }
}

/** The tensors of whatever a function returned. */
function tensorsIn(result: unknown): readonly Tensor[] {
  if (result instanceof Tensor) return [result]
  if (Array.isArray(result)) return result.flatMap(tensorsIn)
  if (typeof result !== 'object' || result === null) return []
  const prototype: unknown = Object.getPrototypeOf(result)
  return prototype === Object.prototype || prototype === null ? Object.values(result).flatMap(tensorsIn) : []
}
