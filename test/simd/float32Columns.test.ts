import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import {
  addsLane,
  arena,
  float32ColumnSums,
  float32LaneScan,
  float32LaneSum,
  float32LaneSums,
  isStepwise,
  type LaneOrder,
} from '#simd'

// float32LaneSum, held against the definitions in float32Lanes.test.ts, is the oracle: one lane after the other.
const simd = arena('simd')!
const stepwise: LaneOrder[] = ['sequential', 'kahan', 'neumaier']
const trees: LaneOrder[] = [
  'pairwise',
  'associative',
  { blocked: 2 },
  { blocked: 16 },
  { windowed: 3 },
  { windowed: 32 },
]

/** Numbers over 23 binades, and columns that overflow, hold infinities, zeros of both signs, subnormal numbers and a NaN. */
function matrix(rows: number, width: number): Float32Array {
  const values = normal(key(rows + width), rows * width).map((v, i) => v * 2 ** ((i * 5) % 23))
  values.forEach((_, i) => {
    const column = i % width
    if (column === 1) values[i] = 2 ** 127
    if (column === 2 && i > width) values[i] = i % 2 ? Infinity : -Infinity
    if (column === 3) values[i] = -0
    if (column === 4) values[i] = ((i % 9) - 4) * 2 ** -149
    if (column === 6 && i === 6) values[i] = Number.NaN
  })
  return values
}

const sizes = [
  [1, 4],
  [40, 5],
  [300, 16],
  [70, 33],
  [9, 900],
  [2, 4099],
  [1, 5000],
  [2049, 13],
  [20_000, 7],
] as const

describe.each([...stepwise, ...trees])('float32 columns, order %o', (order) => {
  it.each(sizes)('float32ColumnSums(arena, [%i, %i]) adds each column as a lane', (rows, width) => {
    const front = 3
    const values = Float32Array.from([...new Float32Array(front), ...matrix(rows, width)])
    const sums = new Float32Array(width)
    const running = new Float32Array(rows * width)
    const scans = addsLane(order, rows, true)
    float32ColumnSums(simd, values, front, rows, order, sums)
    if (scans) float32ColumnSums(simd, values, front, rows, order, new Float32Array(width), running)
    const lane = new Float32Array(rows)
    const scan = new Float32Array(rows)
    const wrong: number[] = []
    for (let j = 0; j < width; j++) {
      for (let i = 0; i < rows; i++) lane[i] = values[front + i * width + j]!
      if (scans) float32LaneScan(simd, lane, order, scan)
      if (!Object.is(sums[j], float32LaneSum(simd, lane, order))) wrong.push(j)
      if (scans && scan.some((v, i) => !Object.is(v, running[i * width + j]))) wrong.push(j)
    }
    expect(wrong).toEqual([])
  })
})

describe.each(stepwise.filter(isStepwise))('float32 lanes, order %s', (order) => {
  it.each([
    [1, 3],
    [16, 600],
    [21, 1025],
  ])('float32LaneSums(arena, %i lanes of %i) adds each as float32LaneSum', (count, length) => {
    const values = matrix(count, length).map((v, i) => (i < 5 * length ? v : Math.sin(i)))
    const laneOf = (k: number) => values.subarray(k * length, (k + 1) * length)
    const sums = new Float32Array(count)
    float32LaneSums(simd, laneOf, length, order, sums)
    expect([...sums]).toEqual(Array.from(sums, (_, k) => float32LaneSum(simd, laneOf(k), order)))
  })
})
