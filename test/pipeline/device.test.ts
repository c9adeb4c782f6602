import { type Clock, timelineSummary, timelineText, toDeviceAsync } from 'tpu-toolkit/pipeline'
import { tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

/** A clock that goes on, to the next one that waits, whenever nothing else is left to do. */
function virtualClock(): Clock {
  let now = 0
  const waiting: { until: number; go: () => void }[] = []
  const tick = (): void => {
    waiting.sort((a, b) => a.until - b.until)
    const next = waiting.shift()
    if (!next) return
    now = next.until
    next.go()
  }
  return {
    now: () => now,
    wait: (milliseconds) =>
      new Promise((resolve) => {
        waiting.push({ until: now + milliseconds, go: resolve })
        setImmediate(tick)
      }),
  }
}

/** Batches of 1000 bytes, each of which takes the host `host` ms; then a computation of `compute` ms on each. */
async function run(count: number, times: { host: number; copy: number; compute: number }, buffers?: number) {
  const clock = virtualClock()
  async function* made(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < count; i++) {
      await clock.wait(times.host)
      yield new Uint8Array(1000).fill(i)
    }
  }
  const loader = toDeviceAsync(made(), {
    // Half of the copy is latency.
    bytesPerSecond: (1000 * 1000) / (times.copy / 2),
    latency: times.copy / 2,
    clock,
    ...(buffers === undefined ? {} : { buffers }),
  })
  const seen: number[] = []
  for await (const batch of loader) {
    seen.push(batch[0]!)
    await clock.wait(times.compute)
  }
  return { seen, wall: clock.now(), events: loader.timeline() }
}

describe('toDeviceAsync', () => {
  it('gives the batches in order, each with its three stretches', async () => {
    const { seen, events } = await run(4, { host: 1, copy: 2, compute: 3 })
    expect(seen).toEqual([0, 1, 2, 3])
    for (const lane of ['host', 'copy', 'compute'] as const) {
      const own = events.filter((event) => event.lane === lane)
      expect(own.map(({ batch }) => batch)).toEqual([0, 1, 2, 3])
      own.slice(1).forEach(({ start }, i) => {
        expect(start).toBeGreaterThanOrEqual(own[i]!.end)
      })
    }
  })

  it('with enough buffers the wall is the busiest lane and the way in: host + copy + n compute', async () => {
    expect((await run(10, { host: 1, copy: 2, compute: 5 })).wall).toBe(1 + 2 + 10 * 5)
    // The host is slowest: n host, and the last batch's way out.
    expect((await run(10, { host: 8, copy: 2, compute: 3 }, 3)).wall).toBe(10 * 8 + 2 + 3)
    expect((await run(10, { host: 1, copy: 6, compute: 2 }, 3)).wall).toBe(1 + 10 * 6 + 2)
  })

  it('with one buffer nothing overlaps', async () => {
    const { wall, events } = await run(6, { host: 1, copy: 2, compute: 4 }, 1)
    expect(wall).toBe(6 * 7)
    const summary = timelineSummary(events)
    expect(summary).toEqual({ wall: 42, busy: { host: 6, copy: 12, compute: 24 }, serial: 42, speedup: 1 })
  })

  it('counts the bytes of tensors and typed arrays in a batch', async () => {
    async function* one() {
      yield {
        x: tensor([1, 2, 3], { dtype: 'bfloat16' }),
        y: [new Float64Array(2)],
        name: 'a',
        n: 1,
        none: null,
      }
    }
    const loader = toDeviceAsync(one(), { bytesPerSecond: 1000 / 1, clock: virtualClock() })
    await loader.next()
    const [, copy] = loader.timeline()
    // 6 bytes and 16, at a byte a millisecond.
    expect(copy).toEqual({ lane: 'copy', batch: 0, start: 0, end: 22 })
  })

  it('a failure of the source arrives in its turn, and return() ends the source', async () => {
    let closed = false
    async function* failing() {
      try {
        yield 1
        throw new Error('no more')
      } finally {
        closed = true
      }
    }
    const loader = toDeviceAsync(failing(), { bytesPerSecond: 1, bytes: () => 0, clock: virtualClock() })
    expect((await loader.next()).value).toBe(1)
    await expect(loader.next()).rejects.toThrow('no more')
    expect(closed).toBe(true)
    let ended = false
    async function* endless() {
      try {
        for (let i = 0; ; i++) yield i
      } finally {
        ended = true
      }
    }
    const other = toDeviceAsync(endless(), { bytesPerSecond: Number.POSITIVE_INFINITY })
    for await (const x of other) if (x === 3) break
    expect(ended).toBe(true)
    expect(await other.next()).toEqual({ done: true, value: undefined })
  })

  it('refuses bad options', () => {
    async function* none(): AsyncGenerator<number> {}
    const wrong: readonly (readonly [object, string])[] = [
      [{ bytesPerSecond: 0 }, 'bytesPerSecond is not positive [0]'],
      [{}, 'option bytesPerSecond is missing [no options]'],
      [{ bytesPerSecond: 1, latency: -1 }, 'latency is not a time [-1]'],
      [{ bytesPerSecond: 1, buffers: 0 }, 'buffers is not a positive integer [0]'],
    ]
    for (const [options, why] of wrong) {
      expect(() => toDeviceAsync(none(), options as never)).toThrow(new RangeError(`toDeviceAsync: ${why}`))
    }
  })
})

describe('timelineText', () => {
  it('prints lanes of batches to scale', async () => {
    const { events } = await run(3, { host: 2, copy: 2, compute: 4 })
    expect(timelineText(events, { width: 16 })).toBe(
      [
        'host    |0011    22      |  38 %',
        'copy    |  0011    22    |  38 %',
        'compute |    000011112222|  75 %',
        '16.0 ms; one after the other 24.0 ms, 1.50 times as long',
      ].join('\n'),
    )
  })

  it('of nothing is empty lanes; a width is a positive integer', () => {
    expect(timelineText([], { width: 2 })).toBe(
      'host    |  |   0 %\ncopy    |  |   0 %\ncompute |  |   0 %\n0.0 ms; one after the other 0.0 ms, 1.00 times as long',
    )
    expect(() => timelineText([], { width: 0 })).toThrow(
      new RangeError('timelineText: width is not a positive integer [0]'),
    )
  })
})
