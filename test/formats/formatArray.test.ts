import { inspect } from 'node:util'
import fc from 'fast-check'
import * as formats from 'tpu-toolkit/formats'
import {
  BFloat16Array,
  Binary16Array,
  decode,
  encode,
  encodeArray,
  Float4E2M1FNArray,
  Float8E4M3FNArray,
  Float8E4M3FNUZArray,
  Float8E8M0FNUArray,
  FormatArray,
  type FormatName,
  formatNames,
  p3109Format,
  rounder,
} from 'tpu-toolkit/formats'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { seed } from '../support/seed.js'

class Binary8P4Array extends FormatArray<Uint8Array> {
  static override get format() {
    return p4
  }
}
const p4 = p3109Format(8, 4)

// One class stands for all of them: they differ in their codes' type only.
type AnyClass = typeof BFloat16Array

const classes = Object.values(formats).filter(
  (value): value is AnyClass =>
    typeof value === 'function' && value !== FormatArray && value.prototype instanceof FormatArray,
)

describe.each(
  [...classes, Binary8P4Array as unknown as AnyClass].map((Class) => [Class.name, Class] as const),
)('%s', (_, Class) => {
  const to = rounder(Class.format)
  const number = fc.oneof(
    fc.double({ min: -10, max: 10, noNaN: true }),
    fc.constantFrom(0, -0, 1, 448, -448, 1e40, Infinity, -Infinity, Number.NaN, 2 ** -127),
  )
  // Many ties, so that stability shows.
  const magnitude = (x: number): number => (Number.isNaN(x) ? -1 : Math.min(Math.abs(x), 2))
  const byMagnitude = (a: number, b: number): number => magnitude(a) - magnitude(b)
  const index = fc.integer({ min: -9, max: 9 })

  it(`does what Float64Array does to the rounded numbers, method by method (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 8 }), number, index, index, index, (numbers, x, i, j, k) => {
        const array = new Class(numbers)
        // The model: a typed array of wide numbers, each one rounded.
        const model = Float64Array.from(numbers, to)
        const value = to(x)
        const same = (a: Iterable<number>, b: Iterable<number>): void =>
          expect(Array.from(a)).toEqual(Array.from(b))

        expect(array.length).toBe(model.length)
        for (const read of [
          (list: Float64Array | FormatArray) => list.at(i),
          (list: Float64Array | FormatArray) => list.indexOf(value, i),
          (list: Float64Array | FormatArray) => list.lastIndexOf(value),
          (list: Float64Array | FormatArray) => list.lastIndexOf(value, i),
          (list: Float64Array | FormatArray) => list.includes(value, i),
          (list: Float64Array | FormatArray) => list.join(' '),
          (list: Float64Array | FormatArray) => list.toString(),
          (list: Float64Array | FormatArray) => list.every((v) => v > value),
          (list: Float64Array | FormatArray) => list.some((v) => v > value),
          (list: Float64Array | FormatArray) => list.find((v, at) => v > value && at > i),
          (list: Float64Array | FormatArray) => list.findIndex((v) => v > value),
          (list: Float64Array | FormatArray) => (list as FormatArray).findLast((v) => v > value),
          (list: Float64Array | FormatArray) => (list as FormatArray).findLastIndex((v) => v > value),
          (list: Float64Array | FormatArray) => (list as FormatArray).reduce((sum, v, at) => sum + v * at, 1),
          (list: Float64Array | FormatArray) =>
            (list as FormatArray).reduceRight((text, v, at) => `${text} ${v} ${at}`, ''),
          (list: Float64Array | FormatArray) => [...list.entries()],
          (list: Float64Array | FormatArray) => [...list.keys(), ...list.values(), ...list],
          (list: Float64Array | FormatArray) => {
            const seen: unknown[] = []
            list.forEach((v: number, at: number, whole: unknown) => {
              seen.push(v, at, whole === list)
            })
            return seen
          },
        ]) {
          expect(read(array)).toEqual(read(model))
        }
        same(array.slice(i, j), model.slice(i, j))
        same(array.subarray(i, j), model.subarray(i, j))
        same(
          array.map((v) => v * 1.3),
          model.map((v) => to(v * 1.3)),
        )
        same(
          array.filter((v) => v > value),
          model.filter((v) => v > value),
        )
        same(array.toReversed(), model.slice().reverse())
        same(array.toSorted(), model.slice().sort())
        same(array.toSorted(byMagnitude), model.slice().sort(byMagnitude))
        same(array.slice().fill(x, i, j), model.slice().fill(value, i, j))
        same(array.slice().copyWithin(i, j, k), model.slice().copyWithin(i, j, k))
        same(array, model)
        if (numbers.length > 0) {
          const at = Math.abs(i) % numbers.length
          const changed = model.slice()
          changed[at] = value
          same(array.with(at, x), changed)
          same(array.with(at - numbers.length, x), changed)
          const some = numbers.slice(at)
          const set = model.slice()
          set.set(some.map(to), at)
          const target = array.slice()
          target.set(some, at)
          same(target, set)
          expect(array.reduce((a, b) => a + b)).toEqual(model.reduce((a, b) => a + b))
          expect(array.reduceRight((a, b) => a - b)).toEqual(model.reduceRight((a, b) => a - b))
        }
      }),
      { seed, numRuns: 200 },
    )
  })

  it('holds the codes of encode, and gives their values', () => {
    const numbers = [1, 2.7, 0.1, 1e40, 2 ** -127, 6]
    const expected = numbers.map((x) => encode(x, Class.format))
    expect(Array.from(new Class(numbers).codes)).toEqual(expected)
    expect(Array.from(Class.of(...numbers).codes)).toEqual(expected)
    expect(Array.from(Class.from(new Set(numbers)).codes)).toEqual(expected)
    expect(
      Array.from(
        Class.from(
          numbers.map((x) => x / 2),
          (x) => x * 2,
        ).codes,
      ),
    ).toEqual(expected)
    expect(Array.from(new Class(Float64Array.from(numbers)).codes)).toEqual(expected)
    const array = new Class(numbers.length)
    for (const [i, x] of numbers.entries()) array.setAt(i, x)
    expect(Array.from(array.codes)).toEqual(expected)
    expect(Array.from(array.toFloat32Array())).toEqual(expected.map((code) => decode(code, Class.format)))
    const down = { rounding: 'down', saturate: true } as const
    expect(Array.from(Class.encode(numbers, down).codes)).toEqual(
      numbers.map((x) => encode(x, Class.format, down)),
    )
  })

  it('shares memory as typed arrays do: fromCodes, subarray and a view of a buffer; slice copies', () => {
    const Codes = Class.format.bits <= 8 ? Uint8Array : Uint16Array
    const codes = Codes.of(0, 1, 2, 3)
    const array = Class.fromCodes(codes)
    array.setAt(1, 1)
    expect(decode(codes[1]!, Class.format)).toBe(1)
    const part = array.subarray(1, 3)
    part.fill(2)
    expect([array.at(1), array.at(2)]).toEqual([2, 2])
    expect([part.buffer === codes.buffer, part.byteOffset, part.byteLength]).toEqual([
      true,
      Codes.BYTES_PER_ELEMENT,
      2 * Codes.BYTES_PER_ELEMENT,
    ])
    const view = new Class(codes.buffer, Codes.BYTES_PER_ELEMENT, 2)
    expect(view.length).toBe(2)
    view.setAt(-1, 1)
    expect(array.at(2)).toBe(1)
    for (const copy of [array.slice(), new Class(array), Class.from(array), array.filter(() => true)]) {
      copy.fill(4)
      expect(array.at(2)).toBe(1)
    }
    expect([Class.BYTES_PER_ELEMENT, array.BYTES_PER_ELEMENT]).toEqual([
      Codes.BYTES_PER_ELEMENT,
      Codes.BYTES_PER_ELEMENT,
    ])
  })
})

describe('the classes', () => {
  it('there is one for each format, named after it', () => {
    const expected = formatNames.map((name: FormatName) =>
      name === 'float16'
        ? 'Binary16Array'
        : `${name.replace(/^bf|^f/, (word) => word.toUpperCase()).replace(/_(\w+)/, (_, rest: string) => rest.toUpperCase())}Array`,
    )
    expect(classes.map((Class) => Class.name).sort()).toEqual(expected.sort())
    expect(new Set(classes.map((Class) => Class.format)).size).toBe(formatNames.length)
  })

  it('print their numbers', () => {
    expect(inspect(BFloat16Array.of(1, 0.1))).toBe('BFloat16Array(2) [ 1, 0.10009765625 ]')
    expect(String(BFloat16Array.of(1, 2))).toBe('1,2')
    expect(Object.prototype.toString.call(new Float8E4M3FNArray())).toBe('[object Float8E4M3FNArray]')
  })

  it('sort puts -0 before 0 and NaN last, and keeps their codes', () => {
    const array = BFloat16Array.fromCodes(Uint16Array.of(0xffc1, 0x0000, 0x7fc0, 0x8000, 0xff80, 0x3f80))
    expect(array.sort().codes).toEqual(Uint16Array.of(0xff80, 0x8000, 0x0000, 0x3f80, 0x7fc0, 0xffc1))
    const fnuz = Float8E4M3FNUZArray.fromCodes(Uint8Array.of(0x80, 0x01, 0x81))
    expect(fnuz.sort().codes).toEqual(Uint8Array.of(0x81, 0x01, 0x80))
  })

  it('keep NaN codes where the format stays the same, and NaN signs where it does not', () => {
    const nans = BFloat16Array.fromCodes(Uint16Array.of(0x7f81, 0xffff))
    expect(new BFloat16Array(nans).codes).toEqual(Uint16Array.of(0x7f81, 0xffff))
    expect(new Float8E4M3FNArray(nans).codes).toEqual(Uint8Array.of(0x7f, 0xff))
    const target = new BFloat16Array(2)
    target.set(nans)
    expect(target.codes).toEqual(nans.codes)
  })

  it('round once from another format, and a new array of e8m0 holds 2^-127', () => {
    const values = new Binary16Array([449, 0.1])
    expect(new Float8E4M3FNArray(values).join()).toBe('448,0.1015625')
    expect(new Float8E8M0FNUArray(2).join()).toBe([2 ** -127, 2 ** -127].join())
  })

  it('refuse lengths, indices, sources and codes that are none', () => {
    expect(() => new BFloat16Array(-1)).toThrow(
      new RangeError('bfloat16 array: length is no integer from 0 up [-1]'),
    )
    expect(() => new BFloat16Array(2.5)).toThrow(RangeError)
    // @ts-expect-error no numbers
    expect(() => new BFloat16Array('12')).toThrow(
      new TypeError('bfloat16 array: source is neither numbers nor a buffer [string]'),
    )
    expect(() => new BFloat16Array(2).setAt(2, 1)).toThrow(
      new RangeError('setAt: no such index in an array of 2 [2]'),
    )
    expect(() => new BFloat16Array(2).with(-3, 1)).toThrow(RangeError)
    expect(() => new BFloat16Array(2).set([1, 2], 1)).toThrow(
      new RangeError('set: source does not fit [2 at 1 into 2]'),
    )
    expect(() => BFloat16Array.fromCodes(new Uint8Array(2))).toThrow(
      new TypeError('fromCodes: codes are no Uint16Array, which bfloat16 needs [object]'),
    )
    expect(() => Float4E2M1FNArray.fromCodes(Uint8Array.of(3, 16))).toThrow(
      new RangeError('float4_e2m1fn array: code outside 0..15 of float4_e2m1fn [16]'),
    )
    expect(() => new BFloat16Array().reduce((a, b) => a + b)).toThrow(
      new TypeError('reduce: an empty array needs a first value [length 0]'),
    )
    class Nothing extends FormatArray {}
    expect(() => new Nothing()).toThrow(new TypeError('Nothing: the class says no format [undefined]'))
  })

  it('a byte that is no code, written behind the back of a view, is refused when read', () => {
    const bytes = Uint8Array.of(1, 2)
    const array = Float4E2M1FNArray.fromCodes(bytes)
    bytes[1] = 99
    expect(array.at(0)).toBe(0.5)
    expect(() => array.at(1)).toThrow(new RangeError('at: code outside 0..15 of float4_e2m1fn [99]'))
    expect(() => array.sort()).toThrow(RangeError)
  })
})

describe('the Float16Array of the engine', () => {
  // Node 20 has none: the same bits, and only what the conversions use.
  class StubFloat16Array extends Uint16Array {
    override get [Symbol.toStringTag](): 'Uint16Array' {
      return 'Float16Array' as 'Uint16Array'
    }
  }
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it('toFloat16Array gives float16 bits: the same ones from Binary16Array, rounded once from another format', () => {
    vi.stubGlobal('Float16Array', StubFloat16Array)
    const halves = Binary16Array.fromCodes(Uint16Array.of(0x3c00, 0x7e01, 0xfc00, 0x8001))
    const bits = (view: ArrayBufferView): Uint16Array =>
      new Uint16Array(view.buffer, view.byteOffset, view.byteLength / 2)
    expect(bits(halves.toFloat16Array())).toEqual(halves.codes)
    const wide = new BFloat16Array([1e5, 65504, 2 ** -24, -0])
    expect(bits(wide.toFloat16Array())).toEqual(encodeArray(wide.toFloat32Array(), 'float16'))
  })

  it('a Float16Array is a source, its NaN signs kept', () => {
    const halves = StubFloat16Array.of(0x3c00, 0xfe00, 0x7bff)
    expect(new BFloat16Array(halves).codes).toEqual(Uint16Array.of(0x3f80, 0xffc0, 0x4780))
    expect(new Binary16Array(halves).codes).toEqual(Uint16Array.of(0x3c00, 0xfe00, 0x7bff))
  })

  it('toFloat16Array says so where the engine has none', () => {
    vi.stubGlobal('Float16Array', undefined)
    expect(() => new BFloat16Array(1).toFloat16Array()).toThrow(
      new TypeError('toFloat16Array: this engine has no Float16Array [undefined]'),
    )
  })
})
