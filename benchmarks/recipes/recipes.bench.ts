import { type RecipeName, recipe, runRecipeArm } from 'tpu-toolkit/recipes'

// A compiled training step with each arm of the recipes, beside the same step in bfloat16: `npm run bench:recipes`, the least
// processor time of a step out of `steps`, which a busy machine changes less than the time of a clock. Names of recipes may follow.
const steps = 40
const all: readonly RecipeName[] = [
  ...(['nvfp4', 'mxfp8', 'deepseek-fp8', 'bf16-states', 'adam8bit', 'fp8-attention', 'qat-mxfp4'] as const),
]
const asked = process.argv.slice(2)
const sizes = { width: 64, layers: 1, steps, seeds: 1 }

/** The least processor time between two steps, in milliseconds. */
function leastTime(name: RecipeName, arm: string): number {
  let least = Infinity
  let last: number | undefined
  runRecipeArm(name, {
    ...{ arm, seed: 0, sizes },
    report: () => {
      const now = process.cpuUsage().user / 1000
      if (last !== undefined) least = Math.min(least, now - last)
      last = now
    },
  })
  return least
}

const baseline = leastTime('nvfp4', 'bfloat16')
console.log(`width 64, 1 layer, 8 x 64 characters, one thread, node ${process.version} ${process.arch}`)
console.log(`${'bfloat16'.padEnd(52)} ${baseline.toFixed(1).padStart(7)} ms a step`)
for (const name of asked.length > 0 ? all.filter((one) => asked.includes(one)) : all) {
  for (const { name: arm } of recipe(name).arms) {
    if (arm === 'bfloat16') continue
    const time = leastTime(name, arm)
    console.log(
      `${`${name}: ${arm}`.padEnd(52)} ${time.toFixed(1).padStart(7)} ms a step, ${(time / baseline).toFixed(1)} times`,
    )
  }
}
