import { checkGrads, grad, jvp, vmap } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import {
  type AttentionOptions,
  attention,
  attentionGrad,
  causalMask,
  type FlashOptions,
  flashAttention,
} from 'tpu-toolkit/kernels'
import { certify } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import {
  abs,
  add,
  cast,
  type FloatDType,
  fromBits,
  max,
  mul,
  reshape,
  slice,
  stack,
  sub,
  sum,
  type Tensor,
  take,
  tensor,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { difference } from '../compile/difference.js'
import { Columns } from '../support/columns.js'

const drawn = <D extends FloatDType = 'float32'>(seed: number, shape: number[], dtype?: D): Tensor<D> =>
  cast(normal(key(seed), shape), dtype ?? ('float32' as D))
/** Two examples of four heads, two of them of keys. */
const [q, k, v] = [drawn(1, [2, 4, 5, 3]), drawn(2, [2, 2, 6, 3]), drawn(3, [2, 2, 6, 2])]
const ids = (rows: number[][]): Tensor<'int32'> => tensor(rows, { dtype: 'int32' })
const segments = {
  q: ids([
    [0, 0, 1, 1, 1],
    [0, 1, 1, 2, 2],
  ]),
  kv: ids([
    [0, 0, 0, 1, 1, 1],
    [0, 1, 1, 1, 2, 2],
  ]),
}
const bits = (seed: number, shape: number[]): Tensor<'bool'> =>
  tensor(
    [...normal(key(seed), shape).toNumbers()].map((x) => x > -0.5),
    { shape, dtype: 'bool' },
  )
/** Slopes of ALiBi times distances, and T5's table of distances for every head. */
const alibi = tensor(
  Array.from({ length: 4 * 5 * 6 }, (_, e) => {
    const [head, i, j] = [Math.floor(e / 30), Math.floor(e / 6) % 5, e % 6]
    return -(2 ** (-2 * (head + 1))) * Math.abs(i - j)
  }),
  { shape: [4, 5, 6] },
)
const distance = tensor(
  Array.from({ length: 30 }, (_, e) => Math.floor(e / 6) - (e % 6) + 5),
  { shape: [5, 6], dtype: 'int32' },
)
const t5 = (table: Tensor): Tensor => take(table, distance, { axis: 1 })
const sinks = tensor([0.5, -1, 2, 0])

const cases: Readonly<Record<string, AttentionOptions>> = {
  'segments of every example': { segments },
  'segments and a causal mask': { segments, mask: causalMask() },
  'a mask of every example': { mask: bits(4, [2, 1, 5, 6]) },
  'a mask of every head': { mask: bits(5, [2, 4, 5, 6]) },
  'lengths of every example': { lengths: { q: [3, 5], kv: [6, 2] } },
  'a length for all': { lengths: { kv: 4 }, mask: causalMask({ offset: 1 }) },
  ALiBi: { bias: alibi },
  'a table of distances': { bias: t5(drawn(6, [4, 10])), softCap: 3 },
  sinks: { sinks },
  'all of them': { segments, lengths: { kv: [5, 6] }, bias: alibi, sinks, mask: causalMask({ offset: 2 }) },
}

type Numbers = number[][][][]

/** Attention written out, one number after the other; also of a row without a pair, as `form` has it. */
function plain(options: AttentionOptions): number[] {
  const {
    segments: seg,
    lengths,
    bias,
    sinks: own,
    mask,
    softCap = Infinity,
    scale = 1 / Math.sqrt(3),
  } = options
  const [a, b, c] = [q, k, v].map((x) => x.toNested()) as [Numbers, Numbers, Numbers]
  const at = (x: Tensor, n: number, h: number, i: number, j: number): number => {
    const from = [n, h, i, j].slice(4 - x.rank).map((place, axis) => (x.shape[axis] === 1 ? 0 : place))
    return from.reduce((rest, place) => (rest as unknown[])[place], x.toNested() as unknown) as number
  }
  const length = (given: unknown, n: number): number =>
    typeof given === 'number' ? given : given === undefined ? Infinity : (given as number[])[n]!
  const result: number[] = []
  for (const [n, heads] of a.entries()) {
    for (const [h, rows] of heads.entries()) {
      for (const [i, row] of rows.entries()) {
        const weights = b[n]![Math.floor(h / 2)]!.map((column, j) => {
          const isIn =
            (!seg ||
              (seg.q as Tensor).toNested()[n as never]![i] ===
                (seg.kv as Tensor).toNested()[n as never]![j]) &&
            (!mask ||
              ('kind' in mask ? (mask as { offset: number }).offset + i >= j : at(mask, n, h, i, j))) &&
            i < length(lengths?.q, n) &&
            j < length(lengths?.kv, n)
          const logit = row.reduce((total, x, e) => total + x * column[e]!, 0) * scale
          const capped = softCap === Infinity ? logit : Math.tanh(logit / softCap) * softCap
          return isIn ? Math.exp(capped + (bias ? at(bias, n, h, i, j) : 0)) : 0
        })
        const total = weights.reduce((x, y) => x + y, 0) + (own ? Math.exp(own.toNumbers()[h]!) : 0)
        const value = c[n]![Math.floor(h / 2)]!
        for (let e = 0; e < 2; e++) {
          const out = weights.reduce((x, w, j) => x + w * value[j]![e]!, 0)
          result.push(total === 0 ? 0 : out / total)
        }
      }
    }
  }
  return result
}

function expectNear(x: Tensor, wanted: readonly number[], most: number): void {
  for (const [i, y] of x.toNumbers().entries()) expect(Math.abs(y - wanted[i]!)).toBeLessThanOrEqual(most)
}

const wide = (options: AttentionOptions): AttentionOptions => ({
  ...options,
  ...(options.bias && { bias: cast(options.bias, 'float64') }),
})
const forms: readonly FlashOptions[] = [
  { blockQ: 2, blockK: 4 },
  { form: 'splash', blockQ: 4, blockK: 2 },
  { form: 'pallas', blockQ: 2, blockK: 4 },
]

describe.each(Object.entries(cases))('attention with %s', (_, options) => {
  it('attention in float64 is that written out', () => {
    const operands = [q, k, v].map((x) => cast(x, 'float64')) as unknown as [
      Tensor<'float64'>,
      Tensor<'float64'>,
      Tensor<'float64'>,
    ]
    expectNear(attention(...operands, wide(options)).out, plain(options), 2 ** -44)
  })

  it('flashAttention is that written out, in every form; rows without a pair are 0 in flash2', () => {
    const exact = plain(options)
    const flash = flashAttention(q, k, v, { ...options, ...forms[0] }).out
    expectNear(flash, exact, 2 ** -20)
    for (const form of forms.slice(1)) {
      if (form.form === 'pallas' && options.softCap) continue
      const out = flashAttention(q, k, v, { ...options, ...form }).out.toNumbers()
      for (const [i, y] of out.entries()) {
        // What these forms give a row without a pair is an average.
        if (exact[i] !== 0) expect(Math.abs(y - exact[i]!)).toBeLessThanOrEqual(2 ** -20)
      }
    }
    const narrow = [q, k, v].map((x) => cast(x, 'bfloat16')) as unknown as [
      Tensor<'bfloat16'>,
      Tensor<'bfloat16'>,
      Tensor<'bfloat16'>,
    ]
    if (!options.bias) {
      expectNear(flashAttention(...narrow, { ...options, form: 'bfloat16' }).out, exact, 2 ** -4)
    }
  })

  it('the gradient of flashAttention is that of attention, of bias and sinks too, and so is its derivative', () => {
    const g = drawn(7, [2, 4, 5, 2])
    const of =
      (how: 'flash' | 'whole') =>
      ([a, b, c]: readonly Tensor<'float32'>[], bias: Tensor, own: Tensor<'float32'>): Tensor => {
        const all = { ...options, ...(options.bias && { bias }), ...(options.sinks && { sinks: own }) }
        const out =
          how === 'flash'
            ? flashAttention(a!, b!, c!, { ...all, ...forms[0] }).out
            : attention(a!, b!, c!, { ...all, internal: 'float32' }).out
        return sum(mul(out, g))
      }
    const args = [[q, k, v], options.bias ?? alibi, sinks] as const
    const slopes = (how: 'flash' | 'whole'): Tensor[] =>
      (grad(of(how), { argnums: [0, 1, 2] })(...args) as unknown as [Tensor[], Tensor, Tensor]).flat()
    const expected = slopes('whole')
    for (const [n, x] of slopes('flash').entries()) expectNear(x, [...expected[n]!.toNumbers()], 2 ** -18)
    const along = [[q, k, v], alibi, sinks] as const
    const [flash, whole] = (['flash', 'whole'] as const).map((how) => jvp(of(how), args, along)[1].item())
    expect(Math.abs(flash! - whole!)).toBeLessThan(2 ** -16)
  })

  it('certify holds it', () => {
    for (const form of forms) {
      if (form.form === 'pallas' && options.softCap) continue
      const { results, bounds, unknown } = certify(
        ([a, b, c]) =>
          flashAttention(a as typeof q, b as typeof q, c as typeof q, { ...options, ...form }).out,
        [q, k, v] as Tensor[],
        { check: false },
      )
      expect(unknown).toEqual([])
      const [seen, exact, most] = [results[0]!.toNumbers(), plain(options), bounds[0]!.toNumbers()]
      for (const [i, bound] of most.entries()) {
        if (exact[i] !== 0) expect(Math.abs(seen[i]! - exact[i]!)).toBeLessThanOrEqual(bound + 2 ** -44)
      }
      expect(max(abs(bounds[0]!)).item()).toBeLessThan(2 ** -18)
    }
  })
})

describe('bias, mask and lengths against jax.nn.dot_product_attention in float64', () => {
  const golden = new Columns('kernels/attention_operands')
  const shapes = golden.facts['shapes'] as Readonly<Record<string, number[]>>
  const floats = (name: string): Tensor<'float32'> =>
    fromBits(golden.u32(name), { shape: shapes[name]!, dtype: 'float32' })
  const [a, b, c, bias] = [floats('q'), floats('k'), floats('v'), floats('bias')]
  const mask = tensor([...golden.u8('mask')], { shape: shapes['mask']!, dtype: 'bool' })
  const options = { mask, lengths: golden.facts['lengths'] as AttentionOptions['lengths'] & object }

  it.each(['flash2', 'whole'] as const)('%s has its result and its gradients', (form) => {
    const out = (...[x, y, z, w]: readonly (typeof a)[]): Tensor =>
      form === 'whole'
        ? attention(x!, y!, z!, { ...options, bias: w!, internal: 'float32' }).out
        : flashAttention(x!, y!, z!, { ...options, bias: w!, blockQ: 2, blockK: 4 }).out
    const loss = (...all: (typeof a)[]): Tensor => {
      const result = out(...all)
      return sum(mul(result, result))
    }
    // Values and slopes of up to 8; a handful of float32 roundings of each.
    expectNear(out(a, b, c, bias), [...floats('out').toNumbers()], 2 ** -20)
    const slopes = grad(loss, { argnums: [0, 1, 2, 3] })(a, b, c, bias) as unknown as Tensor[]
    for (const [i, name] of ['dq', 'dk', 'dv', 'dbias'].entries()) {
      expectNear(slopes[i]!, [...floats(name).toNumbers()], 2 ** -18)
    }
  })
})

describe('masks, segments and lengths as arguments', () => {
  const one = (x: Tensor, n: number): Tensor => slice(x, [n])
  const whole = { ...forms[0], mask: bits(8, [5, 6]), bias: alibi }
  const f = (
    a: Tensor,
    b: Tensor,
    c: Tensor,
    ids: Tensor<'int32'>,
    keys: Tensor<'int32'>,
    mask: Tensor<'bool'>,
  ): Tensor =>
    flashAttention(a as typeof q, b as typeof q, c as typeof q, {
      ...whole,
      mask,
      segments: { q: ids, kv: keys },
    }).out

  it('compile and vmap take them, with the bits of data', () => {
    const single = (n: number): Tensor[] => [q, k, v, segments.q, segments.kv].map((x) => one(x, n))
    const run = (n: number, mask: Tensor<'bool'>): Tensor => {
      const [a, b, c, x, y] = single(n) as [Tensor, Tensor, Tensor, Tensor<'int32'>, Tensor<'int32'>]
      return f(a, b, c, x, y, mask)
    }
    const [first, second] = [bits(9, [5, 6]), bits(10, [5, 6])]
    const compiled = compile(f)
    const batched = vmap(f)(q, k, v, segments.q, segments.kv, stack([first, second]))
    const given = [run(0, first), run(1, second)]
    for (const n of [0, 1]) {
      const [a, b, c, x, y] = single(n) as [Tensor, Tensor, Tensor, Tensor<'int32'>, Tensor<'int32'>]
      expect(difference([compiled(a, b, c, x, y, [first, second][n]!)], [given[n]!])).toBeUndefined()
      expect(difference([one(batched, n)], [given[n]!])).toBeUndefined()
    }
    // As one call for both examples.
    const both = flashAttention(q, k, v, {
      ...forms[0],
      segments,
      bias: alibi,
      mask: reshape(stack([first, second]), [2, 1, 5, 6]),
    }).out
    expect(difference([both], [stack(given)])).toBeUndefined()
  })

  it('the gradient compiles with segments that are arguments', () => {
    const loss = (a: typeof q, x: Tensor<'int32'>, y: Tensor<'int32'>): Tensor =>
      sum(flashAttention(a, k, v, { segments: { q: x, kv: y }, sinks }).out)
    const slope = (...given: Parameters<typeof loss>): Tensor => grad(loss)(...given)
    const args = [q, segments.q, segments.kv] as const
    expect(difference([compile(slope)(...args)], [slope(...args)])).toBeUndefined()
    const { dq } = attentionGrad(q, k, v, add(mul(drawn(1, [2, 4, 5, 2]), 0), 1), { segments, sinks })
    expect(difference([dq], [slope(...args)])).toBeUndefined()
  })

  it('a bias has gradients by attention too, checked by differences', () => {
    const narrow = (x: Tensor): Tensor<'float64'> => cast(slice(x, [0]), 'float64')
    const f64 = (table: Tensor): Tensor =>
      sum(attention(narrow(q), narrow(k), narrow(v), { bias: t5(table), sinks }).out)
    expect(() => checkGrads(f64, [drawn(9, [4, 10], 'float64')])).not.toThrow()
  })

  it('names what is wrong', () => {
    const wrong: readonly (readonly [FlashOptions, string])[] = [
      [
        { mask: bits(1, [3, 1, 5, 6]) },
        'flashAttention: mask of another shape than the logits [3, 1, 5, 6 and 2, 4, 5, 6]',
      ],
      [{ bias: tensor([1, 2]) }, 'flashAttention: bias of another shape than the logits [2 and 2, 4, 5, 6]'],
      [{ sinks: tensor([1, 2]) }, 'flashAttention: sinks are not one number for each of 4 heads [2]'],
      [{ bias: alibi, exponent: '2' }, 'flashAttention: form flash2 with exponent 2 has no bias ['],
      [{ lengths: { k: 3 } as object }, 'flashAttention: unknown option, there are q, kv [k]'],
      [{ segments: { q: segments.q, kv: tensor([1, 2]) as never } }, 'is no list of whole numbers'],
    ]
    for (const [options, message] of wrong) expect(() => flashAttention(q, k, v, options)).toThrow(message)
  })

  it('max of a row with a NaN is NaN', () => {
    const x = tensor([
      [
        [Number.NaN, 1],
        [1, 2],
      ],
    ])
    for (const form of ['flash2', 'splash', 'pallas'] as const) {
      expect(flashAttention(x, x, x, { form }).max.toNested()).toEqual([[Number.NaN, Number.NaN]])
      expect(flashAttention(sub(x, x), x, x, { form }).max.toNested()).toEqual([[Number.NaN, Number.NaN]])
    }
  })
})
