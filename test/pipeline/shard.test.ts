import fc from 'fast-check'
import { shardFiles, shardRange, shardRecords } from 'tpu-toolkit/pipeline'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const anyHosts = fc.integer({ min: 1, max: 12 })
const all = (hosts: number) => Array.from({ length: hosts }, (_, host) => ({ host, hosts }))

describe(`sharding (seed ${seed})`, () => {
  it('shardRange covers every record once, in order, in stretches that differ by one at most', () => {
    fc.assert(
      fc.property(fc.nat(10_000), anyHosts, (length, hosts) => {
        const ranges = all(hosts).map((host) => shardRange(length, host))
        expect(ranges[0]![0]).toBe(0)
        expect(ranges.at(-1)![1]).toBe(length)
        expect(ranges.slice(1).map(([start]) => start)).toEqual(ranges.slice(0, -1).map(([, end]) => end))
        const sizes = ranges.map(([start, end]) => end - start)
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      }),
      { seed },
    )
  })

  it('shardRecords deals the records of files of any sizes: none twice, none left, counts within one', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { maxLength: 10 }), anyHosts, (counts, hosts) => {
        const perHost = all(hosts).map((host) =>
          shardRecords(counts, host).flatMap(({ file, start, end }) => {
            expect(start).toBeLessThan(end)
            return Array.from({ length: end - start }, (_, i) => `${file}:${start + i}`)
          }),
        )
        const expected = counts.flatMap((count, file) =>
          Array.from({ length: count }, (_, i) => `${file}:${i}`),
        )
        expect(perHost.flat()).toEqual(expected)
        const sizes = perHost.map((records) => records.length)
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      }),
      { seed },
    )
  })

  it('shardFiles deals whole files, each once', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 20 }), anyHosts, (files, hosts) => {
        expect(all(hosts).flatMap((host) => shardFiles(files, host))).toEqual(files)
      }),
      { seed },
    )
  })

  it('refuses unknown hosts, lengths and counts', () => {
    const wrong: readonly (readonly [() => unknown, string])[] = [
      [() => shardRange(4, { host: 2, hosts: 2 }), 'shardRange: unknown host [2 of 2]'],
      [() => shardRange(4, { host: -1, hosts: 2 }), 'shardRange: unknown host [-1 of 2]'],
      [() => shardRange(4, { host: 0.5, hosts: 2 }), 'shardRange: unknown host [0.5 of 2]'],
      [() => shardFiles([], { host: 0, hosts: 0 }), 'shardFiles: hosts is not a positive integer [0]'],
      [() => shardRecords([], { host: 3, hosts: 2 }), 'shardRecords: unknown host [3 of 2]'],
      [() => shardRange(-1, { host: 0, hosts: 1 }), 'shardRange: length is not an integer from 0 on [-1]'],
      [
        () => shardRecords([1, 0.5], { host: 0, hosts: 1 }),
        'shardRecords: not a count of records [file 1: 0.5]',
      ],
    ]
    for (const [call, message] of wrong) expect(call).toThrow(new RangeError(message))
  })
})
