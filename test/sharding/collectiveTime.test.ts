import { readFileSync } from 'node:fs'
import { type Collective, collectiveTime } from 'tpu-toolkit/sharding'
import { describe, expect, it } from 'vitest'

interface Case {
  readonly chip: string
  readonly op: Collective
  readonly full_bytes: number
  readonly axis_sizes: readonly number[]
  readonly link_one_way: number
  readonly wrap: boolean
  readonly hop_latency: number
  readonly time_book: number
  readonly latency_bound: number
  readonly time: number
  readonly sent_per_device: number
  readonly time_ring_exact?: number
}
const keyFile = new URL('../golden/planning/collectives.json', import.meta.url)
const { cases } = JSON.parse(readFileSync(keyFile, 'utf8')) as { readonly cases: readonly Case[] }

/** The formulas in another order of operations: a few roundings of float64. */
const near = (a: number, b: number) => Math.abs(a - b) <= 2 ** -50 * Math.abs(b)

describe('collectiveTime', () => {
  it.each(
    cases.map(
      (one) => [`${one.op} of ${one.full_bytes} over ${one.axis_sizes} on ${one.chip}`, one] as const,
    ),
  )('%s is as the book has it', (_, one) => {
    const found = collectiveTime({
      ...{ op: one.op, bytes: one.full_bytes, axisSizes: one.axis_sizes, wrap: one.wrap },
      ...{ linkBytesPerSecond: one.link_one_way, hopSeconds: one.hop_latency },
    })
    expect(near(found.bandwidthSeconds, one.time_book)).toBe(true)
    expect(near(found.latencySeconds, one.latency_bound)).toBe(true)
    expect(near(found.seconds, one.time)).toBe(true)
    expect(near(found.sentBytesPerDevice, one.sent_per_device)).toBe(true)
    if (one.time_ring_exact !== undefined) {
      expect(near(found.exactBandwidthSeconds, one.time_ring_exact)).toBe(true)
    }
  })

  it('takes half a ring of hops, rounded up, and a whole line', () => {
    const small = { op: 'all-gather', bytes: 1, linkBytesPerSecond: 45e9, hopSeconds: 1 } as const
    expect(collectiveTime({ ...small, axisSizes: [5] }).seconds).toBe(3)
    expect(collectiveTime({ ...small, axisSizes: [5], wrap: false }).seconds).toBe(4)
    expect(collectiveTime({ ...small, axisSizes: [4, 5], wrap: [true, false] }).seconds).toBe(6)
    expect(collectiveTime({ ...small, op: 'all-reduce', axisSizes: [5] }).seconds).toBe(6)
  })

  it('of one device is nothing', () => {
    const alone = { op: 'all-reduce', bytes: 1e9, axisSizes: [1], linkBytesPerSecond: 45e9 } as const
    expect(collectiveTime(alone)).toMatchObject({ seconds: 0, sentBytesPerDevice: 0 })
    expect(collectiveTime({ ...alone, wrap: false })).toMatchObject({ seconds: 0 })
  })

  it.each([
    [
      { op: 'gather' },
      'collectiveTime: unknown op, there are all-gather, reduce-scatter, all-reduce, all-to-all [gather]',
    ],
    [{ axisSizes: [] }, 'collectiveTime: axisSizes is not a list of at least one size [an empty array]'],
    [{ wrap: [true] }, 'collectiveTime: wrap is not one answer for each axis [true]'],
    [{ linkBytesPerSecond: 0 }, 'collectiveTime: linkBytesPerSecond is not a'],
  ])('refuses %j', (wrong, text) => {
    const good = { op: 'all-gather', bytes: 1, axisSizes: [4, 4], linkBytesPerSecond: 45e9 }
    expect(() => collectiveTime({ ...good, ...wrong } as never)).toThrow(text)
  })
})
