import { add, atanh, div, exp, log, matmul, mul, ones, sub, sum, type Tensor, tensor } from 'tpu-toolkit'
import { type Real, shadow, tune } from 'tpu-toolkit/precision'
import { apply, type Op } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const ratio = (x: Tensor): Tensor => log(div(add(1, x), sub(1, x)))

describe('shadow, the reference that chooses itself', () => {
  it('takes real numbers where float64 loses the result, and says so', () => {
    const run = shadow(ratio, tensor(1e-20))
    expect(run.reference).toBe('real')
    expect(run.clean).toBe(false)
    expect(run.outputs()[0]!.max).toBeGreaterThan(28)
    expect(run.doubt).toMatchObject({ output: '', element: 0 })
    expect(String(run).split('\n')[0]).toMatch(
      /^4 operations beside real, as float64 may itself be off by \d+\.\d bits in element 0 of the output$/,
    )
    const asked = shadow(ratio, tensor(1e-20), { reference: 'float64' })
    expect(asked.clean).toBe(true)
    expect(asked.doubt).toBeUndefined()
  })

  it('stays with float64 where its own bound vouches for it', () => {
    const run = shadow(ratio, tensor(0.5))
    expect(run.reference).toBe('float64')
    expect(run.doubt).toBeUndefined()
    expect(String(run).split('\n')[0]).toBe('4 operations beside float64')
    const product = shadow(([a, b]) => matmul(a!, b!), [ones([8, 8]), mul(ones([8, 8]), 0.1)])
    expect(product.reference).toBe('float64')
  })

  it('has real numbers confirm what float64 finds exact', () => {
    // Both the result and float64 say 1; the output is off by 2^-43 of its steps.
    const run = shadow((x) => add(1, x), tensor(1e-20))
    expect(run.reference).toBe('float64')
    expect(run.clean).toBe(false)
    expect(shadow((x) => add(1, exp(x)), tensor(0)).clean).toBe(true)
    expect(shadow((x) => mul(x, x), tensor(3)).clean).toBe(true)
  })

  it('says what to doubt where real numbers take too long', () => {
    const x = mul(ones([20000]), 1e-20)
    const run = shadow((v) => sum(ratio(v)), x, { check: false })
    expect(run.reference).toBe('float64')
    expect(run.doubt!.seconds).toBeGreaterThan(1.5)
    expect(String(run).split('\n')[0]).toMatch(
      /beside float64, which may itself be off by .* in element 0 of the output: \{ reference: 'real' \} takes some \d/,
    )
  })

  it('doubts what it knows no rule of: real numbers run beside all but that, and the report names it', () => {
    const own: Op = { name: 'own', form: 'elementwise', kernel: ([x]) => atanh(x!) }
    // float64 loses 1 + x - 1 on the way to the operation of one's own.
    const f = (x: Tensor): Tensor => apply(own, [sub(add(1, x), 1)], undefined)
    const run = shadow(f, tensor(1e-20))
    expect(run).toMatchObject({ reference: 'real', doubt: { bits: Infinity, withoutRule: ['own'] } })
    expect(run.outputs()[0]!.max).toBeGreaterThan(24)
    expect(String(run).split('\n')[0]).toBe(
      '3 operations beside real, as float64 says nothing sure of element 0 of the output; own without a rule on real numbers: in float64',
    )
    const rules = new Map([[own, (x: Real) => x]])
    expect(shadow(f, tensor(1e-20), { rules }).doubt).toMatchObject({ withoutRule: [] })
    const far = shadow((x) => sum(apply(own, [ratio(x)], undefined)), mul(ones([20000]), 1e-20), {
      check: false,
    })
    expect(far).toMatchObject({ reference: 'float64', doubt: { withoutRule: ['own'] } })
    expect(
      tune((x: Tensor) => apply(own, [x], undefined), tensor(0.5, { dtype: 'bfloat16' }), {
        target: { maxBits: 1 },
      }),
    ).toMatchObject({
      reference: 'real',
      doubt: { withoutRule: ['own'] },
    })
  })

  it('tune chooses alike', () => {
    const f = (x: Tensor): Tensor => sub(exp(x), 1)
    const x = tensor(1e-20, { dtype: 'bfloat16' })
    expect(tune(f, x, { target: { maxRelative: 0.1 } })).toMatchObject({ reference: 'real', met: false })
    expect(tune(f, x, { target: { maxRelative: 0.1 }, reference: 'float64' })).toMatchObject({ met: true })
    expect(tune(f, tensor(1, { dtype: 'bfloat16' }), { target: { maxBits: 1 } }).reference).toBe('float64')
  })
})
