import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { decodeNpy, encodeNpy, openNpy, readNpy, writeNpy } from 'tpu-toolkit/files'
import { type DType, dtypes, tensor, zeros } from 'tpu-toolkit/tensor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { bytesOf, described, npyKeys as keys, told } from './npyKeys.js'
import { anyTensor, bitsIn, facts } from './trees.js'

/** An npy file with this text as its header. */
function file(header: string, dataBytes = 0, version = 1): Uint8Array {
  const length = Buffer.from(header, 'latin1')
  const prefix = version === 1 ? 10 : 12
  const bytes = Buffer.alloc(prefix + length.length + dataBytes)
  bytes.set([0x93, ...Buffer.from('NUMPY'), version, 0])
  if (version === 1) bytes.writeUInt16LE(length.length, 8)
  else bytes.writeUInt32LE(length.length, 8)
  bytes.set(length, prefix)
  return bytes
}
const header = (descr: string, shape: string, order = 'False'): string =>
  `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n`

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'npy-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('npy files of NumPy 2.4 with ml_dtypes 0.6', () => {
  // Of bytes without a meaning NumPy keeps the order that is said, and does not heed it.
  const isSwapped = ({ dtype, case: title }: { dtype: string; case: string }): boolean =>
    dtype === 'bfloat16' && title.includes('big-endian')
  it.each(keys.npy.filter(isSwapped))(
    'decodeNpy leaves the bytes of $case as NumPy does',
    ({ bits, hex, case: title }) => {
      const { bits: found } = described(decodeNpy(bytesOf(hex)))
      expect(title.includes('Fortran') || found.replace(/(..)(..)/g, '$2$1') === bits).toBe(true)
      expect(found).not.toBe(bits)
    },
  )

  it.each(keys.npy.filter((key) => !isSwapped(key)))(
    'decodeNpy and openNpy read every bit of $case',
    ({ dtype, shape, bits, hex }) => {
      expect(described(decodeNpy(bytesOf(hex), told(dtype)))).toEqual({ dtype, shape, bits })
      const path = join(folder, 'key.npy')
      writeFileSync(path, bytesOf(hex))
      expect(described(readNpy(path, told(dtype)))).toEqual({ dtype, shape, bits })
      if (shape.length === 0) return
      const opened = openNpy(path, told(dtype))
      expect([opened.dtype, opened.shape]).toEqual([dtype, shape])
      const rows = Array.from({ length: shape[0]! }, (_, i) => described(opened.readRows(i, i + 1)))
      expect(rows.map((row) => row.bits).join('')).toBe(bits)
      expect(rows.every((row) => row.shape[0] === 1)).toBe(true)
      expect(described(opened.readRows(0, shape[0]!))).toEqual({ dtype, shape, bits })
      opened.close()
    },
  )

  const plain = keys.npy.filter(({ case: title }) => !/Fortran|endian|version/.test(title))
  it.each(plain)('encodeNpy gives the bytes of $case', ({ dtype, hex, numpy_loads }) => {
    const bytes = bytesOf(hex)
    // ml_dtypes' '<f1', which NumPy itself does not load, is written as '<V1'.
    if (!numpy_loads) bytes.set(Buffer.from('<V1'), bytes.indexOf(0x3c))
    expect(encodeNpy(decodeNpy(bytesOf(hex), told(dtype)))).toEqual(bytes)
  })

  const integers = ['<i8', '<u8', '|u1', '|i1', '<i2', '<u2']
  const none = keys.foreign.filter(({ descr }) => !integers.includes(descr))
  it.each(none)('decodeNpy refuses $descr, which is none of our dtypes', ({ descr, hex }) => {
    expect(() => decodeNpy(bytesOf(hex))).toThrow(
      new TypeError(`decodeNpy: no dtype for this descr [${descr}]`),
    )
  })

  it('decodeNpy(bytes, { dtype }) reads integers of NumPy as codes of that width', () => {
    const ofBytes = keys.foreign.find(({ descr }) => descr === '|u1')!
    expect([...decodeNpy(bytesOf(ofBytes.hex), { dtype: 'float8_e4m3fn' }).toBits()]).toEqual([0, 1, 2])
    const ofPairs = keys.foreign.find(({ descr }) => descr === '<i2')!
    expect([...decodeNpy(bytesOf(ofPairs.hex), { dtype: 'bfloat16' }).toBits()]).toEqual([0, 1, 2])
    expect(() => decodeNpy(bytesOf(ofPairs.hex), { dtype: 'float8_e5m2' })).toThrow(
      new TypeError('decodeNpy: <i2 is not read as this dtype [float8_e5m2]'),
    )
    expect(() => decodeNpy(encodeNpy(tensor([1])), { dtype: 'int32' })).toThrow(
      new TypeError('decodeNpy: <f4 is not read as this dtype [int32]'),
    )
    expect(() => decodeNpy(encodeNpy(tensor([1])), { dtype: 'bf16' as DType })).toThrow(
      new TypeError('decodeNpy: unknown dtype, did you mean bfloat16 [bf16]'),
    )
  })
})

describe('decodeNpy of hostile files', () => {
  const wrong: readonly (readonly [string, Uint8Array, string])[] = [
    ['no bytes', new Uint8Array(0), 'not an npy file []'],
    ['another magic', bytesOf('504b0304000000000000000000'), 'not an npy file [504b03040000]'],
    ['version 4', file(header('<f4', '()'), 4, 4), 'no such version of npy [4.0]'],
    [
      'a header longer than the file',
      file(header('<f4', '()'), 4).subarray(0, 30),
      'ends inside the header of 56 bytes [30]',
    ],
    ['a giant header', file(' '.repeat(10_001), 0, 2), 'the header is longer than 10000 bytes [10001]'],
    ['version 2 that ends in its prefix', file('', 0, 2).subarray(0, 11), 'ends inside the header [11]'],
    ['no dictionary', file('__import__("os")\n'), 'not a header of npy [__import__("os")]'],
    ['a call as a value', file("{'descr': eval('1'), }"), "not a header of npy [eval('1'), }]"],
    ['text behind the dictionary', file(`${header('<f4', '()').trim()} + 1`, 4), 'not a header of npy [+ 1]'],
    ['a key twice', file("{'descr': '<f4', 'descr': '<f8'}"), 'a key stands twice in the header [descr]'],
    [
      'a missing key',
      file("{'descr': '<f4', 'shape': ()}"),
      'the header has not descr, fortran_order and shape [descr, shape]',
    ],
    [
      'one key more',
      file("{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 'y'}"),
      'the header has not descr, fortran_order and shape [descr, fortran_order, shape, x]',
    ],
    [
      'an order that is no truth value',
      file("{'descr': '<f4', 'fortran_order': 'False', 'shape': ()}"),
      'the header has not descr, fortran_order and shape [descr, fortran_order, shape]',
    ],
    ['a number as a value', file("{'descr': 4}"), 'not a header of npy [4}]'],
    ['a negative length', file(header('<f4', '(-1,)'), 4), 'not a shape [-1]'],
    ['a length above 2^53', file(header('<f4', '(9007199254740993,)'), 4), 'not a shape [9007199254740993]'],
    ['text in the shape', file(header('<f4', "('1',)"), 4), "not a shape ['1']"],
    ['a shape without its comma', file(header('<f4', '(3)'), 12), 'not a shape, (3) without a comma [3]'],
    ['a fraction in the shape', file(header('<f4', '(1.5,)'), 4), 'not a header of npy [.5,), }]'],
    [
      'lengths whose product is above 2^53',
      file(header('<f4', '(4294967296, 4294967296)')),
      'a shape too large for any file [4294967296, 4294967296]',
    ],
    [
      'a shape larger than the data',
      file(header('<f4', '(2,)'), 4),
      '<f4 of shape [2] needs 8 bytes of data [4]',
    ],
    ['bytes after the array', file(header('<f4', '(2,)'), 9), '<f4 of shape [2] needs 8 bytes of data [9]'],
  ]
  it.each(wrong)('%s', (_, bytes, why) => {
    expect(() => decodeNpy(bytes)).toThrow(new RangeError(`decodeNpy: ${why}`))
    const path = join(folder, 'hostile.npy')
    writeFileSync(path, bytes)
    expect(() => openNpy(path)).toThrow(new RangeError(`openNpy: ${why}`))
  })

  it('pickled and structured arrays are refused, and codes that are none', () => {
    expect(() => decodeNpy(file(header('|O', '(1,)'), 8))).toThrow(
      new TypeError('decodeNpy: pickled Python objects are not read [|O]'),
    )
    expect(() => decodeNpy(file("{'descr': [('a', '<f4')], 'fortran_order': False}"))).toThrow(
      new TypeError("decodeNpy: structured arrays are not read [[('a', '<f4')], 'fortran_order': False}]"),
    )
    expect(() => decodeNpy(file(header('<V1', '(1,)'), 1))).toThrow(
      new TypeError('decodeNpy: a byte may be of several dtypes, give one as dtype [<V1]'),
    )
    const bool = encodeNpy(tensor([1], { dtype: 'bool' }))
    bool[bool.length - 1] = 2
    expect(() => decodeNpy(bool)).toThrow(new RangeError('decodeNpy: not a code of bool in the array [2]'))
  })

  it('headers as Python 2 wrote them are read', () => {
    const old = file(header('<f4', '(2L,)'), 8)
    expect(decodeNpy(old).shape).toEqual([2])
    expect(decodeNpy(file(`{"shape": (), "descr": "<f4", "fortran_order": True}`, 4)).shape).toEqual([])
  })
})

describe(`openNpy and writeNpy (seed ${seed})`, () => {
  it('decodeNpy(encodeNpy(x)) is x, to the bit, for any x', () => {
    fc.assert(
      fc.property(fc.constantFrom(...dtypes).chain(anyTensor), (x) => {
        const options =
          bitsIn(x.dtype) <= 8 && x.dtype !== 'bool' ? { dtype: x.dtype } : { integers: 'same' as const }
        expect(facts(decodeNpy(encodeNpy(x), options))).toEqual(facts(x))
      }),
      { seed, numRuns: 300 },
    )
  })

  it('readRows refuses rows that are not there, and reads after close', () => {
    const path = join(folder, 'rows.npy')
    writeNpy(
      path,
      tensor([
        [1, 2],
        [3, 4],
        [5, 6],
      ]),
    )
    const opened = openNpy(path)
    expect(opened.readRows(1, 3).toNested()).toEqual([
      [3, 4],
      [5, 6],
    ])
    expect(opened.readRows(3, 3).shape).toEqual([0, 2])
    expect(() => opened.readRows(2, 4)).toThrow(
      new RangeError('readRows: not rows of the 3 of the array [2, 4]'),
    )
    expect(() => opened.readRows(2, 1)).toThrow(
      new RangeError('readRows: not rows of the 3 of the array [2, 1]'),
    )
    opened.close()
    opened.close()
    expect(() => opened.read()).toThrow(new RangeError(`openNpy: the file was closed [${path}]`))
    writeNpy(path, tensor(1))
    expect(() => openNpy(path).readRows(0, 1)).toThrow(
      new RangeError('readRows: a 0-d tensor has no rows [the array]'),
    )
    writeNpy(path, zeros([0, 3]))
    expect(openNpy(path).readRows(0, 0).shape).toEqual([0, 3])
  })
})
