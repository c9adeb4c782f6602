import type { Column } from './column.js'
import type { NaNReward } from './replayOptions.js'

/** Rows as given, checked: per column its numbers, and how each step ended. */
export interface Incoming {
  readonly count: number
  readonly values: readonly ArrayLike<number>[]
  readonly terminated: ArrayLike<boolean | number>
  readonly truncated: ArrayLike<boolean | number>
}

type Given = Readonly<Record<string, unknown>>

/** Reads what is given to add and addBatch. Nothing is stored before everything is checked. */
export class RowReader {
  /** Rewards that were NaN and were kept or became 0. */
  nanRewards = 0
  readonly #columns: readonly Column[]
  readonly #nanReward: NaNReward
  readonly #reward: number
  /** What readOne returns, filled anew each time: arrays of one for columns that come as a number. */
  readonly #singles: readonly number[][]
  readonly #values: ArrayLike<number>[]
  readonly #terminated: boolean[] = [false]
  readonly #truncated: boolean[] = [false]
  readonly #one: Incoming

  constructor(columns: readonly Column[], nanReward: NaNReward) {
    this.#columns = columns
    this.#nanReward = nanReward
    this.#reward = columns.findIndex(({ place }) => place.name === 'reward')
    this.#singles = columns.map(() => [0])
    this.#values = columns.map(() => [])
    this.#one = {
      count: 1,
      values: this.#values,
      terminated: this.#terminated,
      truncated: this.#truncated,
    }
  }

  /** One row, good until the next call. */
  readOne(row: Given): Incoming {
    const columns = this.#columns
    for (let c = 0; c < columns.length; c++) {
      const given = row[columns[c]!.place.name]
      if (typeof given === 'number' || typeof given === 'boolean') {
        const single = this.#singles[c]!
        single[0] = Number(given)
        this.#values[c] = single
      } else {
        this.#values[c] = given as ArrayLike<number>
      }
    }
    const { terminated, truncated } = row
    this.#terminated[0] = flag('add', 'terminated', terminated)
    this.#truncated[0] = truncated !== undefined && flag('add', 'truncated', truncated)
    this.#check('add', row, 1, this.#values)
    return this.#one
  }

  readMany(rows: Given): Incoming {
    const op = 'addBatch'
    const terminated = rows['terminated'] as ArrayLike<boolean | number> | undefined
    if (typeof terminated?.length !== 'number') {
      throw new TypeError(`${op}: terminated is not an array with a flag per row [${String(terminated)}]`)
    }
    const count = terminated.length
    const truncated = (rows['truncated'] ?? new Uint8Array(count)) as ArrayLike<boolean | number>
    if (truncated.length !== count) {
      throw new RangeError(`${op}: truncated has not a flag per row [${truncated.length} of ${count}]`)
    }
    for (let i = 0; i < count; i++) {
      flag(op, 'terminated', terminated[i])
      flag(op, 'truncated', truncated[i])
    }
    const values = this.#columns.map(({ place }) => rows[place.name] as ArrayLike<number>)
    this.#check(op, rows, count, values)
    return { count, values, terminated, truncated }
  }

  /** Checks the columns; NaN rewards that become 0 do so in `values`. */
  #check(op: string, given: Given, count: number, values: ArrayLike<number>[]): void {
    const columns = this.#columns
    for (let c = 0; c < columns.length; c++) columns[c]!.checkCount(op, values[c]!, count)
    this.#checkNames(op, given)
    const nans = this.#reward < 0 ? 0 : countNaNs(values[this.#reward]!)
    if (nans > 0) {
      if (this.#nanReward === 'reject') {
        throw new RangeError(`${op}: reward is NaN; nanReward: 'keep' or 'zero' would take it [NaN]`)
      }
      if (this.#nanReward === 'zero') {
        values[this.#reward] = Array.from(values[this.#reward]!, (x) => (Number.isNaN(x) ? 0 : x))
      }
    }
    for (let c = 0; c < columns.length; c++) columns[c]!.checkValues(op, values[c]!)
    this.nanRewards += nans
  }

  /** Every column is there: only a name too many is to be found. */
  #checkNames(op: string, given: Given): void {
    let count = 0
    for (const _ in given) count++
    if (count === this.#columns.length + ('truncated' in given ? 2 : 1)) return
    const known = [...this.#columns.map(({ place }) => place.name), 'terminated', 'truncated']
    const unknown = Object.keys(given).find((name) => !known.includes(name))
    if (unknown !== undefined) {
      throw new RangeError(`${op}: no such column, there are ${known.join(' ')} [${unknown}]`)
    }
  }
}

function countNaNs(values: ArrayLike<number>): number {
  let count = 0
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) count++
  return count
}

/** A flag, as given. Training would not reveal a missing one, so it throws. */
function flag(op: string, name: string, given: unknown): boolean {
  if (given === true || given === 1) return true
  if (given === false || given === 0) return false
  throw new TypeError(`${op}: ${name} is neither a boolean nor 0 or 1 [${String(given)}]`)
}
