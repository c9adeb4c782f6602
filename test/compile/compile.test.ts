import * as autodiff from 'tpu-toolkit/autodiff'
import { type Compiled, compile } from 'tpu-toolkit/compile'
import type { Tensor } from 'tpu-toolkit/tensor'
import * as t from 'tpu-toolkit/tensor'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.restoreAllMocks()
})

/** A function that counts its calls. */
function counted<A extends readonly unknown[], R>(
  f: (...args: A) => R,
): { f: (...args: A) => R; calls: () => number } {
  let calls = 0
  return {
    f: (...args) => {
      calls++
      return f(...args)
    },
    calls: () => calls,
  }
}

const bits = (x: Tensor): string => `${x.dtype} [${x.shape}] ${x.toBits().join(' ')}`

test('compile(f) runs f once for the same structure, shapes and dtypes, and gives fresh tensors', () => {
  const { f, calls } = counted((p: { w: Tensor; b: Tensor }, x: Tensor) => ({
    y: t.add(t.matmul(x, p.w), p.b),
    parts: [t.exp(x)],
  }))
  const compiled = compile(f)
  const p = { w: t.ones([3, 2]), b: t.tensor([1, 2]) }
  const first = compiled(p, t.ones([4, 3]))
  const second = compiled({ w: t.full([3, 2], 2), b: t.tensor([0, 0]) }, t.ones([4, 3]))
  expect(calls()).toBe(1)
  expect(first.y.toNested()).toEqual([
    [4, 5],
    [4, 5],
    [4, 5],
    [4, 5],
  ])
  expect(second.y.toNested()).toEqual([
    [6, 6],
    [6, 6],
    [6, 6],
    [6, 6],
  ])
  expect(first.parts[0]!.data).not.toBe(second.parts[0]!.data)
  compiled(p, t.ones([5, 3]))
  compiled(
    { w: t.ones([3, 2], { dtype: 'bfloat16' }), b: t.ones([2], { dtype: 'bfloat16' }) },
    t.ones([5, 3], { dtype: 'bfloat16' }),
  )
  expect(calls()).toBe(3)
})

test('compile(f) has the type of f', () => {
  const f = (x: Tensor<'bfloat16'>, n: number): Tensor<'bfloat16'> => t.mul(x, n)
  const compiled: Compiled<[x: Tensor<'bfloat16'>, n: number], Tensor<'bfloat16'>> = compile(f)
  expect(compiled(t.tensor([1.5], { dtype: 'bfloat16' }), 2).item()).toBe(3)
})

test('what is no tensor is fixed: another value is another program', () => {
  const { f, calls } = counted((x: Tensor, options: { scale: number; name: string }) =>
    t.mul(x, options.scale),
  )
  const compiled = compile(f)
  expect(compiled(t.tensor([1]), { scale: 2, name: 'a' }).item()).toBe(2)
  expect(compiled(t.tensor([4]), { scale: 2, name: 'a' }).item()).toBe(8)
  expect(calls()).toBe(1)
  expect(compiled(t.tensor([1]), { scale: 3, name: 'a' }).item()).toBe(3)
  expect(compiled(t.tensor([1]), { scale: -0, name: 'a' }).toBits()[0]).toBe(0x80000000)
  expect(compiled(t.tensor([1]), { scale: 0, name: 'a' }).toBits()[0]).toBe(0)
  expect(calls()).toBe(4)
})

test('a static argument is handed over as it is, tensors too', () => {
  const f = (mask: Tensor, x: Tensor): Tensor => (mask.item() > 0 ? t.neg(x) : x)
  const compiled = compile(f, { static: 0 })
  const yes = t.tensor(1)
  expect(compiled(yes, t.tensor([2])).item()).toBe(-2)
  expect(compiled(t.tensor(0), t.tensor([2])).item()).toBe(2)
  expect(compiled(yes, t.tensor([5])).item()).toBe(-5)
})

test('donate writes results into the storage of the arguments given away', () => {
  const step = compile((p: Tensor[], g: Tensor[]) => p.map((x, i) => t.sub(x, g[i]!)), { donate: [0] })
  const p = [t.ones([2]), t.ones([3])]
  const before = p.map(({ data }) => data)
  const g = [t.full([2], 0.5), t.full([3], 0.25)]
  const next = step(p, g)
  expect(next.map((x) => x.toNested())).toEqual([
    [0.5, 0.5],
    [0.75, 0.75, 0.75],
  ])
  expect(next[0]!.data).toBe(before[0])
  expect(next[1]!.data).toBe(before[1])
  const again = step(next, g)
  expect(again[1]!.toNested()).toEqual([0.5, 0.5, 0.5])
})

test('looking at an element while recording is an error that names the line', () => {
  const x = t.tensor([1, 2])
  for (const read of [
    (y: Tensor) => y.toNumbers(),
    (y: Tensor) => t.sum(y).item(),
    (y: Tensor) => y.data[0],
    (y: Tensor) => y.toNested(),
  ]) {
    expect(() => compile((y: Tensor) => [read(y), y])(x)).toThrow(
      /^compile: an element was read while the function was recorded, compute with where or make the argument static \[.*compile\.test/,
    )
  }
  expect(compile((y: Tensor) => [y.size, y.rank, String(y)])(x)).toEqual([
    2,
    1,
    'float32 [2] (recorded, its elements are not known yet)',
  ])
})

test('take reads by indices that are arguments, and so does its gradient', () => {
  const loss = (table: Tensor, tokens: Tensor<'int32'>): Tensor =>
    t.sum(t.square(t.take(table, tokens, { axis: 0 })), { accumulate: 'float32' })
  const gradient = autodiff.grad(loss)
  const compiled = compile(gradient)
  const curved = (table: Tensor, tokens: Tensor<'int32'>): Tensor =>
    autodiff.grad((x: Tensor) => t.sum(t.mul(gradient(x, tokens), x)))(table)
  const table = t.tensor(
    [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
    { dtype: 'bfloat16' },
  )
  for (const list of [
    [0, 2, 2, -1],
    [1, 1, 1, 0],
  ]) {
    const tokens = t.tensor(list, { dtype: 'int32' })
    expect(bits(compiled(table, tokens))).toBe(bits(gradient(table, tokens)))
    expect(bits(compile(curved)(table, tokens))).toBe(bits(curved(table, tokens)))
  }
  expect(() => compiled(table, t.tensor([0, 1, 2, 3], { dtype: 'int32' }))).toThrow(
    'take: index outside an axis of 3 [3]',
  )
})

test('a draw from a function cannot be compiled, and out cannot be recorded', () => {
  const x = t.tensor([1.3, 2.7])
  const drawn = compile((y: Tensor) => t.cast(y, 'bfloat16', { rounding: 'stochastic', random: () => 5 }))
  expect(() => drawn(x)).toThrow('compile: cast draws random numbers from a function')
  expect(() => compile((y: Tensor) => t.add(y, 1, { out: x }))(x)).toThrow('add: out cannot be recorded')
})

test('wrong arguments of compile are said', () => {
  const f = (x: Tensor): Tensor => x
  expect(() => compile(3 as never)).toThrow('compile: f is not a function [3]')
  expect(() => compile(f, { donat: 0 } as never)).toThrow('did you mean donate')
  expect(() => compile(f, { static: -1 })).toThrow(RangeError)
  expect(() => compile(f, { static: 0, donate: [0] })).toThrow(
    'compile: an argument is static and donated both [0]',
  )
  expect(() => compile(f).plan()).toThrow('compile: there is no plan before the first call [0 programs]')
  expect(() => compile(f).profile([t.ones([1])], { runs: 0 })).toThrow(RangeError)
})

test('results that are arguments or constants come back as they are', () => {
  const constant = t.tensor([7, 8])
  const compiled = compile((x: Tensor) => ({
    x,
    constant,
    flat: t.reshape(x, [4]),
    word: 'kept',
    twice: [x, x],
  }))
  const x = t.ones([2, 2], { dtype: 'bfloat16' })
  const result = compiled(x)
  expect(result.x).toBe(x)
  expect(result.constant).toBe(constant)
  expect(bits(result.flat)).toBe(bits(t.reshape(x, [4])))
  expect(result.word).toBe('kept')
  const y = t.zeros([2, 2], { dtype: 'bfloat16' })
  expect(compiled(y).twice).toEqual([y, y])
})

test('NaNs other than the canonical one keep their bits: the function itself is asked', () => {
  const { f, calls } = counted((x: Tensor) => [t.reshape(x, [2, 1]), t.add(x, 1)])
  const compiled = compile(f)
  for (const dtype of ['bfloat16', 'float16', 'float32', 'float8_e5m2'] as const) {
    const ordinary = t.tensor([1, Number.NaN], { dtype })
    const signed = t.neg(ordinary)
    const code = t.dtypeFacts(dtype).signMask! + Number(t.tensor([Number.NaN], { dtype }).toBits()[0])
    const strange = t.fromBits([...[0], code], { dtype })
    for (const x of [ordinary, signed, strange]) expect(compiled(x).map(bits)).toEqual(f(x).map(bits))
  }
  expect(calls()).toBeGreaterThan(8)
})

test('inside of a gradient or another compiled function a call is recorded there', () => {
  const inner = compile((x: Tensor) => t.mul(x, x))
  expect(
    autodiff
      .grad((x: Tensor) => t.sum(inner(x)))(t.tensor([3, 4]))
      .toNested(),
  ).toEqual([6, 8])
  const outer = compile((x: Tensor) => t.add(inner(x), inner(x)))
  expect(outer(t.tensor([3])).item()).toBe(18)
  expect(outer.plan().operations).toBe(2)
  const twice = compile(autodiff.grad((x: Tensor) => autodiff.grad((y: Tensor) => t.mul(y, t.mul(y, y)))(x)))
  expect(twice(t.tensor(3)).item()).toBe(18)
})

test('who watches operations sees those of a compiled function', () => {
  const compiled = compile((x: Tensor) => t.exp(t.neg(x)))
  const x = t.tensor([1])
  compiled(x)
  const names: string[] = []
  t.observe(
    () => compiled(x),
    ({ op }) => names.push(op.name),
  )
  expect(names).toEqual(['neg', 'exp'])
  expect(t.recordEverything(() => compiled(x)).trace?.op.name).toBe('exp')
})

test('plan() tells what is left of a recording', () => {
  const c = t.ones([4])
  const compiled = compile((x: Tensor) => {
    const unused = t.exp(x)
    expect(unused.size).toBe(4)
    return t.add(t.mul(x, c), t.mul(x, c))
  })
  compiled(t.ones([4]))
  const plan = compiled.plan()
  expect(plan).toMatchObject({
    recorded: 3,
    operations: 2,
    constants: [{ dtype: 'float32', shape: [4], bytes: 16 }],
  })
  expect(plan.steps).toEqual([
    {
      ...{ kind: 'loop', operations: ['mul', 'add'], stacks: [[], []], dtype: 'float32', shape: [4] },
      // The argument and the constant are read, and alive while the result is made.
      ...{ flops: 8, bytes: 48, memory: 16, alive: 48, parts: 1 },
    },
  ])
  expect(String(plan)).toBe(
    [
      '3 operations recorded, 2 left, in 1 steps',
      '192 B of values at once (192 B if each had its own)',
      'constants: float32 [4]',
      'loop  [4]  8 FLOPs  48 B  mul add',
    ].join('\n'),
  )
  const profile = compiled.profile([t.ones([4])], { runs: 2 })
  expect(profile.steps[0]!.microseconds).toBeGreaterThanOrEqual(0)
  expect(String(profile)).toMatch(/^\d+\.\d µs {2}loop {2}\[4\] {2}8 FLOPs {2}48 B {2}mul add$/)
})

test('values whose lives do not meet share memory', () => {
  const chain = compile((x: Tensor) => {
    let y = x
    for (let i = 0; i < 20; i++) y = t.mul(y, t.sum(y))
    return y
  })
  chain(t.ones([1000]))
  const { peakBytes, unplannedBytes } = chain.plan()
  expect(unplannedBytes).toBeGreaterThan(20 * 4000)
  expect(peakBytes).toBeLessThan(4 * 4096)
})

test('256 programs are kept for a function: those used last, and the first removal is reported once', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const calls: number[] = []
  const f = compile(
    (x: Tensor, by: number) => {
      calls.push(by)
      return t.mul(x, by)
    },
    { static: [1] },
  )
  const x = t.tensor([1])
  for (let by = 0; by < 256; by++) f(x, by)
  f(x, 0)
  expect(warn.mock.calls.filter(([text]) => /are kept/.test(text))).toEqual([])
  for (let by = 256; by < 259; by++) f(x, by)
  calls.length = 0
  f(x, 0)
  expect(calls).toEqual([])
  expect(f(x, 1).item()).toBe(1)
  expect(calls).toEqual([1])
  expect(warn.mock.calls.filter(([text]) => /are kept/.test(text))).toEqual([
    [
      'compile: 256 programs for one function are kept, those used longest ago are recorded again when they are needed',
    ],
  ])
  warn.mockRestore()
})

test('many programs for one function are said once', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const compiled = compile((x: Tensor) => t.neg(x))
  for (let n = 1; n <= 12; n++) compiled(t.ones([n]))
  expect(warn).toHaveBeenCalledTimes(1)
  expect(warn.mock.calls[0]![0]).toMatch(/^compile: 8 programs for one function.*float32\[8\]/)
})

test('a step of 5,000 operations compiles: recordings may be as deep as loops are long', () => {
  const f = (x: Tensor): Tensor => {
    let y = x
    for (let i = 0; i < 5000; i++) y = t.add(t.mul(y, 0.999), x)
    return y
  }
  const x = t.tensor([1, 2, 3], { dtype: 'bfloat16' })
  expect(bits(compile(f)(x))).toBe(bits(f(x)))
})

test('the function may throw: nothing is kept of the call', () => {
  const compiled = compile((x: Tensor, fail: boolean) => {
    if (fail) throw new Error('no')
    return t.neg(x)
  })
  expect(() => compiled(t.ones([1]), true)).toThrow('no')
  expect(compiled(t.ones([1]), false).item()).toBe(-1)
})
