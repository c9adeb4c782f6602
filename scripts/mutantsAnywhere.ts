import { readdirSync, readFileSync } from 'node:fs'
import { isEquivalent } from './equivalentMutants.js'
import { runTests, withMutant } from './mutantRunner.js'
import { type Mutant, mutantsOf } from './mutantsOf.js'
import { sampleOf } from './sampleOf.js'
import { testsBySource } from './testsBySource.js'

/** Which draws are run, and for how long. */
export interface AnywhereOptions {
  readonly seed: string
  /** The first draw, and how many. */
  readonly from: number
  readonly count: number
  /** When no further one is begun, milliseconds since 1970. */
  readonly end: number
}

/** The most test files that a mutant is shown to, and how long they may run, milliseconds. */
const [most, limit] = [5, 900_000]

/**
 * Draws lines of src, each as likely as any other that has a mutant, and one mutant of each; runs the tests nearest to its file by
 * imports. A draw depends on the seed and on src alone, so a run continues another by `from`.
 */
export async function mutantsAnywhere({ seed, from, count, end }: AnywhereOptions): Promise<void> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('index.ts'),
  )
  const lines = files.sort().flatMap((file) => {
    const all = mutantsOf(file, readFileSync(`src/${file}`, 'utf8'), false).filter(
      (one) => !isEquivalent(one),
    )
    return [...new Set(all.map(({ line }) => line))].map((line) => all.filter((one) => one.line === line))
  })
  const testsOf = testsBySource()
  const green = new Set<string>()
  let [killed, run] = [0, 0]
  for (const [i, line] of sampleOf(lines, from + count, seed)
    .slice(from)
    .entries()) {
    if (Date.now() > end) break
    const [mutant] = sampleOf(line, 1, `${seed} ${from + i}`) as [Mutant]
    const tests = testsOf(mutant.file).slice(0, most)
    const outcome = await withMutant(mutant, () => firstFailure(tests, green))
    run++
    if (outcome !== undefined) killed++
    const where = `src/${mutant.file}:${mutant.line}: ${mutant.what}`
    console.log(
      outcome === undefined
        ? `${from + i} survived: ${where}\n    ${mutant.source}\n    ${tests.join(' ')}`
        : `${from + i} killed: ${where} [${outcome}]`,
    )
    // A failure counts where the file passes without the mutant.
    if (outcome !== undefined && !green.has(outcome)) {
      if (!(await runTests([outcome], limit)).passed) {
        throw new Error(`mutants: red without any mutant [${outcome}]`)
      }
      green.add(outcome)
    }
  }
  console.log(
    `score: ${((100 * killed) / Math.max(1, run)).toFixed(1)} % of ${run} of ${lines.length} lines, seed ${seed}, continue with --from ${from + run}`,
  )
}

/** The test file that fails first, or runs past its time; files that pass with a mutant pass without one. */
async function firstFailure(tests: readonly string[], green: Set<string>): Promise<string | undefined> {
  for (const test of tests) {
    if (!(await runTests([test], limit)).passed) return test
    green.add(test)
  }
  return undefined
}
