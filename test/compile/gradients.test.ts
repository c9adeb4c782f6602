import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import type { Tensor } from 'tpu-toolkit/tensor'
import * as t from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'
import { anyProgram, large } from './anyProgram.js'
import { difference } from './difference.js'

const count = Number(process.env['TPU_TOOLKIT_PROGRAMS'] ?? (isLong ? 60 : 20))

const ways: readonly (readonly [number, string, typeof large | undefined, readonly number[]])[] = [
  [count, 'random programs', undefined, [1]],
  [Math.ceil(count / 20), 'random programs of large tensors on 2 and 4 threads', large, [2, 4]],
]

test.each(ways)(
  `compile(valueAndGrad(f)) gives its bits for %i %s (seed ${seed})`,
  { timeout: 0 },
  (wanted, name, shapes, threads) => {
    // Some of those drawn have no gradient: two are drawn for each that is wanted.
    const programs = 2 * wanted
    const draw = seeded(`compile gradients ${seed} ${name}`)
    let compared = 0
    for (let i = 0; i < programs; i++) {
      const { f, args, again, names } = anyProgram(draw, shapes)
      const others = again()
      if (!args.every(({ dtype }) => t.isFloat(dtype))) continue
      const loss = (inputs: readonly Tensor[]): Tensor =>
        f(inputs)
          .filter(({ dtype }) => t.isFloat(dtype))
          .reduce((total: Tensor, x) => t.add(total, t.sum(t.cast(x, 'float32'))), t.zeros([]))
      const gradients = (inputs: readonly Tensor[]): Tensor[] => {
        const [value, slopes] = valueAndGrad(loss)(inputs)
        return [value, ...slopes]
      }
      let expected: Tensor[]
      try {
        expected = gradients(args)
      } catch {
        // No gradient goes through some: a mean over integers, say.
        continue
      }
      const otherwise = gradients(others)
      for (const n of threads) {
        const compiled = compile(gradients, { threads: n })
        for (const [inputs, results] of [
          [args, expected],
          [others, otherwise],
        ] as const) {
          const found = difference(compiled(inputs), results)
          if (found) expect.fail(`program ${i}, ${n} threads: ${found}; ${names.join(' ')}`)
          compared++
        }
      }
    }
    expect(compared).toBeGreaterThan(wanted / 2)
  },
)
