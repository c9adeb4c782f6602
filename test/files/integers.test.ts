import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import {
  decodeNpy,
  decodeNpz,
  decodeSafetensors,
  encodeNpy,
  encodeSafetensors,
  openNpy,
  openSafetensors,
  readNpy,
  readSafetensors,
} from 'tpu-toolkit/files'
import { Tensor } from 'tpu-toolkit/tensor'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'integers-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** An npy file of these bytes, as NumPy writes it. */
function npy(descr: string, shape: string, data: ArrayBufferView): Uint8Array {
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`
  const header = Buffer.alloc(118, ' ')
  header.write(text)
  header[117] = 0x0a
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0])
  return new Uint8Array(Buffer.concat([start, header, Buffer.from(data.buffer as ArrayBuffer)]))
}

/** A safetensors file of these tensors, as Python writes it. */
function safetensors(...tensors: readonly (readonly [string, string, ArrayBufferView])[]): Uint8Array {
  let at = 0
  const entries = tensors.map(([name, dtype, data]) => {
    const shape = [
      data.byteLength / (dtype === 'C64' || dtype.endsWith('64') ? 8 : Number(dtype.slice(1)) / 8 || 1),
    ]
    const entry = { dtype, shape, data_offsets: [at, at + data.byteLength] }
    at += data.byteLength
    return [name, entry]
  })
  const json = Buffer.from(JSON.stringify(Object.fromEntries(entries)))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  return new Uint8Array(
    Buffer.concat([length, json, ...tensors.map(([, , data]) => Buffer.from(data.buffer as ArrayBuffer))]),
  )
}

const kinds = [
  ['int8', '|i1', 'I8', Int8Array.of(-128, 0, 127), 'int32', [-128, 0, 127]],
  ['uint8', '|u1', 'U8', Uint8Array.of(0, 255), 'uint32', [0, 255]],
  ['int16', '<i2', 'I16', Int16Array.of(-32768, 32767), 'int32', [-32768, 32767]],
  ['uint16', '<u2', 'U16', Uint16Array.of(0, 65535), 'uint32', [0, 65535]],
  [
    'int64 that fits',
    '<i8',
    'I64',
    BigInt64Array.of(-(2n ** 31n), 2n ** 31n - 1n),
    'int32',
    [-(2 ** 31), 2 ** 31 - 1],
  ],
  ['int64 that float64 holds', '<i8', 'I64', BigInt64Array.of(-1n, 2n ** 31n), 'float64', [-1, 2 ** 31]],
  ['uint64 that fits', '<u8', 'U64', BigUint64Array.of(0n, 2n ** 32n - 1n), 'uint32', [0, 2 ** 32 - 1]],
  [
    'uint64 that float64 holds',
    '<u8',
    'U64',
    BigUint64Array.of(2n ** 53n, 2n ** 63n),
    'float64',
    [2 ** 53, 2 ** 63],
  ],
] as const

describe('integers in files', () => {
  it.each(kinds)(
    '%s of npy, npz and safetensors are read exactly',
    (_, descr, stored, data, dtype, values) => {
      const file = npy(descr, `(${data.length},)`, data)
      const others = zipSync({ 'n.npy': [file, { level: 0 }] })
      for (const x of [
        decodeNpy(file),
        decodeNpz(others)['n']!,
        decodeSafetensors(safetensors(['n', stored, data])).tensors['n']!,
      ]) {
        expect([x.dtype, x.toNested()]).toEqual([dtype, values])
      }
    },
  )

  it('in the other byte order too; bytes of >V2 have none, as in NumPy', () => {
    const swapped = Buffer.from(Int16Array.of(-2, 300).buffer).swap16()
    expect(decodeNpy(npy('>i2', '(2,)', new Uint8Array(swapped))).toNested()).toEqual([-2, 300])
    expect(decodeNpy(npy('>V2', '(1,)', Uint16Array.of(0x3f80))).toBits()).toEqual(Uint16Array.of(0x3f80))
  })

  it('an integer that float64 does not hold is an error that names the array, with integers: bigint it is read', () => {
    const data = BigInt64Array.of(2n ** 53n + 1n, -5n)
    const file = npy('<i8', '(2,)', data)
    const zip = zipSync({
      'small.npy': [npy('|i1', '(1,)', Int8Array.of(3)), { level: 0 }],
      'ids.npy': [file, { level: 0 }],
    })
    const safe = safetensors(['ids', 'I64', data], ['small', 'I8', Int8Array.of(3)])
    const why = 'an integer that float64 does not hold in'
    expect(() => decodeNpy(file)).toThrow(
      new RangeError(`decodeNpy: ${why} the array, read it with integers: 'same' [9007199254740993n]`),
    )
    expect(() => decodeNpz(zip)).toThrow(`decodeNpz: ids: ${why} the array`)
    expect(() => decodeSafetensors(safe)).toThrow(`decodeSafetensors: ${why} ids`)
    const big = { dtype: 'int64', shape: [2], data }
    expect(decodeNpy(file, { integers: 'bigint' })).toEqual(big)
    expect(decodeNpz(zip, { integers: 'bigint' })['ids']).toEqual(big)
    const { tensors } = decodeSafetensors(safe, { integers: 'bigint' })
    expect(tensors['ids']).toEqual(big)
    expect(tensors['small']).toBeInstanceOf(Tensor)
    expect(() => decodeNpy(file, { integers: 'number' as never })).toThrow(
      new RangeError('decodeNpy: unknown integers, there are exact, bigint, same [number]'),
    )
  })

  it('with integers: same, or of a dtype that is asked for, are tensors of the dtype of the file, to the bit', () => {
    const files = [
      ['int8', '|i1', 'I8', Int8Array.of(-128, 127)],
      ['uint8', '|u1', 'U8', Uint8Array.of(0, 255)],
      ['int16', '<i2', 'I16', Int16Array.of(-32768, 5)],
      ['uint16', '<u2', 'U16', Uint16Array.of(65535, 5)],
      ['int64', '<i8', 'I64', BigInt64Array.of(-(2n ** 63n), 2n ** 53n + 1n)],
      ['uint64', '<u8', 'U64', BigUint64Array.of(2n ** 64n - 1n, 3n)],
    ] as const
    for (const [dtype, descr, stored, data] of files) {
      const bytes = npy(descr, '(2,)', data)
      const x = decodeNpy(bytes, { integers: 'same' })
      expect(x).toEqual(new Tensor(dtype, [2], data as never))
      expect(decodeNpy(bytes, { dtype })).toEqual(x)
      expect(encodeNpy(x)).toEqual(encodeNpy(decodeNpy(encodeNpy(x), { dtype })))
      expect(decodeNpy(encodeNpy(x), { integers: 'same' })).toEqual(x)
      const file = safetensors(['x', stored, data])
      expect(decodeSafetensors(file, { integers: 'same' }).tensors['x']).toEqual(x)
      // A note in the file, which readers in Python pass over.
      expect(decodeSafetensors(encodeSafetensors({ x })).tensors['x']).toEqual(x)
    }
  })

  it('of 2 and 4 bits are read with copies of the sign and without, as ml_dtypes has them', () => {
    const bytes = npy('<V1', '(3,)', Uint8Array.of(15, 1, 0xff))
    expect(decodeNpy(bytes, { dtype: 'int4' }).toNested()).toEqual([-1, 1, -1])
    expect(() => decodeNpy(bytes, { dtype: 'uint4' })).toThrow(
      'decodeNpy: not a code of uint4 in the array [255]',
    )
    expect(() => decodeNpy(npy('<V1', '(1,)', Uint8Array.of(16)), { dtype: 'int4' })).toThrow('[16]')
  })

  it('readRows gives float64 for every part of a file of 64-bit integers', () => {
    const path = join(folder, 'rows.npy')
    writeFileSync(path, npy('<i8', '(3,)', BigInt64Array.of(1n, 2n, 2n ** 40n)))
    const file = openNpy(path)
    expect([file.dtype, file.readRows(0, 1).dtype, file.readRows(2, 3).dtype]).toEqual([
      'int64',
      'float64',
      'float64',
    ])
    expect(file.read().dtype).toBe('float64')
    file.close()
    expect(readNpy(path, { integers: 'bigint' })).toMatchObject({ dtype: 'int64' })
    writeFileSync(path, safetensors(['n', 'I64', BigInt64Array.of(1n, 2n)]))
    const opened = openSafetensors(path)
    expect([
      opened.read('n').dtype,
      opened.readRows('n', 0, 1).dtype,
      opened.readElements('n', 1, 2).item(),
    ]).toEqual(['int32', 'float64', 2])
    expect(opened.entries[0]).toMatchObject({ dtype: undefined, stored: 'I64' })
    opened.close()
    expect(readSafetensors(path).tensors['n']!.toNested()).toEqual([1, 2])
  })

  it('what cannot be read is listed beside what can: C64 in safetensors; names choose the arrays of an npz file', () => {
    const file = safetensors(['c', 'C64', Float32Array.of(1, 2)], ['x', 'F32', Float32Array.of(3)])
    const { tensors, unread } = decodeSafetensors(file)
    expect(Object.keys(tensors)).toEqual(['x'])
    expect(unread).toEqual([{ name: 'c', dtype: undefined, stored: 'C64', shape: [1], bytes: 8 }])
    const fnuz = safetensors(
      ['e', 'F8_E4M3FNUZ', Uint8Array.of(0x40)],
      ['f', 'F8_E5M2FNUZ', Uint8Array.of(0x40)],
    )
    expect(Object.values(decodeSafetensors(fnuz).tensors).map((x) => [x.dtype, x.toNested()])).toEqual([
      ['float8_e4m3fnuz', [1]],
      ['float8_e5m2fnuz', [1]],
    ])
    const zip = zipSync({
      'c.npy': npy('<c8', '(1,)', Float32Array.of(1, 2)),
      'x.npy': npy('<f4', '(1,)', Float32Array.of(3)),
    })
    expect(() => decodeNpz(zip)).toThrow(new TypeError('decodeNpz: c: no dtype for this descr [<c8]'))
    expect(decodeNpz(zip, { names: ['x'] })['x']!.toNested()).toEqual([3])
    expect(() => decodeNpz(zip, { names: ['y'] })).toThrow(
      new RangeError('decodeNpz: no array of this name [y]'),
    )
  })
})
