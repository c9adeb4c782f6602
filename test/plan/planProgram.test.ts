import { chip } from 'tpu-toolkit/hardware'
import { matmulPadding } from 'tpu-toolkit/mxu'
import { type ProgramOperation, type ProgramProduct, planProgram } from 'tpu-toolkit/plan'
import { describe, expect, it } from 'vitest'

const dot = (sizes: Partial<ProgramProduct> = {}, runs = 1): ProgramOperation => {
  const product: ProgramProduct = {
    ...{ batch: 1, m: 512, k: 512, n: 512, dtype: 'bfloat16', passes: 1, split: null },
    ...sizes,
  }
  const { batch, m, k, n } = product
  const bytes = 2 * batch * (m * k + k * n + m * n)
  return { kind: 'dot_general', site: 'train.py:12', runs, flops: 2 * batch * m * k * n, bytes, product }
}

describe('planProgram', () => {
  it('is the roofline of the chip: products at the peak, bytes at the rate of the HBM', () => {
    const v5p = chip('v5p')
    const add = { kind: 'add', site: null, runs: 3, flops: 1000, bytes: 6000 }
    const plan = planProgram([dot({}, 5), add], { chip: 'v5p', heldBytes: 1e6 })
    expect(plan.flops).toBe(5 * 2 * 512 ** 3 + 3000)
    expect(plan.productFlops).toBe(5 * 2 * 512 ** 3)
    expect(plan.seconds.compute).toBeCloseTo((5 * 2 * 512 ** 3) / v5p.bfloat16FlopsPerSecond, 15)
    expect(plan.seconds.held).toBe(1e6 / v5p.hbmBytesPerSecond)
    expect(plan.bytes).toBe(5 * 3 * 2 * 512 ** 2 + 18000)
    expect(plan.lowerBoundSeconds).toBe(Math.max(plan.seconds.compute, plan.seconds.held))
    expect(plan.audit).toEqual([])
    expect(plan.seconds.padded).toBe(plan.seconds.split)
  })

  it('a device of tpu7x is half a chip', () => {
    const whole = planProgram([dot()], { chip: 'v6e', heldBytes: 1e6 })
    const half = planProgram([dot()], { chip: 'tpu7x', heldBytes: 1e6 })
    const [v6e, tpu7x] = [chip('v6e'), chip('tpu7x')]
    const ratio = (2 * v6e.bfloat16FlopsPerSecond) / tpu7x.bfloat16FlopsPerSecond
    expect(half.seconds.compute / whole.seconds.compute).toBeCloseTo(ratio, 10)
    expect(half.seconds.held).toBeCloseTo((2 * 1e6) / tpu7x.hbmBytesPerSecond, 15)
  })

  it('takes float32 in as many passes as asked, int8 and float8 at their rates, bfloat16 where there is none', () => {
    const seconds = (sizes: Partial<ProgramProduct>, name: 'v5p' | 'v4' = 'v5p') =>
      planProgram([dot(sizes)], { chip: name }).seconds.compute
    const one = seconds({})
    expect(seconds({ passes: 3 }) / one).toBeCloseTo(3, 10)
    expect(seconds({ passes: 6 }) / one).toBeCloseTo(6, 10)
    expect(seconds({ dtype: 'int8' }) / one).toBeCloseTo(0.5, 10)
    expect(seconds({ dtype: 'float8_e5m2' }, 'v4')).toBe(seconds({}, 'v4'))
    expect(planProgram([dot({ dtype: 'float8_e5m2' })], { chip: 'v4' }).assumptions.at(-1)).toBe(
      'v4 has no published rate in float8_e5m2: at the rate of bfloat16',
    )
  })

  it('pads the sizes that a device has, whichever way round pads less', () => {
    const split = { batch: 1, m: 1, k: 1, n: 8 }
    const { products, audit } = planProgram([dot({ split })], { chip: 'v5p', devices: 8 })
    expect(products[0]?.local).toEqual({ batch: 1, m: 512, k: 512, n: 64 })
    expect(matmulPadding({ m: 512, k: 512, n: 64 }).utilisation).toBe(0.5)
    expect([products[0]?.utilisation, audit]).toEqual([1, []])
    const narrow = planProgram([dot({ k: 96, n: 200 })], { chip: 'v5p' })
    expect(narrow.products[0]?.padded).toEqual([512, 128, 200])
    expect(narrow.audit).toEqual([
      {
        site: 'train.py:12',
        what: '512x96x200, run once',
        evidence: 'k of 96 is padded to 128: 25 % of the multiplications are padding',
        remedy: 'k of 128 would take the same time',
        seconds: narrow.seconds.padded - narrow.seconds.split,
      },
    ])
    expect(narrow.seconds.split / narrow.seconds.padded).toBeCloseTo(0.75, 12)
  })

  it('adds up the runs of one line and size, keeps dtypes apart, and puts most work first', () => {
    const { products } = planProgram([dot({ m: 8 }), dot(), dot({}, 2), dot({ dtype: 'int8' })], {
      chip: 'v5e',
    })
    expect(products.map(({ m, runs, dtype }) => [m, runs, dtype])).toEqual([
      [512, 3, 'bfloat16'],
      [512, 1, 'int8'],
      [8, 1, 'bfloat16'],
    ])
  })

  it('where a program does not say how it is split, each device takes an equal part; no split undercuts the bound', () => {
    const split = { batch: 1, m: 2, k: 1, n: 1 }
    const said = planProgram([dot({ split })], { chip: 'v5p', devices: 8 })
    const unsaid = planProgram([dot()], { chip: 'v5p', devices: 8 })
    expect(unsaid.seconds.split).toBeCloseTo(unsaid.seconds.compute, 20)
    expect(said.seconds.split / said.seconds.compute).toBeCloseTo(4, 10)
    expect(said.lowerBoundSeconds).toBe(unsaid.lowerBoundSeconds)
    expect(unsaid.assumptions.some((text) => text.startsWith('of 1 products the program'))).toBe(true)
  })

  it.each([
    [() => planProgram('x' as never, { chip: 'v5p' }), 'planProgram: operations are not a list [x]'],
    [() => planProgram([], { chip: 'v5p', devices: 0 }), 'planProgram: devices is not a whole number'],
    [() => planProgram([dot({ m: 0 })], { chip: 'v5p' }), 'planProgram: m is not a whole number'],
    [() => planProgram([], { chip: 'v9' as never }), 'unknown chip'],
    [() => planProgram([], { chip: 'v5p', device: 2 } as never), 'did you mean devices'],
  ])('%# refuses what is no program', (run, text) => expect(run).toThrow(text))
})
