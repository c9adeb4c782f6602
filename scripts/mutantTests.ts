import { resolve } from 'node:path'
import { createVitest } from 'vitest/node'

/** What is asked of the process that runs tests: these files, now that some of the source has changed. */
export interface Asked {
  readonly tests: readonly string[]
  readonly changed: readonly string[]
  /** Only tests with this in their titles; all of them without. */
  readonly title?: string
}

/** Whether they passed; undefined where they did not all run. */
export interface Outcome {
  readonly passed: boolean | undefined
}

/** What has failed since the last question, and the end of what goes on. */
let failed = false
let ending: Promise<void> | undefined

function fail(): void {
  failed = true
  ending ??= vitest.cancelCurrentRun('test-failure')
}

// Started by mutantRunner.ts, which may kill it: one server for many runs, so that a run transforms only the file with the mistake.
const vitest = await createVitest('test', {
  watch: false,
  maxWorkers: 1,
  // What goes on for too long is for mutantRunner.ts to end: a busy machine is no mistake.
  testTimeout: 1_800_000,
  reporters: [
    {
      onTestCaseResult: (test) => {
        if (test.result().state === 'failed') fail()
      },
      onTestModuleEnd: (module) => {
        if (!module.ok()) fail()
      },
    },
  ],
})

/** Whether tests are green; undefined where not all of them ran. */
async function run({ tests, title }: Asked): Promise<boolean | undefined> {
  ;[failed, ending] = [false, undefined]
  if (title === undefined) vitest.resetGlobalTestNamePattern()
  else vitest.setGlobalTestNamePattern(title)
  const files = await vitest.globTestSpecifications(tests.map((path) => resolve(path)))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(files)
  await ending
  if (failed || unhandledErrors.length > 0) return false
  const asked = new Set(files.map(({ moduleId }) => moduleId))
  const ran = testModules.filter((module) => asked.has(module.moduleId) && module.state() === 'passed')
  return title === undefined && (ran.length < asked.size || asked.size < tests.length) ? undefined : true
}

process.on('message', async (asked: Asked) => {
  for (const path of asked.changed) vitest.invalidateFile(resolve(path))
  const outcome: Outcome = { passed: (await run(asked)) ?? (await run(asked)) }
  process.send?.(outcome)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
