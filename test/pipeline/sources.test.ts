import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Table, tableToIPC, vectorFromArray } from 'apache-arrow'
import fc from 'fast-check'
import { openNpy, openSafetensors, writeNpy, writeSafetensors } from 'tpu-toolkit/files'
import {
  arraySource,
  type CsvOptions,
  concatSources,
  type DataSource,
  npyRows,
  openArrow,
  openCsv,
  openJsonl,
  pipeline,
  safetensorsRows,
  sliceSource,
  tensorRows,
} from 'tpu-toolkit/pipeline'
import { tensor } from 'tpu-toolkit/tensor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const golden = new URL('../golden/pipeline/', import.meta.url)
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sources-'))
})
const opened: DataSource<unknown>[] = []
/** A source that is closed at the end. */
const kept = <T>(source: DataSource<T>): DataSource<T> => {
  opened.push(source)
  return source
}
afterAll(async () => {
  for (const source of opened) await source.close?.()
  rmSync(folder, { recursive: true })
})
const fileOf = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

const jsonl = async (path: string) => kept(await openJsonl(path))
const csv = async (path: string, options?: CsvOptions) => kept(await openCsv(path, options))

/** All records one by one, backwards, and those of every range: they must agree. */
async function allOf<T>(source: DataSource<T>): Promise<T[]> {
  const records: T[] = []
  for (let i = source.length - 1; i >= 0; i--) records.unshift(await source.at(i))
  for (const [start, end] of [
    [0, source.length],
    [1, 3],
    [source.length, source.length],
  ] as const) {
    if (end > source.length || !source.range) continue
    expect(await source.range(start, end)).toEqual(records.slice(start, end))
  }
  await expect((async () => source.at(source.length))()).rejects.toThrow(
    new RegExp(`: no such record \\[${source.length} of ${source.length}\\]$`),
  )
  await expect((async () => source.at(-1))()).rejects.toThrow(RangeError)
  return records
}

describe('openJsonl', () => {
  it(`reads what JSON.stringify wrote, with any blank lines and ends of lines (seed ${seed})`, async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.jsonValue(), fc.constantFrom('\n', '\r\n', '\n\n', '\n \t\r\n'))),
        fc.boolean(),
        fc.boolean(),
        async (lines, mark, ended) => {
          const text = lines
            .map(([value, end], i) => JSON.stringify(value) + (i < lines.length - 1 || ended ? end : ''))
            .join('')
          const source = await openJsonl(fileOf(`${run++}.jsonl`, `${mark ? '\ufeff' : ''}${text}`))
          expect(await allOf(source)).toEqual(lines.map(([value]) => JSON.parse(JSON.stringify(value))))
          await source.close?.()
        },
      ),
      { seed, numRuns: 100 },
    )
  })

  it('a line across blocks of a megabyte is whole', async () => {
    const records = ['a'.repeat(2 ** 20 - 3), 'ü'.repeat(2 ** 20), 'b']
    const source = await jsonl(fileOf('long.jsonl', records.map((text) => JSON.stringify(text)).join('\n')))
    expect(await allOf(source)).toEqual(records)
  })

  it('an error has the file and the line', async () => {
    const source = await jsonl(fileOf('bad.jsonl', '1\n\n{"a": 2\n3\n'))
    expect([source.length, await source.at(0), await source.at(2)]).toEqual([3, 1, 3])
    await expect((async () => source.at(1))()).rejects.toThrow(
      new RangeError('openJsonl: not JSON [bad.jsonl, line 3]'),
    )
    await expect((async () => source.range?.(0, 3))()).rejects.toThrow(
      new RangeError('openJsonl: not JSON [bad.jsonl, line 3]'),
    )
    const bytes = await jsonl(fileOf('latin.jsonl', Uint8Array.of(0x31, 0x0a, 0x22, 0xfc, 0x22)))
    await expect((async () => bytes.at(1))()).rejects.toThrow(
      new RangeError('openJsonl: not UTF-8 [latin.jsonl, line 2]'),
    )
    await source.close?.()
    await expect((async () => source.at(0))()).rejects.toThrow(
      new RangeError('openJsonl: the file was closed [bad.jsonl]'),
    )
    await expect(openJsonl(join(folder, 'none.jsonl'))).rejects.toThrow('ENOENT')
  })
})

describe('openCsv', () => {
  it(`reads fields with quotes, delimiters and ends of lines (seed ${seed})`, async () => {
    const field = fc.oneof(
      fc.constantFrom('', ',', '"', '\n', '\r\n', 'ü', ' a '),
      fc.string({ unit: 'grapheme-ascii' }),
    )
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(field, field)),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        async (rows, end, mark) => {
          const text = `${mark ? '\ufeff' : ''}a,b${end}${rows.map((row) => row.map(quoted).join(',') + end).join('')}`
          const source = await openCsv(fileOf(`${run++}.csv`, text))
          expect(await allOf(source)).toEqual(rows.map(([a, b]) => ({ a, b })))
          await source.close?.()
        },
      ),
      { seed, numRuns: 100 },
    )
  })

  it('columns, delimiter and numbers are options', async () => {
    const path = fileOf('options.csv', '1;2.5;x\n;-1e3;y\n\n')
    const source = await csv(path, { columns: ['a', 'b', 'c'], delimiter: ';', numbers: ['a', 'b'] })
    expect(await allOf(source)).toEqual([
      { a: 1, b: 2.5, c: 'x' },
      { a: null, b: -1000, c: 'y' },
    ])
  })

  it('an error has the file and the line', async () => {
    const failing = async (name: string, text: string, options = {}) => {
      const source = await csv(fileOf(name, text), options)
      await source.at(source.length - 1)
    }
    await expect(failing('ragged.csv', 'a,b\n1,2\n3\n4,5\n')).rejects.toThrow(
      new RangeError('openCsv: a ragged row of 1 fields [ragged.csv, line 3]'),
    )
    await expect(failing('given.csv', '1,2\n', { columns: ['a'] })).rejects.toThrow(
      new RangeError('openCsv: a row of 2 fields where there are 1 columns [given.csv, line 1]'),
    )
    await expect(failing('open.csv', 'a,b\n1,"2\n3\n')).rejects.toThrow(
      new RangeError('openCsv: a quote that does not close [open.csv, line 3]'),
    )
    await expect(failing('twice.csv', 'a,a\n1,2\n')).rejects.toThrow(
      new RangeError('openCsv: two columns of one name [twice.csv: a]'),
    )
    await expect(failing('text.csv', 'a,b\n1,2\n3,x\n', { numbers: ['b'] })).rejects.toThrow(
      new RangeError('openCsv: not a number in column b [text.csv, line 3: x]'),
    )
    await expect(failing('blank.csv', 'a,b\n1, \n', { numbers: ['b'] })).rejects.toThrow(
      new RangeError('openCsv: not a number in column b [blank.csv, line 2:  ]'),
    )
    await expect(failing('delimiter.csv', 'a,b\n', { delimiter: '' })).rejects.toThrow(
      new RangeError('openCsv: delimiter is no text, or empty []'),
    )
    await expect(failing('stranger.csv', 'a,b\n', { numbers: ['c'] })).rejects.toThrow(
      new RangeError('openCsv: no column of this name [c of a, b]'),
    )
    await expect(failing('inside.csv', 'a,b\n1,x"y\n')).rejects.toThrow(
      new RangeError('openCsv: a quote inside a field that does not begin with one [inside.csv, line 2]'),
    )
    await expect(failing('behind.csv', 'a,b\n1,"x"y\n')).rejects.toThrow(
      new RangeError('openCsv: text behind the quote that closes a field [behind.csv, line 2]'),
    )
    await expect(failing('delimiter.csv', 'a,b\n', { delimiter: '\n' })).rejects.toThrow(
      new RangeError('openCsv: a delimiter with quotes or ends of lines in it ["\\n"]'),
    )
    await expect(failing('names.csv', 'a,b\n', { columns: 'ab' as never })).rejects.toThrow(
      new TypeError('openCsv: columns is not a list of names [ab]'),
    )
  })

  it('a byte order mark is taken away at the beginning of the file and nowhere else, zero bytes are refused', async () => {
    const source = await csv(fileOf('mark.csv', '\ufeffa,b\n\ufeff1,2\n'))
    expect(await allOf(source)).toEqual([{ a: '\ufeff1', b: '2' }])
    await expect(openCsv(fileOf('zero.csv', 'a\n"1"\0\n'))).rejects.toThrow(
      new RangeError('openCsv: a zero byte in the text [zero.csv]'),
    )
  })

  it('rows end with LF, CR LF or CR alike, whichever rows are read together', async () => {
    const mixed = await csv(fileOf('mixed.csv', 'a,b\n1,x\n2,y\r\n3,z\n4,"\r\n"\r5,v\r\n'))
    expect(await allOf(mixed)).toEqual([
      { a: '1', b: 'x' },
      { a: '2', b: 'y' },
      { a: '3', b: 'z' },
      { a: '4', b: '\r\n' },
      { a: '5', b: 'v' },
    ])
    expect(await allOf(await csv(fileOf('first.csv', 'a\r\n1\r\n3\n5\n')))).toEqual(
      ['1', '3', '5'].map((a) => ({ a })),
    )
  })

  it('bytes that are not UTF-8 are refused with their line, also where a block of the file ends', async () => {
    const lines = Array.from({ length: 200_000 }, (_, i) => `${i},ü`).join('\n')
    const text = Buffer.from(`a,b\n${lines}\n`)
    const path = join(folder, 'utf8.csv')
    writeFileSync(path, text)
    expect((await csv(path)).length).toBe(200_000)
    for (const line of [1, 2, 170_000, 200_001]) {
      const changed = Buffer.from(text)
      let at = 0
      for (let i = 1; i < line; i++) at = changed.indexOf(0x0a, at) + 1
      changed[at] = 0xff
      writeFileSync(path, changed)
      await expect(openCsv(path)).rejects.toThrow(
        new RangeError(`openCsv: not UTF-8 [utf8.csv, line ${line}]`),
      )
    }
    writeFileSync(path, text.subarray(0, text.length - 2))
    await expect(openCsv(path)).rejects.toThrow('not UTF-8 [utf8.csv, line 200001]')
  })
})

describe('openArrow', () => {
  const { rows } = JSON.parse(readFileSync(new URL('rows.json', golden), 'utf8')) as {
    rows: Record<string, unknown>[]
  }
  const expected = rows.map((row) => ({
    ...row,
    id: BigInt(row['id'] as string),
    // A list with a missing value cannot be a typed array.
    stops: (row['stops'] as unknown[]).includes(null)
      ? row['stops']
      : Int32Array.from(row['stops'] as number[]),
  }))

  it.each(['rows.arrow', 'rows.arrows'])("%s of pyarrow has pyarrow's rows", async (name) => {
    const source = await openArrow(new URL(name, golden))
    expect(await allOf(source)).toEqual(expected)
  })

  it('rows go through a pipeline in batches of columns', async () => {
    const source = await openArrow<{ time: number; carrier: string | null }>(new URL('rows.arrow', golden))
    const batches = []
    for await (const batch of pipeline(source)
      .map(({ time, carrier }) => ({ time, carrier }))
      .batch(10)
      .load()) {
      batches.push(batch)
    }
    expect(batches.map(({ time }) => time)).toEqual(
      [0, 10, 20].map((start) =>
        Float64Array.from(rows.slice(start, start + 10), (row) => row['time'] as number),
      ),
    )
    expect(batches[2]!.carrier).toEqual(rows.slice(20).map((row) => row['carrier']))
  })

  it('what is no file of Arrow is refused, and a cut one', async () => {
    await expect(openArrow(fileOf('text.arrow', 'no arrow at all, but long enough'))).rejects.toThrow(
      /^openArrow: .*\[text\.arrow.*\]$/s,
    )
    await expect(openArrow(fileOf('empty.arrow', ''))).rejects.toThrow(/^openArrow: .*\[empty\.arrow.*\]$/s)
    const whole = readFileSync(new URL('rows.arrow', golden))
    await expect(openArrow(fileOf('cut.arrow', whole.subarray(0, whole.length - 100)))).rejects.toThrow(
      /^openArrow: .*\[cut\.arrow.*\]$/s,
    )
  })
})

describe('openArrow of hostile files', () => {
  const reading = async (bytes: Uint8Array): Promise<unknown> =>
    allOf(await openArrow(fileOf('hostile', bytes)))

  it('a bit changed anywhere gives an error that names the file, or rows', async () => {
    for (const name of ['rows.arrow', 'rows.arrows']) {
      const whole = readFileSync(new URL(name, golden))
      for (let bit = seed % 37; bit < 8 * whole.length; bit += 37) {
        const bytes = Buffer.from(whole)
        bytes[bit >> 3]! ^= 1 << (bit % 8)
        await reading(bytes).catch((error: Error) => {
          expect(error).toBeInstanceOf(RangeError)
          expect(error.message).toMatch(/^openArrow: not a file of Arrow that can be read \[hostile: .+\]$/s)
        })
      }
    }
  })

  it('rows have no prototype that a file could replace: __proto__ is a column as any other', async () => {
    const table = new Table({ ['__proto__']: vectorFromArray([1, 2]), toJSON: vectorFromArray(['a', 'b']) })
    const [row] = (await reading(tableToIPC(table, 'file'))) as Record<string, unknown>[]
    expect(Object.getPrototypeOf(row)).toBeNull()
    expect(Object.keys(row!)).toEqual(['__proto__', 'toJSON'])
    expect(Object.values(row!)).toEqual([1, 'a'])
  })

  it.each([
    ['a claim of more values than bytes', 16, 2 ** 31 - 1, /column|values|rows/],
    ['a claim of missing values', 24, 2, /missing|bytes for which/],
  ])('%s is refused before anything is made of it', async (_, offset, value, why) => {
    const bytes = Uint8Array.from(tableToIPC(new Table({ n: vectorFromArray([1, 2, 3]) }), 'stream'))
    const view = new DataView(bytes.buffer)
    // The node of the only column: 3 values, none missing.
    let at = 0
    for (let i = 0; i + 16 <= bytes.length; i += 8) {
      if (view.getBigInt64(i, true) === 3n && view.getBigInt64(i + 8, true) === 0n) at = i
    }
    view.setBigInt64(at + (offset - 16), BigInt(value), true)
    await expect(reading(bytes)).rejects.toThrow(why)
  })
})

describe('rows of tensors', () => {
  const x = tensor(
    [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
    { dtype: 'bfloat16' },
  )
  const y = tensor([7, 8, 9])
  const bits = (rows: readonly unknown[]): unknown => rows.map((row) => String(row))

  it('npyRows, safetensorsRows and tensorRows give the same rows', async () => {
    writeNpy(join(folder, 'x.npy'), x)
    writeSafetensors(join(folder, 'xy.safetensors'), { x, y })
    const fromNpy = kept(npyRows(openNpy(join(folder, 'x.npy'))))
    expect(bits(await allOf(fromNpy))).toEqual(bits(await allOf(tensorRows(x))))
    const both = await allOf(kept(safetensorsRows(openSafetensors(join(folder, 'xy.safetensors')))))
    expect(both.map((row) => [row['x']!.toNested(), row['y']!.item()])).toEqual([
      [[1, 2], 7],
      [[3, 4], 8],
      [[5, 6], 9],
    ])
    expect((await allOf(tensorRows({ x, y }))).map(String)).toEqual(both.map(String))
    const only = kept(safetensorsRows(openSafetensors(join(folder, 'xy.safetensors')), ['y']))
    expect(Object.keys(await only.at(0))).toEqual(['y'])
    await fromNpy.close?.()
  })

  it('tensors without rows, or of different numbers of them, are refused', () => {
    expect(() => tensorRows(tensor(1))).toThrow(
      new RangeError('tensorRows: a 0-d tensor has no rows [the tensor]'),
    )
    expect(() => tensorRows({})).toThrow(new RangeError('tensorRows: no tensors [0]'))
    expect(() => tensorRows({ x, z: tensor([1]) })).toThrow(
      new RangeError('tensorRows: different numbers of rows [x: 3, z: 1]'),
    )
    const file = openSafetensors(join(folder, 'xy.safetensors'))
    expect(() => safetensorsRows(file, ['z'])).toThrow(
      new RangeError('safetensorsRows: no tensor of this name [z]'),
    )
    file.close()
  })
})

describe('sources of sources', () => {
  it(`concatSources and sliceSource are concat and slice (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.integer())), fc.nat(), fc.nat(), async (parts, a, b) => {
        const whole = parts.flat()
        const source = concatSources(parts.map((part) => arraySource(part)))
        expect(await allOf(source)).toEqual(whole)
        const [start, end] = [a % (whole.length + 1), b % (whole.length + 1)].sort((p, q) => p - q) as [
          number,
          number,
        ]
        const slice = sliceSource(source, start, end)
        expect(await slice.range?.(0, end - start)).toEqual(whole.slice(start, end))
        expect(await Promise.all(whole.slice(start, end).map((_, i) => slice.at(i)))).toEqual(
          whole.slice(start, end),
        )
      }),
      { seed },
    )
    expect(() => sliceSource(arraySource([1]), 0, 2)).toThrow(
      new RangeError('sliceSource: not a part of 1 records [0, 2]'),
    )
  })
})
