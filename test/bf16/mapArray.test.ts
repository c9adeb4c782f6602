import { mapArray, table } from 'tpu-toolkit/bf16'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { anyCodes, firstDifference, lengths, unaligned } from './drawnCodes.js'

const every = Uint16Array.from({ length: 65536 }, (_, code) => code)

describe.each(['simd', 'plain'] as const)('mapArray(name, codes), %s', (engine) => {
  it.each(['exp', 'log', 'tanh', 'softplus'] as const)(
    'equals the keys of %s for all 65,536 codes',
    (name) => {
      const keys = new Columns(`formats/unary_bfloat16_${name}`).u16('result')
      expect(firstDifference(mapArray(name, every, undefined, engine), keys)).toBeUndefined()
    },
  )

  it.each(lengths)('handles length %i, unaligned, writing nothing beside out', (length) => {
    const codes = unaligned(anyCodes(1, length))
    const out = new Uint16Array(length + 2).fill(0xabcd)
    mapArray('sin', codes, out.subarray(1, 1 + length), engine)
    expect([out[0], out[length + 1]]).toEqual([0xabcd, 0xabcd])
    expect(
      firstDifference(
        out.subarray(1, -1),
        codes.map((code) => table('sin')[code]!),
      ),
    ).toBeUndefined()
  })

  it('may write over the operand, or beside its start', () => {
    const codes = anyCodes(2, 40000)
    const expected = codes.map((code) => table('exp')[code]!)
    const own = codes.slice()
    expect(firstDifference(mapArray('exp', own, own, engine), expected)).toBeUndefined()
    const wider = new Uint16Array(40001)
    wider.set(codes)
    const shifted = mapArray('exp', wider.subarray(0, 40000), wider.subarray(1), engine)
    expect(firstDifference(shifted, expected)).toBeUndefined()
  })

  it('throws on an unknown name and on an out of another length', () => {
    expect(() => mapArray('expo' as never, every, undefined, engine)).toThrow(TypeError)
    expect(() => mapArray('exp', every, new Uint16Array(1), engine)).toThrow(
      new RangeError('mapArray: out has another length than the result [1, not 65536]'),
    )
  })
})
