import { readFileSync } from 'node:fs'
import { type GradientRule, stopGradient } from 'tpu-toolkit/autodiff'
import { logAddExp } from 'tpu-toolkit/numerics'
import {
  add,
  apply,
  cast,
  cumsum,
  exp,
  fromBits,
  matmul,
  max,
  mul,
  neg,
  type Op,
  reshape,
  square,
  sub,
  sum,
  type Tensor,
  tensor,
  tril,
} from 'tpu-toolkit/tensor'

export const keys = ['a_log', 'b', 'c', 'dt_bias', 'dt_gap'] as const
export type Params = Readonly<Record<(typeof keys)[number], Tensor<'float32'>>>

/** One recorded step: the float32 parameters before it, the data, and every array of the step in bfloat16 codes. */
export interface Step {
  readonly params: Params
  readonly x: Tensor<'bfloat16'>
  readonly y: Tensor<'bfloat16'>
  readonly loss: number
  readonly arrays: Readonly<Record<string, readonly number[]>>
}

const codes = (hex: string): number[] => (hex.match(/.{4}/g) ?? []).map((word) => Number.parseInt(word, 16))

export function readStep(name: 'step1' | 'nanstep'): Step {
  const json = JSON.parse(readFileSync(new URL(`../golden/ssm/${name}.json`, import.meta.url), 'utf8'))
  const float32 = (hex: string): Tensor<'float32'> =>
    fromBits(Uint32Array.of(Number.parseInt(hex, 16)), { shape: [], dtype: 'float32' })
  return {
    params: Object.fromEntries(keys.map((key) => [key, float32(json.params[key])])) as Params,
    x: fromBits(codes(json.x), { dtype: 'bfloat16' }),
    y: fromBits(codes(json.y), { dtype: 'bfloat16' }),
    loss: Number.parseInt(json.loss, 16),
    arrays: Object.fromEntries(
      Object.entries(json.arrays as Record<string, { bits: string }>).map(([key, { bits }]) => [
        key,
        codes(bits),
      ]),
    ),
  }
}

/** An identity that shows the test a value and its cotangent. */
export const probeOp: Op = { name: 'probe', kernel: ([x]) => x! }
export const probeRule =
  (seen: Map<string, Tensor>): GradientRule<{ name: string }> =>
  ({ g, attributes: { name } }) => {
    seen.set(name, g)
    return [g]
  }

/** The naive factorized model in bfloat16, its loss in float32; `probe` sees every array under its golden name. */
export function loss(
  params: Params,
  { x, y }: Pick<Step, 'x' | 'y'>,
  show: (name: string, value: Tensor) => void = () => {},
): Tensor {
  const probe = <T extends Tensor>(name: string, value: T): T => {
    show(name, value)
    return apply(probeOp, [value], { name }) as T
  }
  const [length] = x.shape as [number]
  const own = (key: keyof Params): Tensor<'bfloat16'> => probe(key, cast(params[key], 'bfloat16'))
  const gap = tensor(
    Array.from({ length }, (_, i) => (i === 0 ? 1 : 0)),
    { dtype: 'bfloat16' },
  )
  const z = probe('z', add(probe('zg', mul(gap, own('dt_gap'))), own('dt_bias')))
  const dt = probe('dt', logAddExp(z, 0))
  const A = probe('A', neg(probe('ea', exp(own('a_log')))))
  const cs = probe('cs', cumsum(dt))
  const D = probe('D', mul(A, cs))
  const m = stopGradient(max(neg(D)))
  show('m', m)
  const eu = probe('eu', exp(probe('u', add(D, m))))
  const Ch = probe('Ch', mul(own('c'), eu))
  const ew = probe('ew', exp(probe('w', sub(neg(D), m))))
  const Bh = probe('Bh', mul(probe('db', mul(dt, own('b'))), ew))
  // A matrix product of one column and one row, so that its gradients are running sums in float32, rounded once.
  const outer = probe('outer', matmul(reshape(Ch, [length, 1]), reshape(Bh, [1, length])))
  const S = probe('S', tril(outer))
  const yh = probe('yh', matmul(S, x))
  const rr = probe('rr', sub(yh, y))
  return mul(sum(square(cast(rr, 'float32'))), 1 / length)
}
