import { shown } from '../../../base/options/index.js'

/**
 * Where a stream stands: everything from `position` on is still to come, and before it the stretches of `pending`. As plain
 * numbers, for JSON. Hosts that keep step leave nothing pending: the state is one integer.
 */
export interface StreamState {
  readonly position: number
  /** Stretches of places before `position` that are still to come, start to end (not included), in their order. */
  readonly pending: readonly (readonly [start: number, end: number])[]
  /** Tells the records and their order from others, where the states said it; `load` compares it. */
  readonly fingerprint?: string
}

/** The places of a stream that are still to come, numbered from 0. */
export interface Stream {
  readonly from: StreamState
  /** How many places; Infinity where the epochs never end. */
  readonly length: number
  /** The place with this number. */
  positionAt(number: number): number
  /** The places with the numbers start to end (not included), as stretches. */
  stretches(start: number, end: number): [start: number, end: number][]
}

/** The places from a state on to `total`. */
export function streamFrom(from: StreamState, total: number): Stream {
  const before: number[] = []
  let pendingLength = 0
  for (const [start, end] of from.pending) {
    before.push(pendingLength)
    pendingLength += end - start
  }
  const pieceOf = (number: number): number => {
    let low = 0
    let high = before.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (before[middle]! <= number) low = middle
      else high = middle
    }
    return low
  }
  return {
    from,
    length: pendingLength + (total - from.position),
    positionAt: (number) => {
      if (number >= pendingLength) return from.position + (number - pendingLength)
      const piece = pieceOf(number)
      return from.pending[piece]![0] + (number - before[piece]!)
    },
    stretches: (start, end) => {
      const found: [number, number][] = []
      let at = start
      while (at < Math.min(end, pendingLength)) {
        const piece = pieceOf(at)
        const [first, last] = from.pending[piece]!
        const place = first + (at - before[piece]!)
        const stop = Math.min(last, place + (end - at))
        found.push([place, stop])
        at += stop - place
      }
      if (at < end) found.push([from.position + (at - pendingLength), from.position + (end - pendingLength)])
      return found
    },
  }
}

/** A state from what a user gives: a place, or a state; checked. */
export function checkState(op: string, given: number | StreamState, total: number): StreamState {
  const state = typeof given === 'number' ? { position: given, pending: [] } : given
  const isPlace = (place: unknown): boolean =>
    Number.isSafeInteger(place) && (place as number) >= 0 && (place as number) <= total
  if (!isPlace(state?.position)) {
    throw new RangeError(`${op}: not a place of the ${total} [${shown(state?.position)}]`)
  }
  const { position, pending } = state
  const isList = (value: unknown): boolean => Array.isArray(value)
  if (!isList(pending) || !pending.every(isList)) {
    throw new RangeError(`${op}: pending is not a list of stretches [${shown(pending)}]`)
  }
  const used: (readonly [number, number])[] = [...pending].sort((a, b) => a[0] - b[0])
  used.forEach(([start, end], i) => {
    if (!(isPlace(start) && isPlace(end) && start < end && end <= (used[i + 1]?.[0] ?? position))) {
      throw new RangeError(`${op}: pending stretches overlap or reach past ${position} [${start}, ${end}]`)
    }
  })
  return { position, pending }
}

/** A state with neighbouring stretches joined, and the last ones taken into the open end where they touch it. */
export function tidyState(position: number, stretches: readonly (readonly [number, number])[]): StreamState {
  const pending: [number, number][] = []
  for (const [start, end] of stretches) {
    const last = pending.at(-1)
    if (start === end) continue
    if (last && last[1] === start) last[1] = end
    else pending.push([start, end])
  }
  let first = position
  while (pending.at(-1)?.[1] === first) first = pending.pop()![0]
  return { position: first, pending }
}
