import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { appendRecords, type DataSource, openRecords, pipeline, writeRecords } from 'tpu-toolkit/pipeline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { root } from '../support/project.js'
import { seed } from '../support/seed.js'

let folder = ''
let files = 0
const fresh = (): string => join(folder, `${files++}.records`)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'records-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const hex = (record: Uint8Array): string => Buffer.from(record).toString('hex')
async function allOf(source: DataSource<Uint8Array>): Promise<string[]> {
  const records: string[] = []
  for (let i = 0; i < source.length; i++) records.push(hex(await source.at(i)))
  await source.close?.()
  return records
}
const anyRecords = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 })
const anyBlock = fc.constantFrom(1, 16, 100, 65_536)

describe(`record files (seed ${seed})`, () => {
  it('openRecords reads what writeRecords and any appendRecords wrote, one by one and in ranges', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRecords,
        fc.array(anyRecords, { maxLength: 3 }),
        anyBlock,
        fc.nat(),
        fc.nat(),
        async (first, more, blockBytes, a, b) => {
          const path = fresh()
          writeRecords(path, first, { blockBytes })
          for (const records of more) await appendRecords(path, records, { blockBytes })
          const expected = [first, ...more].flat().map(hex)
          const source = await openRecords(path)
          expect(source.length).toBe(expected.length)
          const [start, end] = [a, b].map((n) => n % (expected.length + 1)).sort((p, q) => p - q) as [
            number,
            number,
          ]
          expect(((await source.range?.(start, end)) ?? []).map(hex)).toEqual(expected.slice(start, end))
          expect(await allOf(source)).toEqual(expected)
        },
      ),
      { seed, numRuns: 100 },
    )
  })

  it('a file cut anywhere is refused, and recover reads the records of every whole block', async () => {
    const path = fresh()
    const records = Array.from({ length: 20 }, (_, i) => `record ${i}`)
    // Two records a block.
    writeRecords(path, records.slice(0, 12), { blockBytes: 16 })
    await appendRecords(path, records.slice(12), { blockBytes: 16 })
    const whole = readFileSync(path)
    const texts = records.map((text) => hex(Buffer.from(text)))
    const firstSize = statSync(path).size
    let counts = 0
    // Every size in the first blocks, every third behind them.
    for (let size = 0; size < firstSize; size += size < 300 ? 1 : 3) {
      writeFileSync(path, whole.subarray(0, size))
      const opened = await openRecords(path).catch((error: Error) => error)
      if (!(opened instanceof Error)) {
        // Cut exactly behind the index of the first write: a whole file.
        expect(opened.length).toBe(12)
        await opened.close?.()
      } else if (size < 16) {
        expect(opened.message).toBe(`openRecords: not a record file [${path.split('/').at(-1)}]`)
        continue
      } else {
        expect(opened.message).toMatch(
          /^openRecords: the tail is cut off behind \d+ whole records, recover reads those \[\d+\.records, byte \d+ of \d+\]$/,
        )
      }
      const recovered = await allOf(await openRecords(path, { recover: true }))
      expect(recovered).toEqual(texts.slice(0, recovered.length))
      expect(recovered.length).toBeGreaterThanOrEqual(counts)
      counts = recovered.length
    }
    expect(counts).toBe(20)
  })

  it('a flipped bit anywhere is seen: on opening, or in the record that it is in, by its number', async () => {
    const path = fresh()
    const records = Array.from({ length: 12 }, (_, i) => `record ${i}`)
    writeRecords(path, records, { blockBytes: 32 })
    const whole = readFileSync(path)
    const expected = records.map((text) => hex(Buffer.from(text)))
    const numbered =
      /^openRecords: (record (\d+) is corrupt|the block of records (\d+) to (\d+) is corrupt) \[\d+\.records, byte \d+\]$/
    for (let byte = 0; byte < whole.length; byte++) {
      const flipped = Buffer.from(whole)
      flipped[byte]! ^= 1 << (byte % 8)
      writeFileSync(path, flipped)
      const opened = await openRecords(path).catch((error: Error) => error)
      if (opened instanceof Error) {
        expect(opened.message).toMatch(/^openRecords: (not a record file|the tail is cut off)/)
        continue
      }
      let corrupt = 0
      for (let i = 0; i < records.length; i++) {
        const record = await (async () => opened.at(i))().catch((error: Error) => error)
        if (!(record instanceof Error)) {
          expect(hex(record)).toBe(expected[i])
          continue
        }
        corrupt++
        const [, , one, from, to] = numbered.exec(record.message) ?? []
        expect(
          one === undefined ? Number(from) <= i && i <= Number(to) : Number(one) === i,
          record.message,
        ).toBe(true)
      }
      expect(corrupt, `byte ${byte}`).toBeGreaterThan(0)
      await opened.close?.()
    }
  })

  it('appendRecords refuses a cut file, or cuts the unfinished block off, and leaves the file as it was when it fails', async () => {
    const path = fresh()
    writeRecords(path, ['a', 'b', 'c'], { blockBytes: 1 })
    const whole = readFileSync(path)
    const failing = function* () {
      yield 'd'
      throw new Error('no more')
    }
    await expect(appendRecords(path, failing(), { blockBytes: 1 })).rejects.toThrow('no more')
    expect(readFileSync(path)).toEqual(whole)
    // The magic, and two blocks of 32 + 8 + 1 bytes.
    writeFileSync(path, whole.subarray(0, 16 + 2 * 41 + 30))
    await expect(appendRecords(path, ['d'])).rejects.toThrow(
      new RangeError(
        `appendRecords: the tail is cut off behind 2 whole records, recover reads those [${path.split('/').at(-1)}, byte 98 of 128]`,
      ),
    )
    await appendRecords(path, ['d'], { recover: true })
    expect(await allOf(await openRecords(path))).toEqual(['61', '62', '64'])
  })

  it('a process killed while it appends leaves every record of before, and of each finished block', async () => {
    const path = fresh()
    const program = join(folder, 'append.mjs')
    writeFileSync(
      program,
      `import { appendRecords, writeRecords } from '${pathToFileURL(`${root}dist/training/pipeline/index.js`).href}'
writeRecords(process.argv[2], Array.from({ length: 50 }, (_, i) => 'old ' + i))
console.log('ready')
for (let n = 0; ; n++) await appendRecords(process.argv[2], Array.from({ length: 50 }, (_, i) => 'new ' + (50 * n + i)), { blockBytes: 64 })
`,
    )
    for (let round = 0; round < 5; round++) {
      const child = spawn(process.execPath, [program, path])
      await new Promise<void>((resolve) => {
        child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), 20 + 15 * round))
        child.on('close', () => resolve())
      })
      const source = await openRecords(path, { recover: true })
      const texts = (await allOf(source)).map((record) => Buffer.from(record, 'hex').toString())
      expect(texts.length).toBeGreaterThanOrEqual(50)
      expect(texts).toEqual(texts.map((_, i) => (i < 50 ? `old ${i}` : `new ${i - 50}`)))
    }
  })

  it('appendRecords called twice at once appends both, in the order of the calls; writeRecords does not come between', async () => {
    const path = fresh()
    writeRecords(path, ['a'])
    const first = appendRecords(path, ['b', 'c'], { blockBytes: 1 })
    const second = appendRecords(pathToFileURL(path), ['d'])
    const failing = appendRecords(path, [7 as never])
    const last = appendRecords(path, ['e'])
    await expect(failing).rejects.toThrow('appendRecords: a record is bytes or text [record 4: number]')
    await Promise.all([first, second, last])
    expect(await allOf(await openRecords(path))).toEqual(['61', '62', '63', '64', '65'])
    const appending = appendRecords(path, ['f'])
    await new Promise((resolve) => setTimeout(resolve, 0))
    await appending
    expect(readdirSync(folder).filter((name) => join(folder, name).startsWith(`${path}.`))).toEqual([])
  })

  it('three processes that append to one file lose no record', async () => {
    const path = fresh()
    writeRecords(path, [])
    const program = join(folder, 'appender.mjs')
    writeFileSync(
      program,
      `import { appendRecords } from '${pathToFileURL(`${root}dist/training/pipeline/index.js`).href}'
const [path, name] = process.argv.slice(2)
for (let n = 0; n < 8; n++) await appendRecords(path, Array.from({ length: 20 }, (_, i) => name + ' ' + (20 * n + i)), { blockBytes: 100 })
`,
    )
    const names = ['a', 'b', 'c']
    const codes = names.map(
      (name) =>
        new Promise((resolve) =>
          spawn(process.execPath, [program, path, name], { stdio: 'inherit' }).on('close', resolve),
        ),
    )
    expect(await Promise.all(codes)).toEqual([0, 0, 0])
    const texts = (await allOf(await openRecords(path))).map((record) =>
      Buffer.from(record, 'hex').toString(),
    )
    for (const name of names) {
      expect(texts.filter((text) => text.startsWith(name))).toEqual(
        Array.from({ length: 160 }, (_, i) => `${name} ${i}`),
      )
    }
    expect(texts.length).toBe(480)
  })

  it('a trailer that claims 2^63 records, or an index of blocks without room for theirs, is refused under a checksum that fits', async () => {
    for (const records of [[], ['a', 'b']] as const) {
      for (const claim of [2n ** 63n, 2n ** 53n, 3n]) {
        const path = fresh()
        writeRecords(path, records)
        const bytes = readFileSync(path)
        const trailer = bytes.length - 32
        bytes.writeBigUInt64LE(claim, trailer + 16)
        bytes.writeUInt32LE(crc32(bytes.subarray(trailer + 8)), trailer + 4)
        writeFileSync(path, bytes)
        await expect(openRecords(path).then(allOf)).rejects.toThrow(/^openRecords: /)
        expect(await allOf(await openRecords(path, { recover: true }))).toEqual(
          records.map((text) => hex(Buffer.from(text))),
        )
      }
    }
  })

  it('writeRecords that fails leaves the old file and no other', () => {
    const path = fresh()
    writeRecords(path, ['old'])
    const before = readFileSync(path)
    const list = readdirSync(folder)
    expect(() => writeRecords(path, ['new', 7 as never])).toThrow(
      new TypeError('writeRecords: a record is bytes or text [record 1: number]'),
    )
    expect(() => writeRecords(path, [], { blockBytes: 0 })).toThrow(
      new RangeError('writeRecords: blockBytes is not a positive integer [0]'),
    )
    expect(readFileSync(path)).toEqual(before)
    expect(readdirSync(folder)).toEqual(list)
  })

  it('records are decoded by the pipeline, shuffled and in batches', async () => {
    const path = fresh()
    writeRecords(
      path,
      Array.from({ length: 500 }, (_, i) => JSON.stringify({ i })),
      { blockBytes: 200 },
    )
    const source = await openRecords(path)
    const seen: number[] = []
    const decode = (record: Uint8Array): { i: number } => JSON.parse(Buffer.from(record).toString())
    for await (const { i } of pipeline(source, { shuffle: true, seed }).map(decode).batch(64).load()) {
      seen.push(...i)
    }
    expect(seen.sort((a, b) => a - b)).toEqual([...Array(500).keys()])
    await source.close?.()
    await expect((async () => source.at(3))()).rejects.toThrow(/^openRecords: the file was closed \[/)
  })

  if (isLong) {
    it('a file of more records than tables are kept for is read anywhere, again and again', async () => {
      const path = fresh()
      const count = 2 ** 20 + 30_000
      writeRecords(
        path,
        (function* () {
          for (let i = 0; i < count; i++) yield String(i % 97)
        })(),
      )
      const source = await openRecords(path)
      for (let round = 0; round < 2; round++) {
        for (let i = 0; i < count; i += 8191) {
          expect(Buffer.from(await source.at(i)).toString()).toBe(String(i % 97))
        }
      }
      expect((await source.range?.(8190, 8194))?.map((record) => Number(Buffer.from(record)))).toEqual(
        [8190, 8191, 8192, 8193].map((i) => i % 97),
      )
      await source.close?.()
    })
  }

  it('an empty file has no records; numbers outside are refused', async () => {
    const path = fresh()
    writeRecords(path, [])
    const source = await openRecords(path)
    expect([source.length, await source.range?.(0, 0)]).toEqual([0, []])
    await expect((async () => source.at(0))()).rejects.toThrow(
      new RangeError('openRecords: no such record [0 of 0]'),
    )
    await source.close?.()
  })
})
