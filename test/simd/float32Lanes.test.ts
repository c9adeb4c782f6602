import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { addsLane, arena, float32LaneScan, float32LaneSum, type LaneOrder } from '#simd'

const f = Math.fround
const simd = arena('simd')!
const orders: LaneOrder[] = [
  'sequential',
  'pairwise',
  'kahan',
  'neumaier',
  'associative',
  { blocked: 16 },
  { blocked: 7 },
  { windowed: 32 },
  { windowed: 5 },
]

// The orders by their definitions, on plain arrays.
function plain(x: number[]): number {
  return x.reduce((s, v) => f(s + v), 0)
}

function pairwise(x: number[]): number {
  if (x.length === 1) return x[0]!
  const half = x.length >> 1
  return f(pairwise(x.slice(0, half)) + pairwise(x.slice(half)))
}

function compensated(x: number[], order: 'kahan' | 'neumaier'): number {
  let [s, c] = [0, 0]
  for (const v of x) {
    const y = order === 'kahan' ? f(v - c) : v
    const t = f(s + y)
    if (!Number.isFinite(t)) c = 0
    else if (order === 'kahan') c = f(f(t - s) - y)
    else c = f(c + (Math.abs(s) >= Math.abs(v) ? f(f(s - t) + v) : f(f(v - t) + s)))
    s = t
  }
  return order === 'kahan' ? s : f(s + c)
}

function associative(x: number[]): number {
  if (x.length === 1) return x[0]!
  const pairs = Array.from({ length: x.length >> 1 }, (_, i) => f(x[2 * i]! + x[2 * i + 1]!))
  const paired = associative(pairs)
  return x.length % 2 ? f(paired + x.at(-1)!) : paired
}

function blocked(x: number[], width: number): number {
  if (x.length <= width) return plain(x)
  const totals: number[] = []
  for (let i = 0; i < x.length; i += width) totals.push(plain(x.slice(i, i + width)))
  return f(totals.pop()! + blocked(totals, width))
}

function windowed(x: number[], width: number): number {
  if (x.length <= width) return plain(x)
  const padding = (width - (x.length % width)) % width
  const padded = [...Array(padding >> 1).fill(0), ...x, ...Array(padding - (padding >> 1)).fill(0)]
  const totals: number[] = []
  for (let i = 0; i < padded.length; i += width) totals.push(plain(padded.slice(i, i + width)))
  return windowed(totals, width)
}

function sum(x: number[], order: LaneOrder): number {
  if (order === 'sequential') return plain(x)
  if (order === 'pairwise') return pairwise(x)
  if (order === 'associative') return associative(x)
  if (typeof order === 'string') return compensated(x, order)
  return 'blocked' in order ? blocked(x, order.blocked) : windowed(x, order.windowed)
}

/** The running sums by definition; the associative scan's places and the pairwise one's are their own recursions. */
function scan(x: number[], order: LaneOrder): number[] {
  if (order === 'pairwise') {
    if (x.length === 1) return x
    const half = x.length >> 1
    const left = scan(x.slice(0, half), order)
    return [...left, ...scan(x.slice(half), order).map((v) => f(v + left.at(-1)!))]
  }
  if (order === 'associative') {
    const pairs = Array.from({ length: x.length >> 1 }, (_, i) => f(x[2 * i]! + x[2 * i + 1]!))
    const odd = pairs.length ? scan(pairs, order) : []
    return x.map((v, i) => (i === 0 ? v : i % 2 ? odd[i >> 1]! : f(odd[i / 2 - 1]! + v)))
  }
  if (typeof order === 'object' && 'blocked' in order && x.length > order.blocked) {
    const width = order.blocked
    const rows = Array.from({ length: Math.ceil(x.length / width) }, (_, r) =>
      x.slice(r * width, (r + 1) * width),
    )
    const before = scan(rows.map(plain), order)
    return rows.flatMap((row, r) => scan(row, 'sequential').map((v) => f(v + (r ? before[r - 1]! : 0))))
  }
  if (order === 'kahan' || order === 'neumaier') return x.map((_, i) => compensated(x.slice(0, i + 1), order))
  return x.map((_, i) => plain(x.slice(0, i + 1)))
}

const lanes = [1, 2, 3, 5, 31, 32, 33, 255, 600].map((n) =>
  normal(key(n), n).map((v, i) => v * 2 ** ((i * 5) % 23)),
)

describe.each(orders)('float32 lanes, order %j', (order) => {
  it('float32LaneSum(arena, lane) adds as the definition says, to the bit', () => {
    for (const lane of lanes) expect(float32LaneSum(simd, lane, order)).toBe(sum([...lane], order))
  })

  it('float32LaneScan(arena, lane) has every running sum of the definition', () => {
    if (!addsLane(order, 5, true)) return
    for (const lane of lanes) {
      const out = new Float32Array(lane.length)
      float32LaneScan(simd, lane, order, out)
      expect([...out]).toEqual(scan([...lane], order))
    }
  })

  it('float32LaneSum(arena, lane) of an overflow is infinite, of Inf - Inf NaN', () => {
    const lane = new Float32Array(40).fill(1)
    lane[3] = Infinity
    expect(float32LaneSum(simd, lane, order)).toBe(Infinity)
    lane[30] = -Infinity
    expect(float32LaneSum(simd, lane, order)).toBeNaN()
  })
})

describe('float32LaneSum', () => {
  it('float32LaneSum(arena, lane) carries sum and compensation from part to part', () => {
    const lane = normal(key(3), 10_000)
    for (const order of ['sequential', 'kahan', 'neumaier'] as const) {
      expect(float32LaneSum(simd, lane, order)).toBe(sum([...lane], order))
    }
  })
})
