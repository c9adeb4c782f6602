import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import { Tensor } from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'
import { isLong } from '../support/long.js'
import { seed } from '../support/seed.js'
import { anyProgram } from './anyProgram.js'
import { difference } from './difference.js'

const copied = ({ dtype, shape, data }: Tensor): Tensor => new Tensor(dtype, shape, data.slice())

const count = Number(process.env['TPU_TOOLKIT_PROGRAMS'] ?? (isLong ? 200 : 50))

test(`compile(f) gives f's bits for ${count} random programs over all operations and dtypes, with donate and static (seed ${seed})`, {
  timeout: 0,
}, () => {
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
    // The first half of the arguments given away, or fixed.
    const way = i % 2 === 0 ? 'donate' : 'static'
    const half = Math.ceil(args.length / 2)
    const parted = compile((some: readonly Tensor[], others: readonly Tensor[]) => f([...some, ...others]), {
      [way]: 0,
    })
    const other = again()
    const fixed = args.slice(0, half)
    for (const inputs of [args, other, args]) {
      const some = way === 'static' ? fixed : inputs.slice(0, half).map(copied)
      const wanted = f([...(way === 'static' ? fixed : inputs.slice(0, half)), ...inputs.slice(half)])
      const found = difference(parted(some, inputs.slice(half)), wanted)
      if (found) expect.fail(`program ${i}, ${way}: ${found}; ${names.join(' ')}`)
    }
  }
})
