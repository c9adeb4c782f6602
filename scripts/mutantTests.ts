import { resolve } from 'node:path'
import { createVitest } from 'vitest/node'

/** What is asked of the process that runs tests: these files, now that some of the source has changed. */
export interface Asked {
  readonly tests: readonly string[]
  readonly changed: readonly string[]
  /** Only tests with this in their titles; all of them without. */
  readonly title?: string
}

// Started by mutants.ts, which may kill it: one server for many runs, so that a run transforms only the file with the mistake.
const vitest = await createVitest('test', { watch: false, bail: 1, maxWorkers: 1, reporters: [{}] })

process.on('message', async ({ tests, changed, title }: Asked) => {
  if (title === undefined) vitest.resetGlobalTestNamePattern()
  else vitest.setGlobalTestNamePattern(title)
  for (const path of changed) vitest.invalidateFile(resolve(path))
  const files = await vitest.globTestSpecifications(tests.map((path) => resolve(path)))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(files)
  const asked = new Set(files.map(({ moduleId }) => moduleId))
  const passed =
    asked.size >= tests.length &&
    unhandledErrors.length === 0 &&
    testModules.every((module) => !asked.has(module.moduleId) || module.ok())
  process.send?.(passed)
})

process.on('disconnect', () => process.exit())
process.send?.('ready')
