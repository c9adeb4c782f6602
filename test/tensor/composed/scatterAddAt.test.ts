import { grad, vmap } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import {
  add,
  argsort,
  cast,
  type DType,
  mul,
  scatterAdd,
  slice,
  stack,
  sub,
  sum,
  type Tensor,
  tensor,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { difference } from '../../compile/difference.js'
import { seed } from '../../support/seed.js'

describe(`scatterAdd with indices that a program computes (seed ${seed})`, () => {
  const draw = seeded(`scatterAdd ${seed}`)
  const random = (shape: number[], dtype: DType): Tensor =>
    cast(
      tensor(
        Array.from({ length: shape.reduce((n, k) => n * k, 1) }, () =>
          draw() < 0.2 ? [0, -0][Math.floor(draw() * 2)]! : Math.round(draw() * 200 - 100) / 16,
        ),
        { shape },
      ),
      dtype,
    )
  const cases = (['bfloat16', 'float32', 'float16', 'float8_e4m3fn', 'float64', 'int32'] as const).flatMap(
    (dtype) => [0, 1, -1].map((axis) => [dtype, axis] as const),
  )

  it.each(cases)('compile and vmap give its bits, %s along axis %i', (dtype, axis) => {
    for (let i = 0; i < 20; i++) {
      const x = random([3, 4, 5], dtype)
      const length = x.shape.at(axis)!
      const at = tensor(
        Array.from({ length: 6 }, () => Math.floor(draw() * 2 * length) - length),
        { shape: [2, 3], dtype: 'int32' },
      )
      const shape = [...x.shape]
      shape.splice(axis < 0 ? axis + 3 : axis, 1, 2, 3)
      const updates = random(shape, dtype)
      const f = (a: Tensor, p: Tensor<'int32'>, u: Tensor): Tensor =>
        scatterAdd(a, sub(add(p, 1), 1), u, { axis })
      const expected = f(x, at, updates)
      expect(difference([compile(f)(x, at, updates)], [expected])).toBeUndefined()
      const batch = vmap(f)(stack([x, x]), stack([at, at]), stack([updates, updates]))
      expect(difference([slice(batch, [1])], [expected])).toBeUndefined()
    }
  })

  it('has a gradient inside of compile', () => {
    const places = argsort(tensor([3, 1, 2]))
    const loss = (x: Tensor, u: Tensor, p: Tensor<'int32'>): Tensor => {
      const y = scatterAdd(x, p, u)
      return sum(mul(y, y))
    }
    const args = [tensor([1, 2, 3]), tensor([5, 7, 11]), places] as const
    const f = (...given: typeof args): Tensor[] =>
      grad(loss, { argnums: [0, 1] })(...given) as unknown as Tensor[]
    expect(difference(compile(f)(...args), f(...args))).toBeUndefined()
  })
})
