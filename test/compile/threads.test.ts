import { spawnSync } from 'node:child_process'
import { scan, valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { key, normal, seeded } from 'tpu-toolkit/random'
import type { DType, Tensor } from 'tpu-toolkit/tensor'
import * as t from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'
import { anyProgram, large } from './anyProgram.js'
import { difference } from './difference.js'

const count = Number(process.env['TPU_TOOLKIT_PROGRAMS'] ?? (isLong ? 6 : 2))

const drawn = (n: number, shape: readonly number[], dtype: DType): Tensor =>
  t.cast(t.tensor(normal(key(n), t.sizeOf(shape)), { shape }), dtype)

type Layer = { readonly w: Tensor; readonly b: Tensor }
const loss = (layers: readonly Layer[], x: Tensor, y: Tensor): Tensor => {
  let h = x
  for (const { w, b } of layers) h = t.tanh(t.add(t.matmul(h, w), b))
  return t.mean(t.square(t.sub(t.relu(h), y)))
}

describe('compile(f, { threads })', () => {
  it(`gives f's bits on 1, 2 and 4 threads, for ${count} random programs of large tensors (seed ${seed})`, {
    timeout: 0,
  }, () => {
    const draw = seeded(`threads ${seed}`)
    let split = 0
    for (let i = 0; i < count; i++) {
      const { f, args, again, names } = anyProgram(draw, large)
      const other = again()
      const wanted = [f(args), f(other)] as const
      for (const threads of [1, 2, 4]) {
        const compiled = compile((inputs: readonly Tensor[]) => f(inputs), { threads })
        const found =
          difference(compiled(args), wanted[0]) ??
          difference(compiled(other), wanted[1]) ??
          difference(compiled(args), wanted[0])
        if (found) expect.fail(`program ${i}, ${threads} threads: ${found}; ${names.join(' ')}`)
        split += compiled.plan().steps.filter(({ parts }) => parts > 1).length
      }
    }
    // Of two programs none may have an operation that is worth a second thread.
    if (count > 4) expect(split).toBeGreaterThan(count / 2)
  })

  it('writes no element of another part where a copy repeats one along its last axis', () => {
    // The second part begins within a row of 151 pairs: the last pair before it is a whole vector's half.
    const x = drawn(9, [151, 151], 'bfloat16')
    const f = (given: Tensor): Tensor => t.transpose(t.broadcastTo(given, [2, 151, 151]))
    const compiled = compile(f, { threads: 2 })
    for (let i = 0; i < 40; i++) expect(difference([compiled(x)], [f(x)])).toBeUndefined()
    expect(compiled.plan().steps.map(({ parts }) => parts)).toContain(2)
  })

  it.each(['bfloat16', 'float32', 'float16', 'float8_e5m2'] as const)(
    'gives the bits of one thread for a loss and its gradients in %s, whose products and loops are split',
    (dtype) => {
      const layers = [
        { w: drawn(1, [67, 130], dtype), b: drawn(2, [130], dtype) },
        { w: drawn(3, [130, 41], dtype), b: drawn(4, [41], dtype) },
      ]
      const [x, y] = [drawn(5, [257, 67], dtype), drawn(6, [257, 41], dtype)]
      const f = valueAndGrad(loss)
      const flat = ([value, slopes]: ReturnType<typeof f>): Tensor[] => [
        value,
        ...slopes.flatMap(({ w, b }) => [w, b]),
      ]
      const wanted = flat(f(layers, x, y))
      for (const threads of [2, 3, 4]) {
        const step = compile(f, { threads })
        for (let run = 0; run < 3; run++) {
          expect(difference(flat(step(layers, x, y)), wanted)).toBeUndefined()
        }
        const kinds = new Set(
          step
            .plan()
            .steps.filter(({ parts }) => parts > 1)
            .map(({ kind }) => kind),
        )
        expect([...kinds]).toEqual(expect.arrayContaining(['matmul', 'loop']))
        expect(String(step.plan())).toContain(`matmul in ${threads}`)
      }
    },
  )

  it('splits products of a batch, lanes and copies', () => {
    const f = (x: Tensor, y: Tensor) => ({
      product: t.matmul(x, y),
      sums: t.sum(x, { axis: -1 }),
      wide: t.mean(x, { axis: -1, accumulate: 'float64' }),
      running: t.cumsum(x, { axis: -1 }),
      most: t.max(x, { axis: -1 }),
      turned: t.transpose(x, [2, 1, 0]),
    })
    const [x, y] = [drawn(7, [9, 129, 131], 'bfloat16'), drawn(8, [9, 131, 33], 'bfloat16')]
    const step = compile(f, { threads: 4 })
    expect(difference(Object.values(step(x, y)), Object.values(f(x, y)))).toBeUndefined()
    const split = step
      .plan()
      .steps.filter(({ parts }) => parts === 4)
      .map(({ kind }) => kind)
    expect(split.sort()).toEqual(['copy', 'cumsum', 'extremum', 'matmul', 'sum', 'sum'])
  })

  it.each(['bfloat16', 'float32', 'float8_e5m2', 'float64'] as const)(
    'splits sums along the first axis by columns, in %s',
    (dtype) => {
      const f = (x: Tensor) => [
        t.sum(x, { axis: 0 }),
        t.mean(x, { axis: 0, accumulate: 'float64' }),
        t.sum(t.reshape(x, [1025, 2, 210]), { axis: 0 }),
      ]
      const x = t.cast(drawn(9, [2050, 210], 'float32'), dtype)
      const step = compile(f, { threads: 4 })
      for (let run = 0; run < 2; run++) expect(difference(step(x), f(x))).toBeUndefined()
      expect(
        step
          .plan()
          .steps.filter(({ parts }) => parts === 4)
          .map(({ kind }) => kind),
      ).toEqual(['sum', 'sum', 'sum'])
    },
  )

  it.each(['bfloat16', 'float32'] as const)('splits what one turn of a scan does, in %s', (dtype) => {
    const f = (h: Tensor, w: Tensor, xs: Tensor) =>
      valueAndGrad(
        (start: Tensor, weight: Tensor) => {
          const [last, sums] = scan(
            (state: Tensor, x: Tensor): [Tensor, Tensor] => {
              const next = t.tanh(t.add(t.matmul(state, weight), x))
              return [next, t.sum(next, { axis: 0 })]
            },
            start,
            xs,
          )
          return t.add(t.mean(last), t.mean(sums))
        },
        { argnums: [0, 1] },
      )(h, w)
    const args: [Tensor, Tensor, Tensor] = [
      drawn(10, [257, 130], dtype),
      t.mul(drawn(11, [130, 130], dtype), 0.1),
      drawn(12, [3, 257, 130], dtype),
    ]
    const flat = ([value, slopes]: ReturnType<typeof f>): Tensor[] => [value, ...slopes]
    const wanted = flat(f(...args))
    for (const threads of [1, 2, 4]) {
      const step = compile(f, { threads })
      for (let run = 0; run < 3; run++) {
        expect(difference(flat(step(...args)), wanted), `${threads} threads`).toBeUndefined()
      }
      const scans = step.plan().steps.filter(({ kind }) => kind === 'scan')
      expect(scans.map(({ parts }) => parts)).toEqual([threads, threads])
    }
  })

  it('leaves small steps whole', () => {
    const step = compile((x: Tensor) => t.add(x, 1), { threads: 4 })
    expect(step(t.ones([100])).toNumbers()[99]).toBe(2)
    expect(step.plan().steps.map(({ parts }) => parts)).toEqual([1])
  })

  it('goes on as f where a NaN with a sign comes in, whichever thread sees it', () => {
    const words = new Uint32Array(400_000).fill(0x3f800000)
    words[399_999] = 0xffc00001
    const x = t.fromBits(words, { shape: [400_000], dtype: 'float32' })
    const f = (a: Tensor, b: Tensor): Tensor => t.add(a, b)
    const step = compile(f, { threads: 4 })
    step(t.ones([400_000]), t.ones([400_000]))
    expect(difference([step(t.ones([400_000]), x)], [f(t.ones([400_000]), x)])).toBeUndefined()
  })

  it('keeps no process alive', () => {
    const script = `
      import { compile } from 'tpu-toolkit/compile'
      import { ones, sum } from 'tpu-toolkit'
      const f = compile((x) => sum(x, { axis: 1 }), { threads: 3 })
      console.log(f(ones([400, 1000])).toNumbers()[399])`
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      ...{ cwd: new URL('../../', import.meta.url), encoding: 'utf8', timeout: 300_000 },
    })
    expect([stdout, status]).toEqual(['1000\n', 0])
  })

  it.each([
    [0, 'compile: threads is not a whole number from 1 to 64 [0]'],
    [1.5, 'compile: threads is not a whole number from 1 to 64 [1.5]'],
    [65, 'compile: threads is not a whole number from 1 to 64 [65]'],
  ])('refuses %s threads', (threads, message) => {
    expect(() => compile((x: Tensor) => x, { threads })).toThrow(new RangeError(message))
  })
})
