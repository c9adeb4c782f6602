import { grad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { defineKernel, type KernelRecord } from 'tpu-toolkit/kernels'
import { cast, fromBits, mul, square, sum, Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

interface Power {
  readonly times: number
}

/** x^3 times a number, computed in float32 or wider and rounded once. */
const cube: KernelRecord<Power> = {
  name: 'cube',
  forward: ([x], { times }) => {
    const values = x!.toNumbers().map((v) => v * v * v * times)
    return cast(tensor(values, { shape: x!.shape, dtype: 'float64' }), x!.dtype)
  },
  gradient: ({ g, inputs: [x], attributes: { times } }) => [mul(g, mul(square(x!), 3 * times))],
  bound: ([x], { times }) =>
    x!.dtype === 'float64' ? 0 : 2 ** -8 * Math.max(...x!.toNumbers().map((v) => Math.abs(v ** 3 * times))),
  cost: ([shape]) => ({ flops: 3 * shape![0]!, bytes: 4 * shape![0]! }),
  samples: [{ inputs: [tensor([0.3, -1, 2.5], { dtype: 'bfloat16' })], attributes: { times: 2 } }],
  form: 'elementwise',
}

describe('defineKernel', () => {
  const kernel = defineKernel(cube)
  const x = tensor([1.5, -2], { dtype: 'bfloat16' })
  it('defineKernel gives an operation with a gradient, that of the gradient too', () => {
    const f = (v: Tensor): Tensor => sum(kernel.run([v], { times: 1 }))
    expect(f(x).item()).toBe(1.5 ** 3 - 8)
    expect(grad(f)(x).toNested()).toEqual([6.75, 12])
    expect(grad((v: Tensor) => sum(grad(f)(v)))(x).toNested()).toEqual([9, -12])
  })

  it('what defineKernel gives compiles to the same bits', () => {
    const f = (v: Tensor): Tensor => sum(square(kernel.run([v], { times: 1 })))
    expect(compile(f)(x).toBits()).toEqual(f(x).toBits())
    expect(compile(grad(f))(x).toBits()).toEqual(grad(f)(x).toBits())
  })

  it('what defineKernel gives tells its bound and cost', () => {
    expect(kernel.bound([x], { times: 1 })).toBe(2 ** -8 * 8)
    expect(kernel.cost([[7]], { times: 1 })).toEqual({ flops: 21, bytes: 28 })
    const { bound: _, cost: __, ...bare } = cube
    const plain = defineKernel(bare)
    expect(plain.bound([x], { times: 1 })).toBe(Infinity)
    expect(plain.cost([[7]], { times: 1 })).toBeUndefined()
  })

  let calls = 0
  const wrong: readonly [string, Partial<KernelRecord<Power>>, string][] = [
    [
      'a gradient that is not',
      { gradient: ({ g }) => [g] },
      'defineKernel: the gradient of cube is not that of differences: gradient is off by',
    ],
    [
      'a gradient of another shape',
      { gradient: () => [tensor(1, { dtype: 'float64' })] },
      'grad: the rule of cube gives another shape than its input has',
    ],
    [
      'a bound that does not hold',
      { bound: () => 1e-7 },
      'defineKernel: cube is off by more than its bound of 1e-7 at element',
    ],
    [
      'a bound that is no number',
      { bound: () => Number.NaN },
      'defineKernel: the bound of cube is no number, 0 or more [NaN]',
    ],
    [
      'a cost below 0',
      { cost: () => ({ flops: -1, bytes: 0 }) },
      "defineKernel: cube's flops is not a finite number, 0 or more [-1]",
    ],
    ['no samples', { samples: [] }, 'defineKernel: cube has no samples [an empty array]'],
    [
      'other bits every time',
      { forward: ([v]) => mul(v!, ++calls) },
      'defineKernel: cube gives other bits the second time',
    ],
    [
      'writing into an operand',
      {
        forward: ([v]) => {
          v!.data[0] = 1
          return cast(v!, v!.dtype)
        },
        samples: [{ inputs: [tensor([3])], attributes: { times: 1 } }],
      },
      'defineKernel: cube writes into its operand 0 [0]',
    ],
    [
      'a dtype of its own',
      { forward: ([v]) => cast(v!, 'float32') },
      'defineKernel: cube gives float32 for float64 operands, so that its gradient cannot be checked [float32]',
    ],
    ['an unknown field', { backward: 1 } as object, 'defineKernel: unknown option, there are'],
    [
      'an unknown form',
      { form: 'elementwize' as 'whole' },
      'defineKernel: unknown form, did you mean elementwise [elementwize]',
    ],
  ]
  it.each(wrong)('defineKernel refuses %s', (_, part, message) => {
    expect(() => defineKernel({ ...cube, ...part })).toThrow(message)
  })

  it('defineKernel takes integers beside floats, and checks the floats', () => {
    const pick: KernelRecord<undefined> = {
      name: 'pick',
      forward: ([v, at]) => new Tensor(v!.dtype, [], v!.data.slice(at!.item(), at!.item() + 1) as never),
      gradient: ({ g, inputs: [v, at] }) => [
        mul(
          g,
          tensor(
            Array.from({ length: v!.size }, (_, i) => Number(i === at!.item())),
            { dtype: v!.dtype as 'float32' },
          ),
        ),
        undefined,
      ],
      samples: [{ inputs: [tensor([1, 2]), tensor([1], { dtype: 'int32' })], attributes: undefined }],
    }
    expect(
      defineKernel(pick)
        .run([tensor([5, 6]), fromBits(Uint32Array.of(0), { shape: [1], dtype: 'int32' })], undefined)
        .item(),
    ).toBe(5)
  })
})
