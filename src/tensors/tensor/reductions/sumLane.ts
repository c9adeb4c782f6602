import { checkOrder, type Order, type Round } from './order.js'

/**
 * The sum of lane[0 .. n) in the given order, every step rounded. Sequential, Kahan, Neumaier, blocked and windowed
 * sums start from +0; pairwise and associative ones from their elements. The empty sum is +0.
 */
export function sumLane(lane: Float64Array, n: number, order: Order, round: Round): number {
  if (n === 0) return 0
  switch (order) {
    case 'sequential':
      return sequential(lane, 0, n, round)
    case 'pairwise':
      return pairwise(lane, 0, n, round)
    case 'kahan':
      return kahan(lane, n, round)
    case 'neumaier':
      return neumaier(lane, n, round)
    case 'associative':
      return associative(lane, n, round)
    default:
      checkOrder('sumLane', order, true)
      return 'blocked' in order
        ? blocked(lane, n, order.blocked, round)
        : windowed(lane, n, order.windowed, round)
  }
}

/** Left to right from +0: s = round(s + v). */
function sequential(lane: Float64Array, start: number, end: number, round: Round): number {
  let s = 0
  // Float32 is common enough to spare it the call: the engine inlines Math.fround, not a rounding it is handed.
  if (round === Math.fround) for (let i = start; i < end; i++) s = Math.fround(s + lane[i]!)
  else for (let i = start; i < end; i++) s = round(s + lane[i]!)
  return s
}

/** The sum of the first floor(n / 2) elements plus the sum of the others, recursively. */
function pairwise(lane: Float64Array, start: number, n: number, round: Round): number {
  if (n === 1) return round(lane[start]!)
  const half = n >> 1
  return round(pairwise(lane, start, half, round) + pairwise(lane, start + half, n - half, round))
}

/**
 * Kahan's compensated sum. An infinite running sum switches the compensation off, which would be NaN from then on.
 * Source: Kahan, Further remarks on reducing truncation errors, doi:10.1145/363707.363723
 */
export function kahan(lane: Float64Array, n: number, round: Round, out?: Float64Array): number {
  let s = 0
  let c = 0
  for (let i = 0; i < n; i++) {
    const y = round(lane[i]! - c)
    const t = round(s + y)
    c = Number.isFinite(t) ? round(round(t - s) - y) : 0
    s = t
    if (out) out[i] = s
  }
  return s
}

/**
 * Neumaier's variant: the lost part is taken from the smaller operand and added once at the end.
 * Source: Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, doi:10.1002/zamm.19740540106
 */
export function neumaier(lane: Float64Array, n: number, round: Round, out?: Float64Array): number {
  let s = 0
  let c = 0
  for (let i = 0; i < n; i++) {
    const v = lane[i]!
    const t = round(s + v)
    if (!Number.isFinite(t)) c = 0
    else if (Math.abs(s) >= Math.abs(v)) c = round(c + round(round(s - t) + v))
    else c = round(c + round(round(v - t) + s))
    s = t
    if (out) out[i] = round(s + c)
  }
  return round(s + c)
}

/** The last element of the associative scan: pair sums, recursively, an odd last element added on its own. */
function associative(lane: Float64Array, n: number, round: Round): number {
  if (n === 1) return round(lane[0]!)
  const half = n >> 1
  const paired = associative(pairSums(lane, half, round), half, round)
  return n % 2 === 0 ? paired : round(paired + lane[n - 1]!)
}

export function pairSums(lane: Float64Array, half: number, round: Round): Float64Array {
  const pairs = new Float64Array(half)
  for (let i = 0; i < half; i++) pairs[i] = round(lane[2 * i]! + lane[2 * i + 1]!)
  return pairs
}

/** The last element of the blocked scan: the last row's sum plus the blocked sum of the rows before it. */
function blocked(lane: Float64Array, n: number, width: number, round: Round): number {
  if (n <= width) return sequential(lane, 0, n, round)
  const totals = rowSums(lane, n, width, 0, round)
  const last = totals.length - 1
  return round(totals[last]! + blocked(totals, last, width, round))
}

/** Sums of consecutive rows of `width`, the first of them starting `front` places before the lane. */
export function rowSums(
  lane: Float64Array,
  n: number,
  width: number,
  front: number,
  round: Round,
): Float64Array {
  const totals = new Float64Array(Math.ceil((n + front) / width))
  for (let row = 0; row < totals.length; row++) {
    const start = Math.max(0, row * width - front)
    totals[row] = sequential(lane, start, Math.min(n, (row + 1) * width - front), round)
  }
  return totals
}

/** While longer than a window: pad to whole windows, half of the padding (rounded down) in front, and sum each. */
function windowed(lane: Float64Array, n: number, width: number, round: Round): number {
  if (n <= width) return sequential(lane, 0, n, round)
  const padding = (width - (n % width)) % width
  const totals = rowSums(lane, n, width, padding >> 1, round)
  return windowed(totals, totals.length, width, round)
}
