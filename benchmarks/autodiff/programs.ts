import { stopGradient } from 'tpu-toolkit/autodiff'
import { logAddExp } from 'tpu-toolkit/numerics'
import { seeded } from 'tpu-toolkit/random'
import {
  add,
  cast,
  cumsum,
  exp,
  matmul,
  max,
  mul,
  neg,
  reshape,
  square,
  sub,
  sum,
  type Tensor,
  tanh,
  tensor,
  tril,
} from 'tpu-toolkit/tensor'

/** A scalar function of one tree of parameters, to be run alone and with its gradient. */
export interface Program {
  readonly name: string
  readonly params: { readonly [name: string]: Tensor }
  readonly f: (params: { readonly [name: string]: Tensor }) => Tensor
}

const bfloat16 = { dtype: 'bfloat16' } as const
const random = seeded('gradients.bench')
const draw = (...shape: number[]): Tensor<'bfloat16'> =>
  tensor(
    Float64Array.from({ length: shape.reduce((n, length) => n * length, 1) }, () => random() - 0.5),
    { shape, ...bfloat16 },
  )

/** 64 operations on 16 elements: what an operation costs beside its arithmetic. */
function small(): Program {
  const f: Program['f'] = ({ x }) => {
    let y: Tensor = x!
    for (let i = 0; i < 32; i++) y = mul(tanh(y), 1.25)
    return sum(y, { accumulate: 'float32' })
  }
  return { name: '64 operations on 16 elements', params: { x: draw(16) }, f }
}

/** Arithmetic and functions on long arrays. */
function long(): Program {
  const n = 2 ** 18
  const f: Program['f'] = ({ x, w }) => {
    const y = mul(exp(mul(x!, w!)), add(x!, 1))
    return sum(square(y), { accumulate: 'float32' })
  }
  return { name: `5 operations on ${n} elements`, params: { x: draw(n), w: draw() }, f }
}

/** Two layers of a network. */
function layers(): Program {
  const x = draw(128, 128)
  const f: Program['f'] = ({ first, second, bias }) => {
    const hidden = tanh(add(matmul(x, first!), bias!))
    return sum(square(cast(matmul(hidden, second!), 'float32')))
  }
  const params = { first: draw(128, 128), second: draw(128, 128), bias: draw(128) }
  return { name: 'two layers of 128 x 128', params, f }
}

/** The factorized state-space model of one sequence of 128, float32 parameters. */
function stateSpace(): Program {
  const length = 128
  const gap = tensor(
    Array.from({ length }, (_, i) => (i === 0 ? 1 : 0)),
    bfloat16,
  )
  const [x, y] = [draw(length), draw(length)]
  const f: Program['f'] = (params) => {
    const own = (name: string): Tensor => cast(params[name]!, 'bfloat16')
    const dt = logAddExp(add(mul(gap as Tensor, own('gap')), own('bias')), 0)
    const exponent = mul(neg(exp(own('a'))), cumsum(dt))
    const offset = stopGradient(max(neg(exponent)))
    const left = mul(own('c'), exp(add(exponent, offset)))
    const right = mul(mul(dt, own('b')), exp(sub(neg(exponent), offset)))
    const scores = tril(matmul(reshape(left, [length, 1]), reshape(right, [1, length])))
    const residual = sub(matmul(scores, x as Tensor), y as Tensor)
    return mul(sum(square(cast(residual, 'float32'))), 1 / length)
  }
  const params = { a: tensor(1.9), b: tensor(1), c: tensor(1), bias: tensor(-3.5), gap: tensor(19.5) }
  return { name: 'state-space model, length 128', params, f }
}

export const programs: readonly (() => Program)[] = [small, long, layers, stateSpace]
