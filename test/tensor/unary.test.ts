import { unary, unaryNames, unaryTable } from 'tpu-toolkit/functions'
import * as tensors from 'tpu-toolkit/tensor'
import {
  abs,
  ceil,
  exp,
  floor,
  fromBits,
  log,
  neg,
  ops,
  relu,
  rint,
  sign,
  sqrt,
  square,
  tensor,
  trunc,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const byName = tensors as unknown as Record<string, tensors.Unary>
const all16 = Uint16Array.from({ length: 65536 }, (_, code) => code)

describe.each(unaryNames)('%s', (name) => {
  it('looks every bfloat16 and float8_e4m3fn code up in the correctly rounded table', () => {
    expect(byName[name]!(fromBits(all16, { dtype: 'bfloat16' })).data).toEqual(unaryTable(name, 'bfloat16'))
    const all8 = Uint8Array.from({ length: 256 }, (_, code) => code)
    expect(byName[name]!(fromBits(all8, { dtype: 'float8_e4m3fn' })).data).toEqual(
      unaryTable(name, 'float8_e4m3fn'),
    )
  })

  it('is the float64 function in float64, rounded once in float32', () => {
    const points = [-3.7, -1, -0.5, -0, 0, 1e-8, 0.3, 1, 2.5, 40]
    const wide = byName[name]!(tensor(points, { dtype: 'float64' }))
    expect([...wide.data]).toEqual(points.map(unary[name]))
    const narrow = byName[name]!(tensor(points))
    expect([...narrow.data]).toEqual(points.map((x) => Math.fround(unary[name](Math.fround(x)))))
  })

  it('has its record in ops', () => expect(ops[name]!.name).toBe(name))
})

describe('unary functions', () => {
  it('give the canonical NaN in float32 and float64', () => {
    expect([...log(tensor([-1])).toBits()]).toEqual([0x7fc00000])
    expect([...neg(fromBits(Uint32Array.of(0x7fc00000, 0xffc00000), { dtype: 'float32' })).toBits()]).toEqual(
      [0x7fc00000, 0x7fc00000],
    )
    expect([...sqrt(tensor([-1], { dtype: 'float64' })).toBits()]).toEqual([0x7ff8000000000000n])
  })

  it('take whole-number functions on integers, wrapping, and refuse the others', () => {
    expect(square(tensor([70000], { dtype: 'int32' })).item()).toBe(605032704)
    expect(neg(tensor([1], { dtype: 'uint32' })).item()).toBe(2 ** 32 - 1)
    expect(relu(tensor([-2, 2], { dtype: 'int32' })).toNested()).toEqual([0, 2])
    expect(abs(tensor([-(2 ** 31)], { dtype: 'int32' })).item()).toBe(-(2 ** 31))
    expect(sign(tensor([-5, 0], { dtype: 'int32' })).toNested()).toEqual([-1, 0])
    const whole = tensor([-7, 0, 7], { dtype: 'int32' })
    for (const f of [floor, ceil, rint, trunc]) expect(f(whole).toNested()).toEqual([-7, 0, 7])
    expect(abs(whole).toNested()).toEqual([7, 0, 7])
    expect(neg(whole).toNested()).toEqual([7, 0, -7])
    expect(sign(whole).toNested()).toEqual([-1, 0, 1])
    expect(relu(whole).toNested()).toEqual([0, 0, 7])
    expect(square(whole).toNested()).toEqual([49, 0, 49])
    expect(() => exp(tensor([1], { dtype: 'int32' }))).toThrow(
      new TypeError('exp: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => neg(tensor([true], { dtype: 'bool' }))).toThrow(
      new TypeError('neg: needs a floating-point dtype, cast first [bool]'),
    )
    expect(() => exp(3 as never)).toThrow(new TypeError('exp: needs a tensor among its operands [3]'))
  })

  it('write into out, the input included', () => {
    const x = tensor([1, 4], { dtype: 'bfloat16' })
    expect(sqrt(x, { out: x }).toNested()).toEqual([1, 2])
  })
})
