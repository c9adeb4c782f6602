import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import {
  fromInt8Rows,
  fromStorage,
  type StorageName,
  storageNames,
  storageType,
  toInt8Rows,
  toStorage,
} from 'tpu-toolkit/storage'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

interface TypeKey {
  readonly seed: number
  readonly blockSize: number
  readonly blockBytes: number
  /** Of tensors of random bytes, the CRC-32 of what they decode to. */
  readonly bytes: readonly number[]
  /** Of tensors of numbers, the CRC-32 of their bytes, and of what those decode to. */
  readonly numbers: readonly (readonly [number, number])[]
}

const key = new Columns('storage/storage')
const types = key.facts['types'] as Record<StorageName, TypeKey>
const blocks = key.facts['blocks'] as number

/** The tensors that scripts/golden/storage.py draws. */
class Stream {
  state: number
  constructor(state: number) {
    this.state = state
  }
  word(): number {
    let s = this.state
    s ^= s << 13
    s ^= s >>> 17
    s ^= s << 5
    this.state = s
    return s >>> 0
  }
  bytes(n: number): Uint8Array {
    return Uint8Array.from({ length: n }, () => this.word() >>> 24)
  }
  weights(n: number): Float32Array {
    let power = 0
    return Float32Array.from({ length: n }, (_, i) => {
      if (i % 64 === 0) power = 2 ** (-23 - (this.word() % 12))
      let total = -(2 ** 21)
      for (let k = 0; k < 4; k++) total += this.word() >>> 12
      return total * power
    })
  }
}

/** The bits of numbers, every NaN alike. */
function bits(values: Float32Array): Uint32Array {
  const words = new Uint32Array(values.slice().buffer)
  values.forEach((value, i) => {
    if (Number.isNaN(value)) words[i] = 0x7fc00000
  })
  return words
}

const crc = (array: Uint8Array | Uint32Array): number =>
  crc32(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))

const quantised = storageNames.filter((name) => types[name].numbers.length > 0)

describe(`toStorage and fromStorage (seed ${seed})`, () => {
  it.each(storageNames)(
    'fromStorage gives the bits of gguf-py or bitsandbytes: 10 tensors of bytes, %s',
    (name) => {
      const { blockSize, blockBytes, seed, bytes } = types[name]
      expect([storageType(name).blockSize, storageType(name).blockBytes]).toEqual([blockSize, blockBytes])
      const stream = new Stream(seed)
      const decoded = bytes.map(() => bits(fromStorage(stream.bytes(blocks * blockBytes), name)))
      expect(Array.from(decoded[0]!)).toEqual(Array.from(key.u32(`${name}_decoded`)))
      expect(decoded.map(crc)).toEqual(bytes)
    },
  )

  it.each(quantised)(
    'toStorage gives the bytes of gguf-py or bitsandbytes: 10 tensors of numbers, %s',
    (name) => {
      const { blockSize, blockBytes, seed, bytes, numbers } = types[name]
      const stream = new Stream(seed)
      for (const _ of bytes) stream.bytes(blocks * blockBytes)
      numbers.forEach(([codes, values], t) => {
        const tensor = stream.weights(blocks * blockSize)
        if (t === 1) tensor.fill(0, 0, blockSize).fill(-1.5, blockSize, 2 * blockSize)
        const stored = toStorage(tensor, name)
        if (t === 0) expect(Array.from(stored)).toEqual(Array.from(key.u8(`${name}_encoded`)))
        expect([t, crc(stored), crc(bits(fromStorage(stored, name)))]).toEqual([t, codes, values])
      })
    },
  )

  it('toStorage keeps the error of weights within what the bits allow, in every type', () => {
    const tensor = new Stream(7).weights(32 * 256)
    const sqnr = storageNames.map((name) => {
      const restored = fromStorage(toStorage(tensor, name), name)
      let [signal, noise] = [0, 0]
      tensor.forEach((value, i) => {
        signal += value * value
        noise += (restored[i]! - value) ** 2
      })
      return [name, Math.round(10 * Math.log10(signal / noise))]
    })
    const decibels = Object.fromEntries(sqnr) as Record<StorageName, number>
    // A bit is worth 6 dB; with few of them the tails of the distribution take their part.
    for (const name of storageNames) {
      expect(decibels[name], name).toBeGreaterThanOrEqual(6 * storageType(name).codeBits - 6)
    }
    // The types that search do not fall behind the older ones of as many bits.
    expect(decibels.q4_k).toBeGreaterThanOrEqual(decibels.q4_1)
    expect(decibels.q5_k).toBeGreaterThanOrEqual(decibels.q5_1)
    expect(decibels.iq4_nl).toBeGreaterThanOrEqual(decibels.q4_0)
    expect(decibels.nf4).toBeGreaterThan(decibels.fp4)
  })

  it('fromInt8Rows(toInt8Rows(x)) has codes of -127 .. 127 and an error of half a step', () => {
    const tensor = new Stream(11).weights(8 * 50)
    const rows = toInt8Rows(tensor, 50)
    const restored = fromInt8Rows(rows, 50)
    expect([rows.codes.length, rows.scales.length]).toEqual([400, 8])
    rows.scales.forEach((scale, row) => {
      const own = tensor.subarray(50 * row, 50 * row + 50)
      expect(scale).toBe(Math.max(...own.map(Math.abs)))
      own.forEach((value, i) => {
        expect(Math.abs(restored[50 * row + i]! - value)).toBeLessThanOrEqual((scale / 127) * 0.501)
      })
    })
    // 127 / 2 * 1 = 63.5 goes to the even 64, and 0.5 to 32 (31.75).
    expect(Array.from(toInt8Rows(Float32Array.of(2, 1, -1, 0.5), 4).codes)).toEqual([127, 64, -64, 32])
    expect(toInt8Rows(Float32Array.of(0, -0, Infinity, 1, Number.NaN, 4), 2)).toEqual({
      codes: Int8Array.of(0, 0, 127, 0, 0, 127),
      scales: Float32Array.of(0, Infinity, 4),
    })
    expect(() => toInt8Rows(new Float32Array(5), 2)).toThrow(
      new RangeError('toInt8Rows: length is no multiple of rowLength 2 [5]'),
    )
    expect(() => toInt8Rows([1] as never, 1)).toThrow(
      new TypeError('toInt8Rows: values are no Float32Array [object]'),
    )
    expect(() => fromInt8Rows({ codes: new Int8Array(4), scales: new Float32Array(1) }, 2)).toThrow(
      new RangeError('fromInt8Rows: scales are not one a row [1 of 2]'),
    )
  })

  it('fromStorage(toStorage(zeros)) is zeros, and of no numbers nothing, in every type', () => {
    for (const name of storageNames) {
      const { blockSize } = storageType(name)
      expect(
        fromStorage(toStorage(new Float32Array(2 * blockSize), name), name).every((value) => value === 0),
      ).toBe(true)
      expect(toStorage(new Float32Array(0), name).length).toBe(0)
      expect(fromStorage(new Uint8Array(0), name).length).toBe(0)
    }
  })

  it('toStorage(fromStorage(toStorage(x))) of one scale a block stays where it is: q8_0, nf4, fp4, mxfp4', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<StorageName>('nf4', 'fp4', 'mxfp4'),
        fc.array(fc.float({ min: -1000, max: 1000, noNaN: true }), { minLength: 64, maxLength: 64 }),
        (name, numbers) => {
          const once = fromStorage(toStorage(Float32Array.from(numbers), name), name)
          expect(fromStorage(toStorage(once, name), name)).toEqual(once)
        },
      ),
      { seed, numRuns: 300 },
    )
  })

  it('toStorage and fromStorage take a view of a larger buffer, and leave their operands as they were', () => {
    const numbers = new Stream(9).weights(300)
    const view = numbers.subarray(20, 20 + 256)
    const kept = numbers.slice()
    for (const name of storageNames) {
      const stored = toStorage(view, name)
      expect(stored).toEqual(toStorage(view.slice(), name))
      const wide = new Uint8Array(stored.length + 3)
      wide.set(stored, 3)
      expect(bits(fromStorage(wide.subarray(3), name))).toEqual(bits(fromStorage(stored, name)))
    }
    expect(numbers).toEqual(kept)
  })

  it('toStorage of NaN, infinities and subnormal scales writes a block that decodes', () => {
    for (const name of storageNames) {
      const { blockSize, blockBytes } = storageType(name)
      for (const value of [Number.NaN, Infinity, -Infinity, 1e-40, -1e-45, 3e38]) {
        const tensor = new Float32Array(blockSize).fill(1)
        tensor[3] = value
        expect(fromStorage(toStorage(tensor, name), name).length).toBe(blockSize)
        expect(toStorage(tensor.fill(value), name).length).toBe(blockBytes)
      }
    }
  })

  it.each<[string, () => unknown, ErrorConstructor, string]>([
    [
      'a length',
      () => toStorage(new Float32Array(33), 'q4_0'),
      RangeError,
      'toStorage: length is no multiple of 32, the block of q4_0 [33]',
    ],
    [
      'bytes',
      () => fromStorage(new Uint8Array(19), 'q4_0'),
      RangeError,
      "fromStorage: length is no multiple of 18, a block's bytes of q4_0 [19]",
    ],
    [
      'a name',
      () => toStorage(new Float32Array(32), 'q4_2' as never),
      RangeError,
      'toStorage: unknown storage format, did you mean q4_0 [q4_2]',
    ],
    [
      'a list',
      () => toStorage([1] as never, 'q4_0'),
      TypeError,
      'toStorage: values are no Float32Array [object]',
    ],
    [
      'numbers as bytes',
      () => fromStorage(new Float32Array(18) as never, 'q4_0'),
      TypeError,
      'fromStorage: bytes are no Uint8Array [object]',
    ],
    [
      'a type',
      () => storageType('Q4_0' as never),
      RangeError,
      'storageType: unknown storage format, did you mean q4_0 [Q4_0]',
    ],
  ])('toStorage says what is wrong: %s', (_, attempt, kind, message) => {
    expect(attempt).toThrow(kind)
    expect(attempt).toThrow(message)
  })
})
