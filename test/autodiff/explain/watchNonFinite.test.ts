import { grad, watchNonFinite } from 'tpu-toolkit/autodiff'
import * as t from 'tpu-toolkit/tensor'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const half = { dtype: 'float16' } as const
const v = tensor([300, 300], half)
const normalized = (x: Tensor): Tensor => t.div(x, t.sqrt(t.sum(t.square(x))))
const kinds = (f: () => unknown): string[] => watchNonFinite(f).events.map(({ op, kind }) => `${op}: ${kind}`)

describe('watchNonFinite', () => {
  it('finds an overflow that the result has swallowed, with the ranges of what was read and the line', () => {
    const { result, events, operations, passed } = watchNonFinite(() => normalized(v))
    expect(result.toNested()).toEqual([0, 0])
    expect([operations, passed]).toEqual([4, 2])
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      ...{
        index: 0,
        op: 'square',
        kind: 'overflow',
        at: [0],
        value: Infinity,
        exact: 90000,
        operands: [[300]],
      },
      ...{ nans: 0, infinities: 2, times: 1, largest: 65504 },
      inputs: [{ dtype: 'float16', shape: [2], min: 300, max: 300, nans: 0, infinities: 0 }],
    })
    expect(events[0]!.site).toMatch(/^watchNonFinite\.test\.ts:\d+:\d+$/)
  })

  it('finds them in what nothing reads, on constants, and in a backward pass', () => {
    expect(
      kinds(() => {
        t.log(tensor(0))
        return tensor(1)
      }),
    ).toEqual(['log: log of zero'])
    const loss = (x: Tensor): Tensor => t.sum(t.where(t.less(x, 50), t.exp(x), 0))
    expect(kinds(() => grad(loss)(tensor([1, 100])))).toEqual(['exp: overflow', 'mul: 0 * Inf'])
  })

  it('tells what arose from what was handed on, element by element', () => {
    const x = tensor([0, 1e38, 1])
    expect(kinds(() => t.mul(t.reciprocal(x), t.sub(x, 1)))).toEqual(['reciprocal: division by zero'])
    expect(kinds(() => t.mul(t.square(x), 0))).toEqual(['square: overflow', 'mul: 0 * Inf'])
    expect(kinds(() => t.div(tensor([1, 0, -1]), tensor([0, 0, 1])))).toEqual([
      'div: division by zero',
      'div: 0 / 0',
    ])
    expect(kinds(() => t.sum(t.log(tensor([1, 0, -1]))))).toEqual([
      'log: log of zero',
      'log: outside the domain',
    ])
  })

  it('names what came in from outside where an operation reads it: a mask, a number that overflows', () => {
    expect(kinds(() => t.where(t.less(v, 0), v, tensor(-Infinity, half)))).toEqual(['where: constant'])
    expect(kinds(() => t.mul(v, 70000))).toEqual(['mul: constant'])
    expect(kinds(() => t.add(tensor([1, Number.NaN]), 1))).toEqual(['add: constant'])
    // It is not read by the element that is finite, and not by what reads only that.
    expect(kinds(() => t.slice(tensor([1, Infinity]), [[0, 1]]))).toEqual([])
  })

  it('takes the same at one line for one event, and counts it', () => {
    const { events, operations } = watchNonFinite(() => {
      for (let i = 0; i < 5; i++) t.exp(t.mul(v, 2))
    })
    expect(operations).toBe(10)
    expect(events.map(({ op, times }) => [op, times])).toEqual([['exp', 5]])
  })

  it('looks for NaN alone where infinities are off', () => {
    const f = (): Tensor => t.sub(t.exp(v), t.exp(v))
    expect(watchNonFinite(f, { infinities: false }).events.map(({ op, kind }) => [op, kind])).toEqual([
      ['sub', 'Inf - Inf'],
    ])
    expect(kinds(f)).toEqual(['exp: overflow', 'exp: overflow', 'sub: Inf - Inf'])
  })

  it('stops at the first where it is told to, and says where; the next run is not watched', () => {
    expect(() => watchNonFinite(() => normalized(v), { stop: true })).toThrow(
      /^watchNonFinite: square\(300\) = Infinity at \[0\] of float16 \[2\]: overflow, the largest float16 is 65504, the exact result 90000 \[watchNonFinite\.test\.ts:\d+:\d+\]$/,
    )
    expect(t.log(tensor(0)).item()).toBe(-Infinity)
  })

  it('reads operands as they were where the result is written over them', () => {
    const x = tensor([100, 1])
    const [event] = watchNonFinite(() => t.exp(x, { out: x })).events
    expect(event).toMatchObject({ kind: 'overflow', operands: [[100]], inputs: [{ min: 1, max: 100 }] })
  })

  it('gives the same bits, and a sentence where all is well', () => {
    const x = tensor([1, 2, 3], { dtype: 'bfloat16' })
    const watched = watchNonFinite(() => normalized(x))
    expect([...watched.result.toBits()]).toEqual([...normalized(x).toBits()])
    expect(String(watched)).toBe('4 operations ran, all values are finite.')
  })

  it('String tells it in words', () => {
    const text = String(watchNonFinite(() => normalized(v)))
    expect(text.replace(/\(watch[^)]*\)/, '(LINE)').split('\n')).toEqual([
      '4 operations ran; values that are not finite arose in 1 place, and 2 operations handed such values on:',
      'square(300) = Infinity at [0] of float16 [2]: overflow, the largest float16 is 65504, the exact result 90000 (LINE)',
      '  read float16 [2] from 300 to 300',
    ])
  })

  it('says what is wrong with its arguments', () => {
    expect(() => watchNonFinite(3 as never)).toThrow(TypeError)
    expect(() => watchNonFinite(() => 1, { stops: true } as never)).toThrow(/watchNonFinite: .*stops/)
    expect(() => watchNonFinite(() => 1, { stop: 1 } as never)).toThrow(/watchNonFinite: stop/)
    expect(() => watchNonFinite(async () => 1)).toThrow(
      'watchNonFinite: the function is asynchronous, watch what it awaits [a Promise]',
    )
  })

  it('observe tells of nothing that its listener runs, and of both where one runs in another', () => {
    const [outer, inner]: string[][] = [[], []]
    t.observe(
      () => {
        t.exp(tensor(1))
        t.observe(
          () => t.log(tensor(1)),
          ({ op }) => inner!.push(op.name),
        )
        t.neg(tensor(1))
      },
      ({ op, output }) => {
        t.abs(output)
        outer!.push(op.name)
      },
    )
    expect([outer, inner]).toEqual([['exp', 'neg'], ['log']])
  })
})
