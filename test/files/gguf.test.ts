import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type GgufFile, ggufOver, openGguf } from 'tpu-toolkit/files'
import { afterAll, describe, expect, it } from 'vitest'

const golden = new URL('../golden/files/', import.meta.url)
const bytes = new Uint8Array(readFileSync(new URL('small.gguf', golden)))
const key: Record<string, { type: string; shape: number[]; bytes: number; crc: number }> = JSON.parse(
  readFileSync(new URL('small.gguf.json', golden), 'utf8'),
)
const over = (data: Uint8Array): GgufFile =>
  ggufOver({ size: data.length, read: (place, n) => data.slice(place, place + n) })

/** CRC-32 of a tensor's bits as gguf-py reads it, each NaN alike. */
function crc(file: GgufFile, name: string): number {
  const tensor = file.read(name)
  if (tensor.dtype === 'float16' || tensor.dtype === 'bfloat16') {
    const values = Float32Array.from(tensor.toNumbers())
    return crc32(new Uint8Array(values.buffer))
  }
  if (name === 'i8') return crc32(new Uint8Array(Int8Array.from(tensor.toNumbers()).buffer))
  const data = tensor.data.slice()
  const words = new Uint32Array(data.buffer)
  if (data instanceof Float32Array) {
    data.forEach((value, i) => {
      if (Number.isNaN(value)) words[i] = 0x7fc00000
    })
  }
  return crc32(new Uint8Array(data.buffer))
}

const folder = mkdtempSync(join(tmpdir(), 'gguf-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('ggufOver', () => {
  const file = over(bytes)

  it('ggufOver has the names, types and shapes that gguf-py wrote', () => {
    expect(
      Object.fromEntries(file.entries.map(({ name, type, shape, bytes }) => [name, { type, shape, bytes }])),
    ).toEqual(Object.fromEntries(Object.entries(key).map(([name, { crc: _, ...facts }]) => [name, facts])))
    expect(file.version).toBe(3)
    expect(file.names).toEqual(file.entries.map(({ name }) => name))
  })

  it('ggufOver reads metadata of every type', () => {
    expect(file.metadata).toMatchObject({
      'general.architecture': 'llama',
      'general.name': 'small',
      'k.u8': 200,
      'k.i8': -100,
      'k.u16': 60000,
      'k.i16': -30000,
      'k.u32': 4000000000,
      'k.i32': -2000000000,
      'k.f32': Math.fround(0.1),
      'k.bool': true,
      'k.text': 'é\n',
      'k.u64': 2n ** 63n + 1n,
      'k.i64': -5,
      'k.f64': 0.1,
      'k.words': ['a', '', 'ü'],
      'k.numbers': [1, 2, 3],
    })
  })

  it('read(name) gives the bits that gguf-py reads, of every type that is decoded', () => {
    const read = file.entries.filter(({ type }) => type !== 'TQ2_0')
    expect(Object.fromEntries(read.map(({ name }) => [name, crc(file, name)]))).toEqual(
      Object.fromEntries(read.map(({ name }) => [name, key[name]!.crc])),
    )
    expect(read.length).toBe(19)
    expect(() => file.read('tq2_0')).toThrow(
      new TypeError('read: TQ2_0 is not decoded, readBytes gives its bytes [tq2_0]'),
    )
    expect(file.readBytes('tq2_0').length).toBe(132)
    expect(() => file.read('none')).toThrow(new RangeError('read: no tensor of this name [none]'))
  })

  it('readElements(name, start, end) are those elements of read, within blocks and across them', () => {
    for (const { name, type, shape } of file.entries) {
      if (type === 'TQ2_0') continue
      const whole = file.read(name).toNumbers()
      const size = shape.reduce((product, length) => product * length, 1)
      for (const [start, end] of [
        [0, size],
        [1, Math.min(size, 40)],
        [size - 1, size],
        [3, 3],
      ] as const) {
        const part = file.readElements(name, start, end)
        expect([name, part.shape, Array.from(part.toNumbers())]).toEqual([
          name,
          [end - start],
          Array.from(whole.slice(start, end)),
        ])
      }
    }
    expect(() => file.readElements('f32', 2, 1)).toThrow(
      /^readElements: not elements of the 192 of f32 \[2, 1\]$/,
    )
  })

  it('openGguf(path) reads the same, and nothing once it is closed', () => {
    const path = join(folder, 'small.gguf')
    writeFileSync(path, bytes)
    const opened = openGguf(path)
    expect(opened.read('q4_0').toNumbers()).toEqual(file.read('q4_0').toNumbers())
    opened.close()
    opened.close()
    expect(() => opened.read('q4_0')).toThrow(/the file was closed/)
  })

  it('ggufOver closes a source that it refuses', () => {
    let closed = 0
    const source = { size: 3, read: () => new Uint8Array(3), close: () => closed++ }
    expect(() => ggufOver(source)).toThrow('ggufOver: shorter than the 24 bytes that begin a GGUF file [3]')
    expect(closed).toBe(1)
  })

  /** The file with some bytes changed. */
  const changed = (place: number, ...to: number[]): Uint8Array => {
    const copy = bytes.slice()
    copy.set(to, place)
    return copy
  }
  /** Where a text stands in the file. */
  const find = (text: string): number => Buffer.from(bytes).indexOf(text)
  const all = [255, 255, 255, 255, 255, 255, 255, 255]

  it.each<[string, Uint8Array, string | RegExp]>([
    ['another magic', changed(0, 88), 'ggufOver: does not begin with GGUF [0x46554758]'],
    ['version 1', changed(4, 1), 'ggufOver: neither version 2 nor 3 [1]'],
    ['big-endian', changed(4, 0, 0, 0, 3), 'ggufOver: a file of big-endian numbers [50331648]'],
    [
      'tensors without end',
      changed(8, ...all),
      'ggufOver: more tensors than the file has bytes for [18446744073709551615]',
    ],
    [
      'keys without end',
      changed(16, 0, 0, 0, 0, 1),
      'ggufOver: more keys of metadata than the file has bytes for [4294967296]',
    ],
    ['a key without end', changed(24, ...all), /more bytes of a key than the file has bytes for/],
    ['an unknown value', changed(find('k.u8') + 4, 99), 'ggufOver: unknown type of a metadata value [99]'],
    ['a bool of 2', changed(find('k.bool') + 10, 2), 'ggufOver: a bool is neither 0 nor 1 [2]'],
    ['text that is none', changed(find('k.text') + 18, 0xff), /^RangeError: ggufOver: a text is no UTF-8/],
    [
      'a list without end',
      changed(find('k.numbers') + 17, ...all),
      /more elements of an array than the file/,
    ],
    ['a key twice', changed(find('k.i8'), 0x6b, 0x2e, 0x75), 'ggufOver: a key twice [k.u8]'],
    ['five axes', changed(find('q4_1') + 4, 5), 'ggufOver: q4_1 has more than 4 axes [5]'],
    [
      'a length without end',
      changed(find('q4_1') + 8, ...all),
      /q4_1 has more elements than a number counts/,
    ],
    ['a long row', changed(find('q4_1') + 8, 0, 0, 0, 0, 1), /does not lie in the file of 7424 bytes/],
    [
      'a broken row',
      changed(find('q4_1') + 8, 65),
      'ggufOver: rows of q4_1 are no whole blocks of Q4_1 [65]',
    ],
    ['an unknown type', changed(find('q4_1') + 24, 77), 'ggufOver: q4_1 is of an unknown type [77]'],
    ['a place between', changed(find('q4_1') + 28, 1), /q4_1 does not begin at a multiple of 32/],
    ['a place of another', changed(find('q4_1') + 28, 0, 0), /begins inside another tensor/],
    ['half a file', bytes.slice(0, 700), /^RangeError: ggufOver: (the header ends|more)/],
    ['no data', bytes.slice(0, 4000), /does not lie in the file/],
  ])('ggufOver refuses %s', (_, data, message) => {
    let thrown: unknown
    try {
      over(data)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(RangeError)
    if (typeof message === 'string') expect((thrown as RangeError).message).toBe(message)
    else expect(String(thrown)).toMatch(message)
  })
})
