import { type Arena, at, longestLane, ofArena } from './arena.js'
import { sumKernels } from './sum.wasm.js'

/** A lane, its running sums, and the state between its parts. */
interface LaneViews {
  readonly lane: Float32Array
  readonly scan: Float32Array
  readonly state: Float32Array
}

export const laneViews: (arena: Arena) => LaneViews = /*#__PURE__*/ ofArena(({ buffer }) => ({
  lane: new Float32Array(buffer, at.lane, longestLane),
  scan: new Float32Array(buffer, at.scan, longestLane),
  state: new Float32Array(buffer, at.state, 2),
}))

/** The orders in which a lane is added, as tensor names them. */
export type LaneOrder =
  | 'sequential'
  | 'pairwise'
  | 'kahan'
  | 'neumaier'
  | 'associative'
  | { readonly blocked: number }
  | { readonly windowed: number }

/** Orders that take one element after the other, and so a lane part by part. */
export type StepwiseOrder = 'sequential' | 'kahan' | 'neumaier'

/** Whether an order takes one element after the other. */
export function isStepwise(order: LaneOrder): order is StepwiseOrder {
  return order === 'sequential' || order === 'kahan' || order === 'neumaier'
}

/** Whether a kernel adds so long a lane in this order: some need all of it in the arena. */
export function addsLane(order: LaneOrder, length: number, scans = false): boolean {
  if (isStepwise(order)) return true
  return length <= longestLane && length > 0 && !(scans && typeof order === 'object' && 'windowed' in order)
}

/** The sum of a lane of float32 numbers, every step rounded to float32. `addsLane` says for which. */
export function float32LaneSum(arena: Arena, lane: Float32Array, order: LaneOrder): number {
  const kernels = sumKernels(arena)
  const { lane: staged, state } = laneViews(arena)
  const n = lane.length
  if (isStepwise(order)) {
    addParts(arena, lane, order, undefined)
    return order === 'neumaier' ? Math.fround(state[0]! + state[1]!) : state[0]!
  }
  staged.set(lane)
  if (order === 'pairwise') return kernels.pairwiseSum(at.lane, n)
  if (order === 'associative') return kernels.associativeSum(at.lane, n, at.scratch)
  if ('blocked' in order) return kernels.blockedSum(at.lane, n, order.blocked, at.scratch)
  return kernels.windowedSum(at.lane, n, order.windowed, at.scratch)
}

/** The running sums of a lane, as `float32LaneSum`; a NaN may have any sign. */
export function float32LaneScan(arena: Arena, lane: Float32Array, order: LaneOrder, out: Float32Array): void {
  const kernels = sumKernels(arena)
  const { lane: staged, scan } = laneViews(arena)
  const n = lane.length
  if (isStepwise(order)) {
    addParts(arena, lane, order, out)
    return
  }
  staged.set(lane)
  if (order === 'pairwise') kernels.pairwiseScan(at.lane, at.scan, n)
  else if (order === 'associative') kernels.associativeScan(at.lane, at.scan, n, at.scratch)
  else if ('blocked' in order) kernels.blockedScan(at.lane, at.scan, n, order.blocked, at.scratch)
  out.set(scan.subarray(0, n))
}

/** Part by part, the running sum kept between them. */
function addParts(
  arena: Arena,
  lane: Float32Array,
  order: StepwiseOrder,
  out: Float32Array | undefined,
): void {
  const kernel = sumKernels(arena)[`${order}Lane`]
  const { lane: staged, scan, state } = laneViews(arena)
  state.fill(0)
  // Parts that stay in the first level of cache.
  const step = 4096
  for (let start = 0; start < lane.length; start += step) {
    const count = Math.min(step, lane.length - start)
    staged.set(count === lane.length ? lane : lane.subarray(start, start + count))
    kernel(at.lane, out ? at.scan : 0, count, at.state)
    if (out) out.set(scan.subarray(0, count), start)
  }
}
