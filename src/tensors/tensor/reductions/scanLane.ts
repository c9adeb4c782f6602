import { checkOrder, type Order, type Round } from './order.js'
import { kahan, neumaier, pairSums, rowSums } from './sumLane.js'

/** The running sums of lane[0 .. n) into out, in the given order, every step rounded. */
export function scanLane(lane: Float64Array, n: number, order: Order, round: Round, out: Float64Array): void {
  if (n === 0) return
  switch (order) {
    case 'sequential':
      scanSequential(lane, 0, n, round, out)
      break
    case 'pairwise':
      scanPairwise(lane, 0, n, round, out)
      break
    case 'kahan':
      kahan(lane, n, round, out)
      break
    case 'neumaier':
      neumaier(lane, n, round, out)
      break
    case 'associative':
      scanAssociative(lane, n, round, out)
      break
    default:
      checkOrder('scanLane', order, false)
      if ('blocked' in order) scanBlocked(lane, n, order.blocked, round, out)
  }
}

function scanSequential(
  lane: Float64Array,
  start: number,
  end: number,
  round: Round,
  out: Float64Array,
): void {
  let s = 0
  for (let i = start; i < end; i++) {
    s = round(s + lane[i]!)
    out[i] = s
  }
}

/** Scan of each half, then the total of the left half added to all of the right one. */
function scanPairwise(lane: Float64Array, start: number, n: number, round: Round, out: Float64Array): void {
  if (n === 1) {
    out[start] = round(lane[start]!)
    return
  }
  const half = n >> 1
  scanPairwise(lane, start, half, round, out)
  scanPairwise(lane, start + half, n - half, round, out)
  const total = out[start + half - 1]!
  for (let i = start + half; i < start + n; i++) out[i] = round(out[i]! + total)
}

/** Odd places are the scan of the pair sums; each even one is the odd place before it plus its own element. */
function scanAssociative(lane: Float64Array, n: number, round: Round, out: Float64Array): void {
  const half = n >> 1
  if (half > 0) {
    const odd = new Float64Array(half)
    scanAssociative(pairSums(lane, half, round), half, round, odd)
    for (let i = 0; i < half; i++) out[2 * i + 1] = odd[i]!
  }
  out[0] = round(lane[0]!)
  for (let i = 2; i < n; i += 2) out[i] = round(out[i - 1]! + lane[i]!)
}

/** Scan inside rows of `width`, then to each row the blocked scan of the totals before it (+0 for the first). */
function scanBlocked(lane: Float64Array, n: number, width: number, round: Round, out: Float64Array): void {
  if (n <= width) {
    scanSequential(lane, 0, n, round, out)
    return
  }
  const totals = rowSums(lane, n, width, 0, round)
  const before = new Float64Array(totals.length)
  scanBlocked(totals, totals.length, width, round, before)
  for (let row = 0; row < totals.length; row++) {
    const start = row * width
    const end = Math.min(n, start + width)
    const carry = row === 0 ? 0 : before[row - 1]!
    scanSequential(lane, start, end, round, out)
    for (let i = start; i < end; i++) out[i] = round(out[i]! + carry)
  }
}
