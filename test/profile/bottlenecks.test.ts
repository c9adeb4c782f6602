import { add, exp, matmul, tensor, zeros } from 'tpu-toolkit'
import { chip } from 'tpu-toolkit/hardware'
import { bottlenecks, chipRoofline, measureRoofline, profile, type Roofline } from 'tpu-toolkit/profile'
import { operationBound } from 'tpu-toolkit/roofline'
import { describe, expect, it } from 'vitest'

const machine: Roofline = {
  ...{ name: 'made', kind: 'machine', flopsPerSecond: 1e9, vectorFlopsPerSecond: 1e9 },
  ...{ bytesPerSecond: 1e9, overheadMicroseconds: 0 },
}

describe('bottlenecks', () => {
  it('bottlenecks(profile, chip) is the roofline of roofline for aligned products', () => {
    const [m, k, n] = [256, 512, 128]
    const measured = profile(() => matmul(zeros([m, k]), zeros([k, n])), { runs: 1 })
    const { rows, microseconds } = bottlenecks(measured, 'v5e')
    const bound = operationBound({ flops: 2 * m * k * n, bytes: 4 * (m * k + k * n + m * n) }, 'v5e')
    expect(rows[0]!.microseconds / 1e6).toBeCloseTo(bound.seconds, 15)
    expect(microseconds).toBe(rows[0]!.microseconds)
    expect(bound.boundBy === 'hbm' ? 'memory' : bound.boundBy).toBe(rows[0]!.boundBy)
  })

  it('bottlenecks(profile, chip) pads products to the matrix unit, and says which are too small for it', () => {
    const small = profile(() => matmul(zeros([512, 16]), zeros([16, 16])), { runs: 1 })
    const [row] = bottlenecks(small, 'v6e').rows
    // k and n of 16 on a side of 256: one part of 256 of the array works.
    expect(row!.shares.compute).toBe(1)
    expect(row!.advice).toMatch(/fills 0.39 % of the matrix unit/)
  })

  it('bottlenecks(profile, machine) holds measured times against it; shares add up to the whole', () => {
    const x = zeros([4096])
    const measured = profile(() => add(exp(x), exp(x)), { runs: 2 })
    const { rows, shares, microseconds } = bottlenecks(measured, machine)
    expect(rows.map(({ name }) => name).sort()).toEqual(['add', 'exp', 'outside of operations'])
    expect(microseconds).toBeCloseTo(measured.microseconds, 6)
    expect(rows.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12)
    expect(Object.values(shares).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12)
    // Eight bytes an element and one operation: memory, where both rates are the same.
    expect(rows.find(({ name }) => name === 'exp')!.boundBy).toBe('memory')
  })

  it('bottlenecks(profile, machine) finds the fixed cost of small calls', () => {
    const one = tensor([1])
    const measured = profile(() => add(one, one), { runs: 2 })
    const { rows } = bottlenecks(measured, { ...machine, overheadMicroseconds: 1e6 })
    const row = rows.find(({ name }) => name === 'add')!
    expect([row.boundBy, row.shares.overhead]).toEqual(['overhead', 1])
    expect(row.advice).toContain('compile')
  })

  it('bottlenecks(profile, chip, { linkBytes }) adds what goes to other chips', () => {
    const measured = profile(() => add(zeros([4]), 1), { runs: 1 })
    const { rows } = bottlenecks(measured, 'v5p', { linkBytes: 1e6 })
    expect(rows[0]!.boundBy).toBe('collective')
    const { seconds } = operationBound({ flops: 0, bytes: 0, iciBytes: 1e6 }, 'v5p')
    expect(rows[0]!.microseconds / 1e6).toBeCloseTo(seconds, 15)
    expect(() => bottlenecks(measured, machine, { linkBytes: 1 })).toThrow('made has no links')
  })

  it('bottlenecks(profile, what is none) says what it can be held against', () => {
    const measured = profile(() => add(zeros([4]), 1), { runs: 1 })
    expect(() => bottlenecks(measured, { a: 1 } as never)).toThrow('neither a roofline nor a chip')
    expect(() => bottlenecks(measured, 'v5q' as never)).toThrow('unknown chip')
  })
})

describe('rooflines', () => {
  it('chipRoofline(chip) has the published rates', () => {
    const { flopsPerSecond, bytesPerSecond, side } = chipRoofline('v6e', 'int8')
    const { int8OpsPerSecond, hbmBytesPerSecond, mxuSide } = chip('v6e')
    expect([flopsPerSecond, bytesPerSecond, side]).toEqual([int8OpsPerSecond, hbmBytesPerSecond, mxuSide])
  })

  it('measureRoofline() measures rates of a machine, not of a clock', () => {
    const { flopsPerSecond, bytesPerSecond, overheadMicroseconds } = measureRoofline({ runs: 1, size: 64 })
    expect(flopsPerSecond).toBeGreaterThan(1e7)
    expect(bytesPerSecond).toBeGreaterThan(1e7)
    expect(overheadMicroseconds).toBeGreaterThan(1e-3)
  })
})
