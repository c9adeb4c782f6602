import { fromBits, Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { runOf, runText } from '../../benchmarks/trading/runText.js'

describe('runText', () => {
  it('keeps every bit: NaN with its payload, -0, infinities, empty tensors, numbers of 64 bits', () => {
    const state = {
      step: 3,
      numbers: [-0, Number.POSITIVE_INFINITY, Number.NaN, 0.1],
      weights: fromBits(Uint32Array.of(0x7fc00001, 0x80000000), { shape: [2, 1], dtype: 'float32' }),
      counts: [tensor([1, 2], { dtype: 'int32' }), tensor([], { shape: [0], dtype: 'bfloat16' })],
      wide: tensor(1 / 3, { dtype: 'float64' }),
    }
    const back = runOf(runText(state)) as typeof state
    expect(back.numbers).toEqual(state.numbers)
    expect(Object.is(back.numbers[0], -0)).toBe(true)
    for (const [a, b] of [
      [back.weights, state.weights],
      [back.counts[0]!, state.counts[0]!],
      [back.counts[1]!, state.counts[1]!],
      [back.wide, state.wide],
    ] as const) {
      expect(a).toBeInstanceOf(Tensor)
      expect([a.dtype, a.shape]).toEqual([b.dtype, b.shape])
      expect(a.toBits()).toEqual(b.toBits())
    }
  })

  it('refuses what is neither plain nor a tensor', () => {
    expect(() => runText({ map: new Map() })).toThrow('runText: neither plain data nor a tensor [Map]')
    expect(() => runText(new Float32Array(2))).toThrow(TypeError)
  })
})
