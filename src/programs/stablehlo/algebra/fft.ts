import {
  apply,
  cast,
  concat,
  flip,
  neg,
  type Op,
  slice,
  stack,
  Tensor,
  zeros,
} from '../../../tensors/tensor/index.js'
import { integers, keyword } from '../values/attributes.js'
import { type Lowering, single } from '../values/lowering.js'
import { Complex, complex, real } from '../values/value.js'
import { fourier } from './fourier.js'

interface Transform {
  /** How many of the last axes. */
  readonly rank: number
  /** From frequencies to values, divided by their number. */
  readonly inverse: boolean
}

/** A Fourier transform over the last axes of complex numbers, their parts along the first: in float64, rounded once. */
const fftOp: Op<Transform> = {
  name: 'fft',
  form: 'whole',
  rounds: 'once',
  kernel: ([x], { rank, inverse }) => {
    const values = x!.toNumbers()
    const half = values.length / 2
    fourier(values.subarray(0, half), values.subarray(half), x!.shape.slice(1), rank, inverse)
    return cast(new Tensor('float64', x!.shape, values), x!.dtype)
  },
  // The transform is a symmetric matrix W: the real map [re, -im; im, re] of it has the transpose of conj(W).
  gradient: ({ g, attributes }) => [conjugated(apply(fftOp, [conjugated(g)], attributes))],
  tangent: ({ tangents: [dx], attributes }) => dx && apply(fftOp, [dx], attributes),
  flops: (_, [shape]) => {
    const n = (shape ?? []).reduce((product, length) => product * length, 1)
    return Math.round(2.5 * n * Math.log2(Math.max(2, n)))
  },
}

/** Stacked complex numbers with their second parts negated. */
function conjugated(x: Tensor): Tensor {
  return stack([slice(x, [0]), neg(slice(x, [1]))])
}

function transformed(x: Complex, rank: number, inverse: boolean): Complex {
  const result = apply(fftOp, [stack([x.re, x.im])], { rank, inverse })
  return new Complex(slice(result, [0]), slice(result, [1]))
}

/** `stablehlo.fft`: FFT, IFFT, RFFT and IRFFT over the last axes. */
export const fft: Lowering = (op) => {
  const lengths = integers(op, 'fft_length')
  const rank = lengths.length
  const type = keyword(op, 'fft_type')
  const last = lengths.at(-1) ?? 1
  switch (type) {
    case 'FFT':
    case 'IFFT':
      return single(([x]) => transformed(complex(x), rank, type === 'IFFT'))
    case 'RFFT':
      return single(([x]) => {
        const values = real(x)
        const all = transformed(
          new Complex(values, zeros(values.shape, { dtype: values.dtype })),
          rank,
          false,
        )
        const kept = Math.floor(last / 2) + 1
        const cut = (part: Tensor): Tensor =>
          slice(part, [...part.shape.slice(0, -1).map(() => null), [0, kept]])
        return new Complex(cut(all.re), cut(all.im))
      })
    case 'IRFFT':
      return single(([x]) => transformed(mirrored(complex(x), lengths), rank, true).re)
    default:
      throw new RangeError(`has no such transform [${type}]`)
  }
}

/** All frequencies of real values, from the first half of them: those of the rest are the conjugates of their opposites. */
function mirrored(x: Complex, lengths: readonly number[]): Complex {
  const last = lengths.at(-1)!
  const rank = x.re.rank
  const outer = lengths.slice(0, -1).map((_, i) => rank - lengths.length + i)
  const kept = Math.floor(last / 2) + 1
  const missing = last - kept
  const lead: readonly null[] = x.shape.slice(0, -1).map(() => null)
  const opposite = (part: Tensor): Tensor => {
    const rest = flip(slice(part, [...lead, [1, missing + 1]]), { axis: -1 })
    return outer.reduce((each, axis) => opposed(each, axis), rest)
  }
  const whole = (part: Tensor, sign: (each: Tensor) => Tensor): Tensor =>
    missing === 0 ? part : concat([part, sign(opposite(part))], { axis: -1 })
  return new Complex(
    whole(x.re, (each) => each),
    whole(x.im, neg),
  )
}

/** Index i of an axis moved to -i. */
function opposed(x: Tensor, axis: number): Tensor {
  const lead = x.shape.slice(0, axis).map(() => null)
  const first = slice(x, [...lead, [0, 1]])
  if (x.shape[axis] === 1) return first
  return concat([first, flip(slice(x, [...lead, [1, null]]), { axis })], { axis })
}
