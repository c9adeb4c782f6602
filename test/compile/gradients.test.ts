import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import type { Tensor } from 'tpu-toolkit/tensor'
import * as t from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'
import { seed } from '../support/seed.js'
import { anyProgram } from './anyProgram.js'
import { difference } from './difference.js'

const count = Number(process.env['TPU_TOOLKIT_PROGRAMS'] ?? 60)

test(`compile(valueAndGrad(f)) gives its bits for ${count} random programs (seed ${seed})`, {
  timeout: 0,
}, () => {
  const draw = seeded(`compile gradients ${seed}`)
  let compared = 0
  for (let i = 0; i < count; i++) {
    const { f, args, again, names } = anyProgram(draw)
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
    const compiled = compile(gradients)
    for (const [inputs, results] of [
      [args, expected],
      [others, gradients(others)],
    ] as const) {
      const found = difference(compiled(inputs), results)
      if (found) expect.fail(`program ${i}: ${found}; ${names.join(' ')}`)
      compared++
    }
  }
  expect(compared).toBeGreaterThan(count / 2)
})
