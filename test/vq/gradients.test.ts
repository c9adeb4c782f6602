import { readFileSync } from 'node:fs'
import { grad, stopGradient, valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { add, cast, mul, sub, sum, type Tensor, take, tensor, zeros } from 'tpu-toolkit/tensor'
import {
  assign,
  bitsAccounting,
  codebookLoss,
  codebookUsage,
  commitmentLoss,
  quantizeVectors,
  rotationTrick,
  straightThrough,
} from 'tpu-toolkit/vq'
import { describe, expect, it } from 'vitest'
import { float64Of, relativeGap, VqKeys } from '../support/vqKeys.js'

const keys = new VqKeys('gradients')
const wide = (name: string): Tensor<'float64'> => cast(keys.floats(name), 'float64')
const [x, codebook, upstream] = [wide('x'), wide('codebook'), wide('upstream')]
const near = (a: Tensor, name: string) => expect(relativeGap(a, keys.floats(name))).toBeLessThanOrEqual(1e-12)
const { beta, commitment, codebookLoss: codebookValue } = keys.facts as Record<string, number>

describe('gradients, the keys', () => {
  const { codes, chosen } = quantizeVectors(x, codebook, { gradient: 'none' })

  it('assign and take: the codes', () => {
    expect(Array.from(codes.data)).toEqual(keys.whole('codes'))
  })

  it('commitmentLoss: value and gradient', () => {
    const [value, g] = valueAndGrad((rows: Tensor<'float64'>) =>
      commitmentLoss(rows, chosen, { beta: beta! }),
    )(x)
    expect(Math.abs(value.item() - float64Of(commitment))).toBeLessThanOrEqual(1e-12)
    near(g, 'commitment_grad_x')
  })

  it('codebookLoss: value, and the gradient of the codebook through its rows', () => {
    const loss = (c: Tensor<'float64'>) => codebookLoss(x, take(c, codes, { axis: 0 }))
    const [value, g] = valueAndGrad(loss)(codebook)
    expect(Math.abs(value.item() - float64Of(codebookValue))).toBeLessThanOrEqual(1e-12)
    near(g, 'codebook_grad')
    const through = grad((c: Tensor<'float64'>) => codebookLoss(x, quantizeVectors(x, c).chosen))(codebook)
    near(through, 'codebook_grad')
  })

  it('straightThrough: the code bit for bit, the gradient as it comes', () => {
    const y = straightThrough(x, chosen)
    expect(y.toBits()).toEqual(chosen.toBits())
    near(
      grad((rows: Tensor<'float64'>) => sum(mul(straightThrough(rows, chosen), upstream)))(x),
      'straight_through_grad_x',
    )
  })

  it('rotationTrick: the code up to rounding, the gradient turned', () => {
    near(rotationTrick(x, chosen), 'rotation_output')
    const f = (rows: Tensor<'float64'>) =>
      sum(mul(quantizeVectors(rows, codebook, { gradient: 'rotation' }).quantized, upstream))
    near(grad(f)(x), 'rotation_grad_x')
  })
})

describe('straightThrough', () => {
  it('is the code where x + stopGradient(code - x) is not, in one of four elements of float32', () => {
    const [rows, table] = [keys.floats('x'), keys.floats('codebook')] as Tensor<'float32'>[]
    const { chosen } = quantizeVectors(rows!, table!)
    const written = add(rows!, stopGradient(sub(chosen, rows!)))
    const off = Array.from(written.data).filter((value, i) => value !== chosen.data[i]).length
    expect(off / chosen.size).toBeGreaterThan(0.15)
    expect(straightThrough(rows!, chosen).data).toEqual(chosen.data)
  })

  it.each([
    [
      'other shapes',
      () => straightThrough(zeros([2]), zeros([3])),
      'straightThrough: shapes differ [2] and [3]',
    ],
    [
      'other dtypes',
      () => commitmentLoss(zeros([2]), zeros([2], { dtype: 'bfloat16' }) as never),
      'commitmentLoss: dtypes differ, cast one of them [float32 and bfloat16]',
    ],
    [
      'one number',
      () => rotationTrick(tensor(1), tensor(1)),
      'rotationTrick: one number has no direction [float32]',
    ],
  ])('refuses %s', (_, call, message) => {
    expect(call).toThrow(message)
  })
})

describe('rotationTrick', () => {
  it('is s x for a code of 0, and the code where it points the other way', () => {
    expect(
      rotationTrick(tensor([[3, 4]]), tensor([[0, 0]]))
        .toNumbers()
        .every((value) => value === 0),
    ).toBe(true)
    expect(rotationTrick(tensor([[0, 0]]), tensor([[3, 4]])).toNested()).toEqual([[0, 0]])
    expect(rotationTrick(tensor([[2, 0]]), tensor([[-1, 0]])).toNested()).toEqual([[-1, 0]])
  })
})

describe('quantizeVectors, compiled', () => {
  it('gives the bits of the eager call, loss and gradient', () => {
    const loss = (rows: Tensor<'float32'>, table: Tensor<'float32'>) => {
      const { quantized, chosen } = quantizeVectors(rows, table)
      return add(
        sum(mul(quantized, quantized)),
        add(commitmentLoss(rows, chosen), codebookLoss(rows, chosen)),
      )
    }
    const f = (rows: Tensor<'float32'>, table: Tensor<'float32'>) => valueAndGrad(loss)(rows, table)
    const program = compile(f)
    const [a, b] = [keys.floats('x'), keys.floats('codebook')] as [Tensor<'float32'>, Tensor<'float32'>]
    for (const rows of [a, mul(a, -1)]) {
      const [value, g] = f(rows, b)
      const [other, h] = program(rows, b)
      expect(other.toBits()).toEqual(value.toBits())
      expect(h.toBits()).toEqual(g.toBits())
    }
    expect(assign(a, b).dtype).toBe('int32')
  })
})

const metrics = JSON.parse(readFileSync(new URL('../golden/vq/metrics.json', import.meta.url), 'utf8')) as {
  usage: {
    k: number
    codes: number[]
    counts: number[]
    entropyBits: number
    perplexity: number
    used: number
    usage: number
  }[]
  bits: ({ note: string } & Record<string, number>)[]
}

describe('codebookUsage', () => {
  it.each(metrics.usage)('has the counts, entropy and perplexity of the key of $k codes', (one) => {
    const found = codebookUsage(one.codes, one.k)
    expect(Array.from(found.counts)).toEqual(one.counts)
    expect([found.used, found.usage, found.dead]).toEqual([one.used, one.usage, one.k - one.used])
    expect(Math.abs(found.entropyBits - one.entropyBits)).toBeLessThanOrEqual(1e-12)
    expect(Math.abs(found.perplexity - one.perplexity)).toBeLessThanOrEqual(1e-12 * one.perplexity)
  })

  it('of k equal counts is k', () => {
    expect(
      codebookUsage(
        Array.from({ length: 96 }, (_, i) => i % 32),
        32,
      ).perplexity,
    ).toBe(32)
    expect(() => codebookUsage([4], 4)).toThrow('codebookUsage: a code outside a codebook of 4 [4]')
  })
})

describe('bitsAccounting', () => {
  it.each(metrics.bits)('has the bits of the key: $note', (one) => {
    const { values, dim, codebookSize, entryBits, codebooks, valuesPerTable } = one as unknown as Record<
      string,
      number
    >
    const found = bitsAccounting({
      values: values!,
      dim: dim!,
      codebookSize: codebookSize!,
      entryBits: entryBits!,
      codebooks: codebooks!,
      valuesPerTable: valuesPerTable ?? null,
    })
    for (const [name, value] of Object.entries(found)) expect(`${name} ${value}`).toBe(`${name} ${one[name]}`)
  })
})
