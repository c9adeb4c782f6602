import { vjp } from 'tpu-toolkit/autodiff'
import {
  andMask,
  attention,
  attentionGrad,
  causalMask,
  type Delta,
  type FlashOptions,
  flashAttention,
  fullMask,
  type Mask,
  windowMask,
} from 'tpu-toolkit/kernels'
import { cast, fromBits, type Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

const keys = new Columns('kernels/attention_backward')

interface Case {
  readonly case: string
  readonly heads: number
  readonly kvHeads: number
  readonly tq: number
  readonly tk: number
  readonly d: number
  readonly scale: number
  readonly cap?: number
  readonly blockQ: number
  readonly blockK: number
  readonly mask: {
    readonly causal?: boolean
    readonly offset?: number
    readonly window?: readonly [number | null, number | null]
  }
}
const cases = (keys.facts['cases'] as readonly Case[]).map((one) => [one.case, one] as const)

function maskOf({ causal, window, offset = 0 }: Case['mask']): Mask {
  const parts = [
    ...(causal ? [causalMask({ offset })] : []),
    ...(window ? [windowMask({ left: window[0], right: window[1], offset })] : []),
  ]
  return parts.length === 0 ? fullMask() : andMask(...parts)
}

const hex = (bits: Iterable<number | bigint>): string => Array.from(bits, (x) => x.toString(16)).join(' ')
const bits = (x: Tensor): string => hex(x.toBits())

function operands({ case: name, heads, kvHeads, tq, tk, d }: Case): readonly Tensor<'bfloat16'>[] {
  const operand = (which: string, count: number, t: number): Tensor<'bfloat16'> =>
    fromBits(keys.u16(`${name}_${which}`), { shape: [count, t, d], dtype: 'bfloat16' }) as Tensor<'bfloat16'>
  return [
    operand('q', heads, tq),
    operand('k', kvHeads, tk),
    operand('v', kvHeads, tk),
    operand('do', heads, tq),
  ]
}

function optionsOf({ scale, blockQ, blockK, mask, cap }: Case): FlashOptions {
  return { scale, blockQ, blockK, mask: maskOf(mask), ...(cap === undefined ? {} : { softCap: cap }) }
}

describe.each(cases.filter(([, { cap }]) => cap === undefined))('attentionGrad, %s', (name, one) => {
  const [q, k, v, g] = operands(one) as [
    Tensor<'bfloat16'>,
    Tensor<'bfloat16'>,
    Tensor<'bfloat16'>,
    Tensor<'bfloat16'>,
  ]
  const options = optionsOf(one)

  it('the forward pass has the bits of out and lse', () => {
    const { out, logsumexp } = flashAttention(q, k, v, options)
    expect([bits(out), bits(logsumexp)]).toEqual([hex(keys.u16(`${name}_out`)), hex(keys.u32(`${name}_lse`))])
  })

  it.each(['out', 'out32', 'probs'] as const)(
    'attentionGrad has the bits of delta %s, and autodiff the same',
    (delta: Delta) => {
      const expected = [
        hex(keys.u16(`${name}_dq_${delta}`)),
        hex(keys.u16(`${name}_dk_${delta}`)),
        hex(keys.u16(`${name}_dv`)),
      ]
      const { dq, dk, dv, delta: sums } = attentionGrad(q, k, v, g, { ...options, delta })
      expect(bits(sums)).toBe(hex(keys.u32(`${name}_delta_${delta}`)))
      expect([dq, dk, dv].map(bits)).toEqual(expected)
      const [, pull] = vjp(
        (...x: [Tensor<'bfloat16'>, Tensor<'bfloat16'>, Tensor<'bfloat16'>]) =>
          flashAttention(...x, { ...options, delta }).out,
        q,
        k,
        v,
      )
      expect(pull(g).map(bits)).toEqual(expected)
    },
  )
})

describe.each(cases)('attention in float64, %s', (name, one) => {
  const wide = operands(one).map((x) => cast(x, 'float64')) as [Wide, Wide, Wide, Wide]
  const { blockQ: _, blockK: __, ...options } = optionsOf(one)
  const near = (x: Tensor, column: string): number => {
    const reference = new Float64Array(
      keys.u64(`${name}_${column}`).buffer,
      keys.u64(`${name}_${column}`).byteOffset,
      x.size,
    )
    const largest = reference.reduce((most, y) => Math.max(most, Number.isFinite(y) ? Math.abs(y) : 0), 1)
    return x
      .toNumbers()
      .reduce(
        (most, y, i) => Math.max(most, y === reference[i] ? 0 : Math.abs(y - reference[i]!) / largest),
        0,
      )
  }

  it('its output and gradients are those of jax.grad in float64 within 1e-12', () => {
    const [q, k, v, g] = wide
    const { logsumexp } = attention(q, k, v, options)
    const [out, pull] = vjp((...x: [Wide, Wide, Wide]) => attention(...x, options).out, q, k, v)
    const [dq, dk, dv] = pull(g)
    const errors = [
      near(out, 'out_f64'),
      near(logsumexp, 'lse_f64'),
      near(dq, 'dq_f64'),
      near(dk, 'dk_f64'),
      near(dv, 'dv_f64'),
    ]
    // The bound that the issue asks for; the two sum in other orders.
    for (const error of errors) expect(error).toBeLessThanOrEqual(1e-12)
  })
})

type Wide = Tensor<'float64'>
