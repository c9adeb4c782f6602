import { checkInteger, checkName } from '../../../base/options/index.js'
import { blockScaledMatmul } from '../../../models/kernels/index.js'
import { key, normal } from '../../../tensors/random/index.js'
import { abs, cast, type FloatDType, type Tensor } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The product; `dtype` is that of the operands before they become fp8. */
export interface Fp8SumsShortOptions extends DTypeOption {
  /** How much of k is added before it goes into a float32 total. Default: all 4096. */
  readonly block?: number
  /** The GPU whose matrix unit adds the products, or float32 sums. Default: 'h100'. */
  readonly adder?: FailingUnit | 'float32'
  /** Operands of one sign, or of both. Default: 'one'. */
  readonly signs?: 'one' | 'both'
}

const [rows, k] = [4, 4096]

/** Units that take e4m3 into float32. */
type FailingUnit = 'ada' | 'h100' | 'b200'
const adders: readonly (FailingUnit | 'float32')[] = ['ada', 'h100', 'b200', 'float32']

/**
 * fp8 products added as an H100 adds them, in 14 bits: sums over a long k come out too small.
 *
 * Readings  `worst`, the largest of 16 errors relative to the sum of magnitudes, against the same fp8 operands added in float32;
 *           `low`, results that are too small in magnitude; `errors` by k. The stable twin promotes every 128.
 *
 * @example fp8SumsShort.run().naive.low // 16
 */
export const fp8SumsShort: Failure<Fp8SumsShortOptions> = failure<Fp8SumsShortOptions>({
  id: 'fp8-sums-short',
  title: 'Sums of fp8 products on an H100 lose several percent, all to one side',
  story:
    'Tensor cores of Ada and Hopper add fp8 products in fewer bits than float32 has: terms are cut 13 bits below the largest, sums to 14 bits, and nothing is rounded. This run has the bits of the hardware, as it was measured. A sum of 4096 products of one sign is thousands of times larger than each of them, so that their lower half falls away every time, and always downward. The noise of the fp8 operands averages out over k; this does not. Adding short stretches and promoting each to a float32 total bounds the loss to that of one stretch.',
  source: 'https://arxiv.org/abs/2412.19437',
  reported:
    'DeepSeek-V3, 3.3.2: the accumulation of fp8 products on H800 keeps around 14 bits, for k = 4096 the largest relative error is near 2 %; partial sums are therefore promoted to float32 registers every 128 elements.',
  repairs: [
    { change: 'promoted every 128', options: { block: 128 } },
    { change: 'a B200, which keeps 25 bits', options: { adder: 'b200' } },
    { change: 'float32 sums', options: { adder: 'float32' } },
    { change: 'operands of both signs', options: { signs: 'both' } },
  ],
  cure: {
    none: 'the adder is inside one operation, blockScaledMatmul, whose options take it out: for the doctor it is one step.',
  },
  options: { dtype: 'optional', block: 'optional', adder: 'optional', signs: 'optional' },
  run({ dtype = 'bfloat16', block = k, adder = 'h100', signs = 'one' }) {
    checkInteger(this.id, 'block', block, 1, k)
    checkName(this.id, 'adder', adder, adders)
    checkName(this.id, 'signs', signs, ['one', 'both'])
    const readings = (length: number, of: number, how: typeof adder) => {
      const [x, w] = operands(length, signs, dtype)
      const made = { block: of, dtype: 'float32' } as const
      const sums = blockScaledMatmul(x, w, { ...made, ...unitOf(how) }).toNumbers()
      const exact = blockScaledMatmul(x, w, made).toNumbers()
      const whole = blockScaledMatmul(abs(x), abs(w), made).toNumbers()
      const errors = Array.from(sums, (y, i) => Math.abs(y - exact[i]!) / whole[i]!)
      const low = exact.filter((y, i) => Math.abs(sums[i]!) < Math.abs(y)).length
      return { worst: Math.max(...errors), low }
    }
    const lengths = [128, 256, 512, 1024, 2048, 4096]
    const curve = (of: number, how: typeof adder) =>
      lengths.map((x) => ({ x, y: readings(x, Math.min(of, x), how).worst }))
    const made = curve(block, adder)
    const promoted = curve(128, 'h100')
    const naive = { ...readings(k, block, adder), errors: made.map(({ y }) => y) }
    const stable = { ...readings(k, 128, 'h100'), errors: promoted.map(({ y }) => y) }
    const holds = naive.worst >= 0.01
    const off = `Over k = ${say(k)} the largest error is ${say(100 * naive.worst)} %`
    return {
      naive,
      stable,
      holds,
      text: holds
        ? `${off}, and ${say(naive.low)} of ${rows * rows} results are too small; promoted every 128 it is ${say(100 * stable.worst)} %.`
        : `${off}, less than fp8 operands are off themselves.`,
      figure: {
        caption:
          'The largest error of the sums relative to the sum of magnitudes, by k; operands are the same fp8 numbers.',
        axes: [{ label: 'k', scale: 'log2' }, 'relative error'],
        series: [blue('promoted every 128', promoted), red(`block ${block}, adder ${adder}`, made)],
      },
    }
  },
})

/** The option that names a unit; none for float32 sums. */
const unitOf = (adder: FailingUnit | 'float32'): { unit?: FailingUnit } =>
  adder === 'float32' ? {} : { unit: adder }

function operands(
  length: number,
  signs: string,
  dtype: FloatDType,
): [Tensor<FloatDType>, Tensor<FloatDType>] {
  const drawn = [normal(key(26), [rows, length]), normal(key(27), [length, rows])] as const
  const [x, w] = drawn.map((of) => cast(signs === 'one' ? abs(of) : of, dtype))
  return [x!, w!]
}
