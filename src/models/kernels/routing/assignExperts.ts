import { checkInteger, checkName, checkOptions, type OptionTable } from '../../../base/options/index.js'
import { apply, checkTensor, type KnownOp, less, minimum, Tensor } from '../../../tensors/tensor/index.js'

/** How choices are given places. */
export interface AssignOptions {
  /** How many experts there are. */
  readonly experts: number
  /** How many places each has: `expertCapacity`. */
  readonly capacity: number
  /**
   * Who queues first: 'token', all choices of a token before the next token's, as MaxText; 'choice', all first choices before
   * the second ones, as GShard and Switch. Default 'token'.
   */
  readonly order?: 'token' | 'choice'
}

/** The slot of each token; slots beyond the capacity are dropped. */
export interface Assignment {
  /** [tokens, k]. */
  readonly experts: Tensor<'int32'>
  /** Each choice's place in the queue of its expert, from 0, also of dropped ones, [tokens, k]. */
  readonly position: Tensor<'int32'>
  /** Whether it has a place: position < capacity, [tokens, k]. */
  readonly kept: Tensor<'bool'>
  /** How often each expert was chosen, [experts]. */
  readonly count: Tensor<'int32'>
  /** How many places are taken: the least of count and capacity, [experts]. */
  readonly load: Tensor<'int32'>
  /** The token in each place, `tokens` where it is empty, [experts capacity]. */
  readonly tokens: Tensor<'int32'>
  /** The place of each choice among all, experts x capacity where it was dropped, [tokens, k]. */
  readonly slots: Tensor<'int32'>
  readonly capacity: number
}

const names: OptionTable<AssignOptions> = { experts: 'required', capacity: 'required', order: 'optional' }

interface Queue extends Required<AssignOptions> {
  readonly of: 'position' | 'count' | 'tokens' | 'slots'
}

/** What follows from the queues of all experts. */
const assignOp: KnownOp<Queue> = {
  name: 'assignExperts',
  form: 'whole',
  rounds: 'decides',
  kernel: ([chosen], { experts, capacity, order, of }) => {
    const [tokens, k] = chosen!.shape as [number, number]
    const position = new Int32Array(tokens * k)
    const count = new Int32Array(experts)
    const [outer, inner] = order === 'token' ? [tokens, k] : [k, tokens]
    for (let i = 0; i < outer; i++) {
      for (let j = 0; j < inner; j++) {
        const at = order === 'token' ? i * k + j : j * k + i
        const expert = Number(chosen!.data[at])
        if (!(expert >= 0 && expert < experts)) {
          throw new RangeError(`assignExperts: an expert outside ${experts} [${expert}]`)
        }
        position[at] = count[expert]!
        count[expert]!++
      }
    }
    if (of === 'position') return new Tensor('int32', [tokens, k], position)
    if (of === 'count') return new Tensor('int32', [experts], count)
    const places = new Int32Array(experts * capacity).fill(tokens)
    const slots = position.map((place, at) => {
      if (place >= capacity) return experts * capacity
      const slot = Number(chosen!.data[at]) * capacity + place
      places[slot] = Math.floor(at / k)
      return slot
    })
    return of === 'slots'
      ? new Tensor('int32', [tokens, k], slots)
      : new Tensor('int32', [experts * capacity], places)
  },
  gradient: () => [],
}

/**
 * Places for all choices: they queue at their experts, and who comes after the last place is dropped.
 *
 * Shape     experts [tokens, k].
 * Dtype     int32 in and out; whole numbers, nothing rounds and nothing has a gradient.
 * Throws    RangeError for a capacity below 1 and an expert that there is not.
 *
 * @example assignExperts(tensor([[0], [0], [1]], { dtype: 'int32' }), { experts: 2, capacity: 1 }).kept.toNested() // [[true], [false], [true]]
 */
export function assignExperts(experts: Tensor<'int32'>, options: AssignOptions): Assignment {
  checkTensor('assignExperts', experts)
  checkOptions('assignExperts', options, names)
  const { experts: number, capacity, order = 'token' } = options
  if (experts.dtype !== 'int32') {
    throw new TypeError(`assignExperts: experts are not int32 [${String(experts.dtype)}]`)
  }
  if (experts.rank !== 2) {
    throw new RangeError(`assignExperts: experts are no table [${experts.shape.join(', ')}]`)
  }
  checkInteger('assignExperts', 'experts', number, 1)
  checkInteger('assignExperts', 'capacity', capacity, 1)
  checkName('assignExperts', 'order', order, ['token', 'choice'])
  const all = (of: Queue['of']): Tensor<'int32'> =>
    apply(assignOp, [experts], { experts: number, capacity, order, of }) as Tensor<'int32'>
  const position = all('position')
  const count = all('count')
  return {
    ...{ experts, position, kept: less(position, capacity), count, load: minimum(count, capacity) },
    ...{ tokens: all('tokens'), slots: all('slots'), capacity },
  }
}
