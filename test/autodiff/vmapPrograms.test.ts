import { vmap } from 'tpu-toolkit/autodiff'
import { seeded } from 'tpu-toolkit/random'
import { stack, type Tensor, transpose } from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'
import { anyProgram } from '../compile/anyProgram.js'
import { difference } from '../compile/difference.js'
import { seed } from '../support/seed.js'

const count = Number(process.env['TPU_TOOLKIT_PROGRAMS'] ?? 40)

/** The axis in front, moved to another place. */
function placed(x: Tensor, axis: number): Tensor {
  const axes = x.shape.map((_, i) => i).slice(1)
  return transpose(x, [...axes.slice(0, axis), 0, ...axes.slice(axis)])
}

test(`vmap(f)(xs)[i] has the bits of f(xs[i]) for ${count} random programs over all operations and dtypes (seed ${seed})`, () => {
  const draw = seeded(`vmap ${seed}`)
  for (let n = 0; n < count; n++) {
    const { f, args, again, names } = anyProgram(draw)
    const batch = [args, again(), again()]
    const inAxes = args.map(({ rank }): number | null =>
      draw() < 0.3 ? null : Math.floor(draw() * (rank + 1)),
    )
    if (!inAxes.some((axis) => axis !== null)) inAxes[0] = 0
    const element = (b: number): Tensor[] => args.map((x, i) => (inAxes[i] === null ? x : batch[b]![i]!))
    const stacked = args.map((x, i) => {
      const axis = inAxes[i]!
      return axis === null ? x : placed(stack(batch.map((each) => each[i]!)), axis)
    })
    const all = vmap(f, { inAxes: [inAxes] })(stacked)
    const each = batch.map((_, b) => f(element(b)))
    const expected = each[0]!.map((_, k) => stack(each.map((results) => results[k]!)))
    const found = difference(all, expected)
    if (found) expect.fail(`program ${n}: ${found}; ${names.join(' ')}; ${inAxes}`)
  }
})
