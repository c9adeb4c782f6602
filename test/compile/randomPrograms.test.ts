import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import type { Tensor } from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'
import { seed } from '../support/seed.js'
import { anyProgram } from './anyProgram.js'
import { difference } from './difference.js'

const count = Number(process.env['TPU_TOOLKIT_PROGRAMS'] ?? 200)

test(`compile(f) gives f's bits for ${count} random programs over all operations and dtypes (seed ${seed})`, () => {
  const draw = seeded(`compile ${seed}`)
  for (let i = 0; i < count; i++) {
    const { f, args, again, names } = anyProgram(draw)
    let runs = 0
    const signed = args.some(({ dtype }) => dtype === 'float8_e4m3fn')
    const compiled = compile((inputs: readonly Tensor[]) => {
      runs++
      return f(inputs)
    })
    for (const inputs of [args, again(), args]) {
      const before = runs
      const found = difference(compiled(inputs), f(inputs))
      if (found) expect.fail(`program ${i}: ${found}; ${names.join(' ')}`)
      // Where NaNs have signs of their own the function itself may be asked.
      if (signed || names.includes('cast')) continue
      expect(
        runs - before,
        `program ${i} was replayed: ${args.map(({ dtype, shape }) => `${dtype} [${shape}]`)}; ${names.join(' ')}`,
      ).toBe(inputs === args && before === 0 ? 1 : 0)
    }
  }
})
