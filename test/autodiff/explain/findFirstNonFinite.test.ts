import { checkpoint, explain, findFirstNonFinite, grad, type NonFinite, record } from 'tpu-toolkit/autodiff'
import { logSoftmax } from 'tpu-toolkit/numerics'
import * as t from 'tpu-toolkit/tensor'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { keys, loss, probeOp, probeRule, readStep } from '../stateSpaceModel.js'

const bfloat16 = { dtype: 'bfloat16' } as const
const float64 = { dtype: 'float64' } as const
const found = (x: Parameters<typeof findFirstNonFinite>[0]): NonFinite => findFirstNonFinite(x)!

describe('findFirstNonFinite', () => {
  it('is undefined for a clean computation, an infinity that a later operation takes away included', () => {
    expect(findFirstNonFinite(t.exp(record(tensor([1, 2]))))).toBeUndefined()
    const masked = t.where(t.less(record(tensor([1, 2])), 2), tensor(1), -Infinity)
    expect(findFirstNonFinite({ sum: t.sum(t.exp(masked)) })).toBeUndefined()
    expect(findFirstNonFinite([])).toBeUndefined()
  })

  it('0 / 0 in a softmax that is not shifted: both sums were rounded to zero by exp', () => {
    const e = t.exp(
      t.mul(
        record(
          tensor([
            [1, 2],
            [-60, -62],
          ]),
        ),
        4,
      ),
    )
    const event = found(t.div(e, t.sum(e, { axis: 1, keepDims: true })))
    expect(event).toMatchObject({
      op: 'div',
      kind: '0 / 0',
      at: [1, 0],
      dtype: 'float32',
      operands: [[0], [0]],
    })
    expect(event.value).toBe(Number.NaN)
    expect(event.history[0]).toMatchObject({
      op: 'exp',
      operands: [[-240]],
      how: 'rounded to zero',
      at: [1, 0],
    })
    expect(event.history[0]!.exact).toBe(Math.exp(-240))
    expect(event.chain).toEqual([])
  })

  it('log of a zero that was rounded three operations before', () => {
    const z = record(tensor([1, 8], bfloat16))
    const event = found(t.mean(t.log(t.mul(t.sub(1, t.sigmoid(z)), 1))))
    expect(event).toMatchObject({ op: 'log', kind: 'log of zero', at: [1], value: -Infinity })
    expect(event.history.map(({ op, how }) => [op, how])).toEqual([
      ['mul', 'passed'],
      ['sub', 'cancelled'],
      ['sigmoid', 'rounded'],
      ['input', 'passed'],
    ])
    expect(event.history[2]).toMatchObject({ value: 1, operands: [[8]], exact: 1 / (1 + Math.exp(-8)) })
    expect(event.chain.map(({ op, value }) => [op, value])).toEqual([['mean', -Infinity]])
  })

  it('an overflow three layers up, and where Inf became NaN on the way', () => {
    const x = record(tensor([[3, 300]], bfloat16))
    const layer = (v: Tensor): Tensor => t.square(t.square(t.square(v)))
    const h = t.mul(layer(x), 1e19)
    const event = found(
      t.sum(
        t.sub(
          t.matmul(
            h,
            tensor(
              [
                [1, 0],
                [1, 0],
              ],
              bfloat16,
            ),
          ),
          5,
        ),
      ),
    )
    expect(event).toMatchObject({ op: 'mul', kind: 'overflow', at: [0, 1], value: Infinity })
    expect(event.largest).toBe(3.3895313892515355e38)
    expect(event.exact).toBeGreaterThan(event.largest)
    expect(event.history.map(({ op }) => op)).toEqual(['square', 'square', 'square', 'input'])
    expect(event.chain.map(({ op, kind }) => [op, kind])).toEqual([
      ['matmul', undefined],
      ['sub', undefined],
      ['sum', undefined],
    ])
    const both = found(t.sum(t.matmul(h, tensor([[0], [0]], bfloat16))))
    expect(both.chain[0]).toMatchObject({ op: 'matmul', kind: '0 * Inf', value: Number.NaN })
  })

  it('NaN in the input data, and an infinite constant', () => {
    const event = found({ loss: t.sum(t.mul(record(tensor([1, Number.NaN])), 2)) })
    expect(event).toMatchObject({ op: 'input', kind: 'input', at: [1], output: 'loss', history: [] })
    expect(event.chain.map(({ op }) => op)).toEqual(['mul', 'sum'])
    const constant = found(t.add(record(tensor([1])), tensor([Infinity])))
    expect(constant).toMatchObject({ op: 'add', kind: 'constant', value: Infinity })
    expect(found(t.mul(record(tensor([0])), tensor([Infinity]))).kind).toBe('0 * Inf')
  })

  it('a NaN of the backward pass only: exp, then a mask, and 0 times Inf in the gradient', () => {
    const x = record(tensor([1, 100]))
    const f = (v: Tensor): Tensor => t.sum(t.where(t.less(v, 50), t.exp(v), 0))
    expect(findFirstNonFinite(f(x))).toBeUndefined()
    const event = found(grad(f)(x))
    expect(event).toMatchObject({ op: 'exp', kind: 'overflow', at: [1], operands: [[100]] })
    expect(event.threshold).toBeCloseTo(88.722839, 6)
    expect(event.chain.map(({ op, kind, operands }) => ({ op, kind, operands }))).toEqual([
      { op: 'mul', kind: '0 * Inf', operands: [[0], [Infinity]] },
    ])
    const repaired = (v: Tensor): Tensor => t.sum(t.exp(t.where(t.less(v, 50), v, -Infinity)))
    expect(findFirstNonFinite(grad(repaired)(x))).toBeUndefined()
  })

  it('of several origins the first that ran, whatever the order of the outputs', () => {
    const [a, b] = record([tensor([0]), tensor([0])]) as [Tensor, Tensor]
    const early = t.log(b)
    const late = t.reciprocal(a)
    expect(found([late, early])).toMatchObject({ op: 'log', output: '1' })
    expect(found({ x: t.add(late, early) })).toMatchObject({ op: 'log', output: 'x' })
  })

  it('follows elements through every operation that moves or reduces them', () => {
    const x = record(
      tensor([
        [1, 2, 3],
        [4, 5, 6],
      ]),
    )
    const bad = t.log(t.sub(x, t.where(t.equal(x, 6), x, 0)))
    const through: Readonly<Record<string, (v: Tensor) => Tensor>> = {
      reshape: (v) => t.reshape(v, [3, 2]),
      transpose: (v) => t.transpose(v),
      broadcastTo: (v) => t.broadcastTo(v, [2, 2, 3]),
      flip: (v) => t.flip(v),
      slice: (v) => t.slice(v, [-1, [null, null, -2]]),
      take: (v) => t.take(v, [2, 2], { axis: 1 }),
      concat: (v) => t.concat([v, tensor([[0, 0, 0]])]),
      stack: (v) => t.stack([v, t.mul(x, 0)], { axis: 1 }),
      triu: (v) => t.triu(v),
      sum: (v) => t.sum(v, { axis: 0 }),
      mean: (v) => t.mean(v),
      min: (v) => t.min(v, { axis: 1 }),
      cumsum: (v) => t.cumsum(v, { axis: 0 }),
      cumprod: (v) => t.cumprod(v, { axis: 1 }),
      matmul: (v) => t.matmul(v, tensor([1, 1, 1])),
      batched: (v) => t.matmul(t.broadcastTo(t.reshape(v, [1, 2, 3]), [2, 2, 3]), tensor([[[1], [1], [1]]])),
      logSoftmax: (v) => logSoftmax(v),
      cast: (v) => t.cast(v, 'float64'),
    }
    for (const [name, f] of Object.entries(through)) {
      const event = findFirstNonFinite(f(bad))
      expect([name, event?.op, event?.at]).toEqual([name, 'log', [1, 2]])
    }
    expect(findFirstNonFinite(t.tril(bad))).toBeUndefined()
    const gathered = found(
      grad((v: Tensor) => t.sum(t.take(t.log(t.take(v, [1, 1])), [0])))(record(tensor([5, 0]))),
    )
    expect(gathered).toMatchObject({ op: 'div', kind: 'division by zero', at: [0] })
  })

  it('takes an operation that it does not know as reading everything', () => {
    const op: t.Op = { name: 'own', kernel: ([v]) => tensor(v!.toNumbers().map(() => Number.NaN)) }
    expect(found(t.apply(op, [record(tensor([1, 2]))], undefined))).toMatchObject({
      op: 'own',
      kind: 'operation',
    })
    const after = t.apply(op, [t.log(record(tensor([1, 0])))], undefined)
    expect(found(after)).toMatchObject({ op: 'log', at: [1] })
    const inside = checkpoint((v: Tensor) => t.log(v))(record(tensor([0])))
    expect(found(inside)).toMatchObject({ op: 'checkpoint' })
  })

  it.each<[string, () => Tensor, string]>([
    ['division by zero', () => t.div(record(tensor([1])), 0), 'division by zero'],
    ['reciprocal of zero', () => t.reciprocal(record(tensor([0]))), 'division by zero'],
    ['rsqrt of zero', () => t.rsqrt(record(tensor([0]))), 'division by zero'],
    ['rsqrt of a negative', () => t.rsqrt(record(tensor([-1]))), 'outside the domain'],
    ['sqrt of a negative', () => t.sqrt(record(tensor([-1]))), 'outside the domain'],
    ['log of a negative', () => t.log(record(tensor([-1]))), 'outside the domain'],
    ['log1p of -1', () => t.log1p(record(tensor([-1]))), 'log of zero'],
    ['pow of zero', () => t.pow(record(tensor([0])), -1), 'division by zero'],
    ['pow of a negative', () => t.pow(record(tensor([-2])), 0.5), 'outside the domain'],
    ['sum past the largest', () => t.sum(record(tensor([3e38, 3e38]))), 'overflow'],
    ['cumsum past the largest', () => t.cumsum(record(tensor([3e38, 3e38]))), 'overflow'],
    ['matmul past the largest', () => t.matmul(record(tensor([2e38, 2e38])), tensor([1, 1])), 'overflow'],
    ['cast past the largest', () => t.cast(record(tensor([1e39], float64)), 'float32'), 'overflow'],
    [
      'a format that overflows to NaN',
      () => t.mul(record(tensor([400], { dtype: 'float8_e4m3fn' })), 2),
      'overflow',
    ],
    ['float64 past its end', () => t.mul(record(tensor([1e300], float64)), 1e300), 'overflow'],
    ['Inf - Inf', () => t.sub(record(tensor([1])), tensor([Infinity])), 'constant'],
  ])('%s', (_, run, kind) => {
    expect(found(run()).kind).toBe(kind)
  })

  it('names Inf - Inf and Inf / Inf where they arise on the way', () => {
    const huge = t.exp(record(tensor([200])))
    expect(found(t.sub(huge, huge)).chain[0]!.kind).toBe('Inf - Inf')
    expect(found(t.div(huge, huge)).chain[0]!.kind).toBe('Inf / Inf')
    expect(found(t.sum(t.concat([huge, t.neg(huge)]))).chain.at(-1)!.kind).toBe('Inf - Inf')
  })

  it('finds the exponent of the recorded NaN step of the state-space model, forward and backward', () => {
    const step = readStep('nanstep')
    const rules = new Map([[probeOp, probeRule(new Map())]])
    const gradients = grad((params: typeof step.params) => loss(params, step), { rules })(record(step.params))
    const event = found(gradients)
    const forward = found(loss(record(step.params), step))
    for (const one of [event, forward]) {
      expect(one).toMatchObject({
        op: 'exp',
        kind: 'overflow',
        dtype: 'bfloat16',
        at: [0],
        operands: [[113]],
      })
      expect(one.threshold).toBeCloseTo(88.72, 2)
      const born = one.chain.find(({ kind }) => kind !== undefined)!
      expect(born).toMatchObject({ op: 'matmul', kind: '0 * Inf', operands: [[Infinity], [0]] })
    }
    for (const key of keys) expect(gradients[key].item()).toBe(Number.NaN)
    // The exponent is (A cs + m) with cs at the end 32: the sum that had stalled at 16.
    expect(forward.history.find(({ op }) => op === 'mul')).toMatchObject({
      operands: [[-7.21875], [32]],
      value: -231,
    })
  })

  it('says when nothing was recorded', () => {
    expect(() => findFirstNonFinite({ a: tensor([Number.NaN]) })).toThrow(
      new RangeError('findFirstNonFinite: nothing was recorded, compute from record(...) [a]'),
    )
    expect(() => findFirstNonFinite(null as never)).toThrow(
      new TypeError('findFirstNonFinite: not a leaf, array or plain object at the root [null]'),
    )
  })
})

describe('explain', () => {
  it('says what happened, where it came from and how it reached the output', () => {
    const z = record(tensor([1, 8], bfloat16))
    expect(explain(found({ loss: t.mean(t.log(t.sub(1, t.sigmoid(z)))) }))).toBe(
      [
        'log(0) = -Infinity at [1] of bfloat16 [2], node 3 of 5: log of zero',
        '',
        'Where the operand came from, backwards:',
        '  2: sub(1, 1) = 0, cancelled',
        '  1: sigmoid(8) = 1, rounded from 0.999665',
        '  0: input = 8',
        '',
        'How it reached the output:',
        '  4: mean([-1.3125 -Infinity]) = -Infinity',
        '',
        'Seen in output loss.',
      ].join('\n'),
    )
  })

  it('gives the limit of an overflow, and shortens long lists and long ways', () => {
    const x = record(tensor(Float32Array.from({ length: 100 }, (_, i) => i)))
    let y: Tensor = t.exp(x)
    for (let i = 0; i < 20; i++) y = t.mul(y, 1)
    const lines = explain(found(t.sum(y))).split('\n')
    expect(lines[0]).toBe(
      'exp(89) = Infinity at [89] of float32 [100], node 1 of 23: overflow, the largest float32 is 3.40282e+38, which exp passes at 88.7228',
    )
    expect(lines).toContain('  ... 9 more operations')
    expect(lines.at(-3)).toContain('and 92 more')
    const square = explain(found(t.square(record(tensor([1e30])))))
    expect(square).toContain('the largest float32 is 3.40282e+38, the exact result 1e+60')
    const constant = explain(found(t.add(record(tensor([1])), tensor([Infinity]))))
    expect(constant).toContain('node 1 of 2: an operand that was not computed is not finite')
    expect(explain(found(record(tensor([Infinity]))))).toBe(
      'input = Infinity at [0] of float32 [1]: it was there from the beginning\n\nSeen in the output.',
    )
  })
})
