import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import type { Tensor } from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'
import { seed } from '../support/seed.js'
import { anyProgram } from './anyProgram.js'

const count = Number(process.env['TPU_TOOLKIT_PROGRAMS'] ?? 300)

/** What differs first between two lists of tensors, bit for bit; undefined where nothing does. */
function difference(results: readonly Tensor[], expected: readonly Tensor[]): string | undefined {
  for (const [k, x] of results.entries()) {
    const y = expected[k]!
    if (x.dtype !== y.dtype || x.shape.join() !== y.shape.join()) return `result ${k}: ${x.dtype} [${x.shape}], is ${y.dtype} [${y.shape}]`
    const [a, b] = [x.toBits(), y.toBits()]
    const at = a.findIndex((bits: number | bigint, i: number) => bits !== b[i])
    if (at >= 0) return `result ${k}, ${x.dtype} [${x.shape}], element ${at}: ${a[at]!.toString(16)}, is ${b[at]!.toString(16)}`
  }
  return results.length === expected.length ? undefined : 'another number of results'
}

/** What a call gives; what it throws says where. */
function given<T>(call: () => T, where: string): T {
  try {
    return call()
  } catch (error) {
    throw new Error(where, { cause: error })
  }
}

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
      const results = given(() => compiled(inputs), `program ${i}: ${args.map(({ dtype, shape }) => `${dtype} [${shape}]`)}; ${names.join(' ')}`)
      const found = difference(results, f(inputs))
      if (found) expect.fail(`program ${i}: ${found}; ${names.join(' ')}`)
      // Where NaNs have signs of their own the function itself may be asked.
      if (signed || names.includes('cast')) continue
      expect(runs - before, `program ${i} was replayed: ${args.map(({ dtype, shape }) => `${dtype} [${shape}]`)}; ${names.join(' ')}`).toBe(inputs === args && before === 0 ? 1 : 0)
    }
  }
})
