import fc from 'fast-check'
import { treeFromJson, treeToJson } from 'tpu-toolkit/files'
import { dtypes, fromBits, tensor } from 'tpu-toolkit/tensor'
import type { Tree } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { anyTensor, anyTree, facts } from './trees.js'

describe('treeToJson', () => {
  it('writes each element as one hexadecimal number of its width', () => {
    expect(
      treeToJson({
        float32: fromBits(Uint32Array.of(0x80000000, 0x7f800000, 0xffc12345), {
          dtype: 'float32',
          shape: [3, 1],
        }),
        float64: fromBits(BigUint64Array.of(0x7ff0000000000001n), { dtype: 'float64' }),
        bfloat16: tensor(1, { dtype: 'bfloat16' }),
        float4: fromBits([15], { dtype: 'float4_e2m1fn' }),
        bool: tensor([true, false], { dtype: 'bool' }),
        none: [{}, []],
      }),
    ).toEqual({
      float32: { dtype: 'float32', shape: [3, 1], hex: '800000007f800000ffc12345' },
      float64: { dtype: 'float64', shape: [1], hex: '7ff0000000000001' },
      bfloat16: { dtype: 'bfloat16', shape: [], hex: '3f80' },
      float4: { dtype: 'float4_e2m1fn', shape: [1], hex: '0f' },
      bool: { dtype: 'bool', shape: [2], hex: '0100' },
      none: [{}, []],
    })
  })

  it('writes the bytes of memory as base64', () => {
    expect(treeToJson(tensor([1, 2]), { bits: 'base64' })).toEqual({
      dtype: 'float32',
      shape: [2],
      base64: Buffer.from([0, 0, 128, 63, 0, 0, 0, 64]).toString('base64'),
    })
  })

  it('refuses other ways and what is no tree', () => {
    expect(() => treeToJson({}, { bits: 'octal' as never })).toThrow(
      new RangeError('treeToJson: unknown bits, there are hex, base64 [octal]'),
    )
    expect(() => treeToJson({ a: 1 } as never)).toThrow(
      'treeToJson: not a leaf, array or plain object at a [1]',
    )
  })
})

describe(`treeFromJson (seed ${seed})`, () => {
  const ways = ['hex', 'base64'] as const

  it.each(dtypes)('gives back every bit and shape of %s, through text', (dtype) => {
    fc.assert(
      fc.property(anyTensor(dtype), fc.constantFrom(...ways), (x, bits) => {
        expect(facts(treeFromJson(JSON.stringify(treeToJson(x, { bits }))))).toEqual(facts(x))
      }),
      { seed, numRuns: 60 },
    )
  })

  it('gives back trees under any keys, with empty containers', () => {
    fc.assert(
      fc.property(anyTree, fc.constantFrom(...ways), (tree, bits) => {
        const json = treeToJson(tree, { bits })
        expect(facts(treeFromJson(json))).toEqual(facts(tree))
        expect(treeToJson(treeFromJson(JSON.stringify(json)), { bits })).toEqual(json)
      }),
      { seed, numRuns: 200 },
    )
  })

  it('takes keys that are fields of a tensor, since no tree has text under a key', () => {
    const tree: Tree = { dtype: tensor(1), shape: tensor(2), hex: [tensor(3)] }
    expect(facts(treeFromJson(treeToJson(tree)))).toEqual(facts(tree))
  })

  it('names the path and the reason of what does not say a tensor', () => {
    const leaf = (fields: object) => ({ a: [{ dtype: 'bfloat16', shape: [2], hex: '3f803f80', ...fields }] })
    const wrong: readonly (readonly [unknown, Error])[] = [
      [
        leaf({ dtype: 'bf16' }),
        new TypeError('treeFromJson: unknown dtype at a.0, did you mean bfloat16 [bf16]'),
      ],
      [leaf({ shape: [-2] }), new RangeError('treeFromJson: not a shape at a.0 [-2]')],
      [leaf({ shape: [2.5] }), new RangeError('treeFromJson: not a shape at a.0 [2.5]')],
      [leaf({ shape: 2 }), new RangeError('treeFromJson: not a shape at a.0 [2]')],
      [
        leaf({ shape: [1] }),
        new RangeError('treeFromJson: 1 elements of bfloat16 need 4 hex digits at a.0 [8]'),
      ],
      [leaf({ hex: '3f803g80' }), new RangeError('treeFromJson: not hex digits at a.0 [3f803g80]')],
      [leaf({ hex: 3 }), new RangeError('treeFromJson: needs hex or base64 at a.0 [dtype, shape, hex]')],
      [
        { a: [{ dtype: 'bfloat16', shape: [2], base64: 'gD-APw==' }] },
        new RangeError('treeFromJson: not base64 at a.0 [gD-APw==]'),
      ],
      [
        { a: [{ dtype: 'bfloat16', shape: [2], base64: 'gD8=' }] },
        new RangeError('treeFromJson: 2 elements of bfloat16 need 4 bytes at a.0 [2]'),
      ],
      [leaf({ dtype: 'bool', hex: '0102' }), new RangeError('treeFromJson: not a code of bool in a.0 [2]')],
      [{ a: [3] }, new TypeError('treeFromJson: not a leaf, array or plain object at a.0 [3]')],
      [{ a: null }, new TypeError('treeFromJson: not a leaf, array or plain object at a [null]')],
      [null, new TypeError('treeFromJson: not a leaf, array or plain object at the root [null]')],
    ]
    for (const [json, error] of wrong) expect(() => treeFromJson(json)).toThrow(error)
    expect(() => treeFromJson('{')).toThrow(/^treeFromJson: the text is not JSON \[.+\]$/)
  })
})
