import { decodeNpy, decodeSafetensors, encodeSafetensors, treeFromJson, treeToJson } from 'tpu-toolkit/files'
import { tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { cpuSeconds } from '../support/cpuSeconds.js'

function file(header: string): Uint8Array {
  const json = Buffer.from(header)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  return new Uint8Array(Buffer.concat([length, json]))
}
const nested = (levels: number): unknown => {
  let tree: unknown = tensor(1)
  for (let i = 0; i < levels; i++) tree = { a: tree }
  return tree
}
const empty = '{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'

describe('limits of what is read and written', () => {
  it('trees of 128 levels are written, deeper ones and those that hold themselves are refused, not a stack overflow', () => {
    const deep = (levels: number) => nested(levels) as { a: never }
    expect(() => encodeSafetensors(deep(120))).not.toThrow()
    expect(treeFromJson(treeToJson(deep(120)))).toEqual(deep(120))
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    for (const tree of [deep(200), deep(100_000), cyclic as never]) {
      expect(() => encodeSafetensors(tree)).toThrow(
        /^encodeSafetensors: the tree nests deeper than 128 levels/,
      )
      expect(() => treeToJson(tree)).toThrow(/^treeToJson: the tree nests deeper than 128 levels/)
      expect(() => treeFromJson(tree)).toThrow(/^treeFromJson: the tree nests deeper than 128 levels/)
    }
    expect(() => treeFromJson('{"a":'.repeat(100_000))).toThrow(
      new RangeError('treeFromJson: the text nests deeper than 128 levels [{]'),
    )
  })

  it('a name of 3,000 dots, or of a million, is a name; only the tree of it is refused', () => {
    for (const dots of [3000, 1_000_000]) {
      const { tensors, tree } = decodeSafetensors(file(`{"a${'.b'.repeat(dots)}":${empty}}`))
      expect(Object.keys(tensors).length).toBe(1)
      expect(() => tree()).toThrow(/^tree: a name that nests deeper than 128 levels \[a\.b\.b/)
      expect(() => encodeSafetensors({ [`a${'.b'.repeat(dots)}`]: tensor(1) })).not.toThrow()
    }
  })

  it('a header of more than 262,144 entries at one place is refused within 5 s', () => {
    const metadata = Array.from({ length: 2 ** 18 + 1 }, (_, i) => `"${i}":""`).join(',')
    const many = Array.from({ length: 2 ** 18 + 1 }, (_, i) => `"${i}":${empty}`).join(',')
    const began = process.cpuUsage()
    for (const header of [`{"__metadata__":{${metadata}}}`, `{${many}}`]) {
      expect(() => decodeSafetensors(file(header))).toThrow(
        new RangeError('decodeSafetensors: the header has more than 262144 entries at one place [,]'),
      )
    }
    expect(cpuSeconds(began)).toBeLessThan(5)
  })

  it('JSON that says a tensor twice, or something else, is refused', () => {
    const x = '{"dtype":"float32","shape":[],"hex":"3f800000"}'
    expect(() => treeFromJson(`{"x":${x},"x":${x}}`)).toThrow(
      new RangeError('treeFromJson: a key stands twice in the text [x]'),
    )
    const both = { dtype: 'float32', shape: [], hex: '3f800000', base64: 'AACAPw==' }
    expect(() => treeFromJson({ x: both })).toThrow(
      new RangeError('treeFromJson: both hex and base64 at x [hex, base64]'),
    )
    expect(() => treeFromJson({ x: { ...both, base64: undefined } })).toThrow('both hex and base64')
    expect(() => treeFromJson(x.replace('}', ',"scale":2}'))).toThrow(
      new RangeError('treeFromJson: no field of a tensor at the root [scale]'),
    )
  })

  it('npy takes at most 64 axes, and no number with zeros before it', () => {
    const npy = (shape: string): Uint8Array => {
      const header = Buffer.from(`{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }\n`)
      const start = Buffer.from([
        0x93,
        0x4e,
        0x55,
        0x4d,
        0x50,
        0x59,
        1,
        0,
        header.length & 255,
        header.length >> 8,
      ])
      return new Uint8Array(Buffer.concat([start, header, Buffer.alloc(shape.includes('0') ? 0 : 4)]))
    }
    expect(decodeNpy(npy(`(${'1, '.repeat(64)})`)).shape.length).toBe(64)
    expect(() => decodeNpy(npy(`(${'1, '.repeat(65)})`))).toThrow(/^decodeNpy: more than 64 axes/)
    expect(() => decodeNpy(npy('(02,)'))).toThrow(new RangeError('decodeNpy: not a shape [02]'))
    expect(decodeNpy(npy('(00,)')).shape).toEqual([0])
  })
})
