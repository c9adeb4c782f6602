import { cast, ones, type Tensor, tensor } from 'tpu-toolkit'
import { dequantize, quantize } from 'tpu-toolkit/blocks'
import { decodeNpy, encodeNpy } from 'tpu-toolkit/files'
import { format, quantizeBlocks } from 'tpu-toolkit/formats'
import { bitsOf } from 'tpu-toolkit/hardware'
import { adamw, sgd } from 'tpu-toolkit/optimizer'
import { shadow, tune, withPolicy } from 'tpu-toolkit/precision'
import { describe, expect, it } from 'vitest'

const wrong = (name: string): never => name as never

describe('common abbreviations', () => {
  it('of options are answered with the names here', () => {
    expect(() => adamw({ lr: 1e-3 } as never)).toThrow(
      'adamw: unknown option, did you mean learningRate [lr]',
    )
    expect(() => sgd({ lr: 1e-3 } as never)).toThrow('did you mean learningRate [lr]')
    expect(() => adamw({ learningRate: 1, wd: 1 } as never)).toThrow('did you mean weightDecay [wd]')
    expect(() => adamw({ learningRate: 1, beta1: 0.9 } as never)).toThrow('did you mean b1 [beta1]')
  })

  const x = tensor([1])
  const takers: readonly (readonly [string, (name: string) => unknown])[] = [
    ['tensor', (name) => tensor([1], { dtype: wrong(name) })],
    ['cast', (name) => cast(x, wrong(name))],
    ['ones', (name) => ones([1], { dtype: wrong(name) })],
    ['format', (name) => format(wrong(name))],
    ['bitsOf', (name) => bitsOf(wrong(name))],
    ['shadow', (name) => shadow((v: Tensor) => v, x, { reference: wrong(name) })],
    ['withPolicy', (name) => withPolicy((v: Tensor) => v, { wide: [], dtype: wrong(name) })],
    ['tune', (name) => tune((v: Tensor) => v, x, { target: { meanBits: 1 }, narrow: wrong(name) })],
    ['decodeNpy', (name) => decodeNpy(encodeNpy(x), { dtype: wrong(name) })],
    ['dequantize', (name) => dequantize(quantize(ones([32]), 'mxfp4'), wrong(name))],
  ]
  it.each(takers)('%s answers bf16, fp8 and e4m3 with dtypes', (_, call) => {
    expect(() => call('bf16')).toThrow('bfloat16 [bf16]')
    expect(() => call('fp8')).toThrow('float8_e4m3fn [fp8]')
    expect(() => call('e4m3')).toThrow(/float8_e4m3(fn)? \[e4m3\]/)
  })

  it('quantizeBlocks, which has no bfloat16, answers fp8 and e4m3', () => {
    const call = (name: string): unknown => quantizeBlocks(new Float32Array(32), { element: wrong(name) })
    expect(() => call('fp8')).toThrow('unknown element, did you mean float8_e4m3fn [fp8]')
    expect(() => call('e4m3')).toThrow('unknown element, did you mean float8_e4m3fn [e4m3]')
    expect(() => call('bf16')).toThrow('unknown element, there are float8_e4m3fn, ')
  })

  it('quantize says how to pad an axis that blocks do not divide', () => {
    expect(() => quantize(ones([3, 40]), 'mxfp4')).toThrow(
      'quantize: blocks of 32 do not divide axis 1, pad it with zeros to 64 or name another axis [length 40]',
    )
  })
})
