import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import {
  decodeNpz,
  encodeNpy,
  encodeNpz,
  openSafetensors,
  readNpz,
  writeNpz,
  writeSafetensors,
} from 'tpu-toolkit/files'
import { dtypes, tensor } from 'tpu-toolkit/tensor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuSeconds } from '../support/cpuSeconds.js'
import { seed } from '../support/seed.js'
import { bytesOf, described, npyKeys } from './npyKeys.js'
import { anyTensor, bitsIn, facts } from './trees.js'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'npz-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('npz files of NumPy 2.4', () => {
  it.each(npyKeys.npz)('readNpz reads every array of numpy.$case', ({ case: name, hex, arrays }) => {
    const path = join(folder, `${name}.npz`)
    writeFileSync(path, bytesOf(hex))
    const read = Object.entries(readNpz(path)).map(([key, x]) => [key, described(x)])
    expect(Object.fromEntries(read)).toEqual(arrays)
    expect(read.map(([key]) => key)).toEqual(Object.keys(arrays))
  })
})

describe(`npz of any tensors (seed ${seed})`, () => {
  const names = fc.uniqueArray(
    fc.oneof(fc.constantFrom('a', '0', '__proto__', 'a/b', 'слой', ''), fc.string()),
    {
      maxLength: 4,
    },
  )
  it('decodeNpz(encodeNpz(tensors)) are the tensors, stored or deflated, and equal tensors give equal bytes', () => {
    fc.assert(
      fc.property(names, fc.constantFrom(...dtypes).chain(anyTensor), fc.boolean(), (keys, x, compress) => {
        const lone = keys.some((key) => /\p{Cs}/u.test(key))
        const tensors = Object.fromEntries(keys.map((key) => [key, x]))
        const told = bitsIn(x.dtype) <= 8 && x.dtype !== 'bool'
        const dtypesOf = Object.fromEntries(keys.map((key) => [key, x.dtype]))
        const options = told ? { dtypes: dtypesOf } : { integers: 'same' as const }
        if (lone) return
        const bytes = encodeNpz(tensors, { compress })
        expect(bytes).toEqual(encodeNpz(tensors, { compress }))
        const back = decodeNpz(bytes, options)
        expect(Object.keys(back).sort()).toEqual([...keys].sort())
        for (const key of keys) expect(facts(back[key]!)).toEqual(facts(x))
      }),
      { seed, numRuns: 150 },
    )
  })

  it('writeNpz(path, tensors, { compress }) writes what encodeNpz gives', () => {
    const path = join(folder, 'written.npz')
    writeNpz(path, { a: tensor([1, 2]) }, { compress: true })
    expect(readNpz(path)['a']!.toNested()).toEqual([1, 2])
  })
})

describe('decodeNpz of hostile files', () => {
  const npy = encodeNpy(tensor([1, 2, 3]))
  const zip = zipSync({ 'a.npy': [npy, { level: 6 }] })
  const changed = (bytes: Uint8Array, change: (view: DataView, directory: number) => void): Uint8Array => {
    const copy = bytes.slice()
    const view = new DataView(copy.buffer)
    change(view, view.getUint32(copy.length - 6, true))
    return copy
  }
  const stored = zipSync({ 'a.npy': [npy, { level: 0 }] })
  const two = zipSync({ 'a.npy': [npy, { level: 0 }], 'b.npy': [npy, { level: 0 }] })
  /** The same number in the directory's first entry and in the first array's own header. */
  const both = (view: DataView, at: number, inEntry: number, inHeader: number, value: number): void => {
    view.setUint32(at + inEntry, value, true)
    view.setUint32(inHeader, value, true)
  }
  const wrong: readonly (readonly [string, Uint8Array, string])[] = [
    ['no bytes', new Uint8Array(0), 'not a zip file that can be read [no directory]'],
    ['a truncated file', zip.subarray(0, zip.length - 1), 'not a zip file that can be read [no directory]'],
    ['a member that is no npy', zipSync({ 'a.txt': npy }), 'not an npy file [a.txt]'],
    ['one name twice', twice(), 'a name stands twice [a.npy]'],
    [
      'a claim of 4 GB',
      changed(zip, (view, at) => both(view, at, 24, 22, 0xfffffffe)),
      'claims more bytes than deflate can hold [a.npy: 4294967294]',
    ],
    [
      'a claim of more bytes than there are',
      changed(zip, (view, at) => both(view, at, 24, 22, npy.length + 1)),
      'the checksum differs [a.npy]',
    ],
    [
      'a changed byte of data',
      changed(stored, (view) => view.setUint8(100, view.getUint8(100) ^ 1)),
      'the checksum differs [a.npy]',
    ],
    [
      'encryption',
      changed(zip, (view, at) => view.setUint16(at + 8, 1, true)),
      'not a zip file that can be read [encrypted]',
    ],
    [
      'a directory outside of the file',
      changed(zip, (view) => view.setUint32(zip.length - 6, 1e9, true)),
      `not a zip file that can be read [a directory of 51 bytes at 1000000000 does not reach to its end at ${zip.length - 22}]`,
    ],
    [
      'members that overlap',
      changed(zip, (view, at) => both(view, at, 20, 18, 1e6)),
      `not a zip file that can be read [a.npy reaches past ${zip.length - 73}]`,
    ],
    [
      'an unknown compression',
      changed(zip, (view, at) => view.setUint16(at + 10, 99, true)),
      'not a zip file that can be read [unknown compression 99]',
    ],
    [
      'the number of arrays changed at one place',
      changed(two, (view) => view.setUint8(two.length - 12, 1)),
      'not a zip file that can be read [counts 2 and 1 differ]',
    ],
    [
      'the number of arrays changed at both places',
      changed(two, (view) => {
        view.setUint8(two.length - 12, 1)
        view.setUint8(two.length - 14, 1)
      }),
      'not a zip file that can be read [more in the directory than its 1 entries]',
    ],
    [
      'a directory that begins at the second array',
      changed(two, (view, at) => {
        view.setUint8(two.length - 12, 1)
        view.setUint8(two.length - 14, 1)
        view.setUint32(two.length - 10, 51, true)
        view.setUint32(two.length - 6, at + 51, true)
      }),
      'not a zip file that can be read [bytes of no member at 0, before b.npy]',
    ],
    [
      'another name before the array than in the directory',
      changed(two, (view) => view.setUint8(30, 0x63)),
      'not a zip file that can be read [the name of a.npy in the directory and before it differ]',
    ],
    [
      'another size before the array than in the directory',
      changed(two, (view) => view.setUint32(22, 7, true)),
      'not a zip file that can be read [the sizes of a.npy in the directory and before it differ]',
    ],
    [
      'two arrays over the same bytes',
      changed(two, (view, at) => {
        view.setUint8(at + 51 + 46, 0x61)
        view.setUint32(at + 51 + 42, 0, true)
      }),
      'not a zip file that can be read [members overlap, a.npy]',
    ],
  ]

  function twice(): Uint8Array {
    return changed(two, (view, at) => {
      view.setUint8(two.indexOf(0x62, at), 0x61)
      view.setUint8(two.indexOf(0x62, 30), 0x61)
    })
  }

  it.each(wrong)('%s', (_, bytes, why) => {
    expect(() => decodeNpz(bytes)).toThrow(new RangeError(`decodeNpz: ${why}`))
  })

  it('decodeNpz takes time in proportion to the arrays: 8,000 in less than 3 s, which were 15', () => {
    const x = tensor([1, 2])
    const bytes = encodeNpz(Object.fromEntries(Array.from({ length: 8000 }, (_, i) => [`array ${i}`, x])))
    const began = process.cpuUsage()
    expect(Object.keys(decodeNpz(bytes)).length).toBe(8000)
    expect(cpuSeconds(began)).toBeLessThan(3)
  })

  it('encodeNpz of more arrays than the format counts is refused, not cut', () => {
    const x = tensor([1])
    const many = Object.fromEntries(Array.from({ length: 65_535 }, (_, i) => [i, x]))
    expect(() => encodeNpz(many)).toThrow(
      new RangeError('encodeNpz: more arrays than a zip file can list, 65,534 [65535]'),
    )
  })

  it('names the array that cannot be read, and a dtype for none', () => {
    const bytes = encodeNpz({ w: tensor([1], { dtype: 'float8_e5m2' }) })
    expect(() => decodeNpz(bytes)).toThrow(
      new TypeError('decodeNpz: w: a byte may be of several dtypes, give one as dtype [<V1]'),
    )
    expect(() => decodeNpz(bytes, { dtypes: { v: 'float8_e5m2' } })).toThrow(
      new RangeError('decodeNpz: no array of this name [v]'),
    )
    expect(decodeNpz(bytes, { dtypes: { w: 'float8_e5m2' } })['w']!.toNested()).toEqual([1])
  })
})

describe('rows of safetensors', () => {
  it('readRows(name, start, end) reads a part of one tensor', () => {
    const path = join(folder, 'rows.safetensors')
    writeSafetensors(path, {
      x: tensor(
        [
          [1, 2],
          [3, 4],
          [5, 6],
        ],
        { dtype: 'bfloat16' },
      ),
      s: tensor(1),
    })
    const opened = openSafetensors(path)
    expect(opened.readRows('x', 1, 3).toNested()).toEqual([
      [3, 4],
      [5, 6],
    ])
    expect(opened.readRows('x', 3, 3).shape).toEqual([0, 2])
    expect(() => opened.readRows('x', 1, 4)).toThrow(
      new RangeError('readRows: not rows of the 3 of x [1, 4]'),
    )
    expect(() => opened.readRows('s', 0, 1)).toThrow(new RangeError('readRows: a 0-d tensor has no rows [s]'))
    opened.close()
  })
})
