import { graphOf, record, valueAndGrad } from 'tpu-toolkit/autodiff'
import { leavesOf } from 'tpu-toolkit/tree'
import { measure, thorough } from '../speed/measure.js'
import { programs } from './programs.js'

// What a gradient costs beside the function alone: `npm run bench:autodiff`. Every program is in bfloat16.
console.log(`bfloat16, one thread, node ${process.version} ${process.arch}; microseconds, median (least)`)
console.log(
  `${'program'.padEnd(32)} ${'alone'.padStart(18)} ${'with gradient'.padStart(18)}  ratio  ns/operation`,
)
for (const program of programs) {
  const { name, params, f } = program()
  const both = valueAndGrad(f)
  const recorded = both(record(params))
  const operations = graphOf([recorded[0], ...leavesOf(recorded[1])]).length - leavesOf(params).length
  const check = (): void => {
    const [value, gradients] = both(params)
    if (value.item() !== f(params).item()) throw new Error(`${name}: value differs from the function's own`)
    for (const leaf of leavesOf(gradients)) {
      if (!leaf.toNumbers().every(Number.isFinite)) throw new Error(`${name}: gradient is not finite`)
    }
  }
  const timed = (run: () => unknown) =>
    measure({ op: name, n: 1000, prepare: () => ({ run: () => void run(), check }) }, thorough)
  const alone = timed(() => f(params))
  const whole = timed(() => both(params))
  const shown = ({ median, min }: { median: number; min: number }): string =>
    `${median.toFixed(1)} (${min.toFixed(1)})`.padStart(18)
  // Of the least times, which other programs on the machine disturb least.
  const ratio = (whole.min / alone.min).toFixed(2).padStart(6)
  const each = ((1000 * whole.min) / operations).toFixed(0).padStart(8)
  console.log(`${name.padEnd(32)} ${shown(alone)} ${shown(whole)} ${ratio} ${each} of ${operations}`)
}
