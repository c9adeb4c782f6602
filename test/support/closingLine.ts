import type { SerializedError } from 'vitest'
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node'

/** How many tests passed, failed and were skipped; whatever else broke the run counts as failed. */
export interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** The line that closes a run: `128 passed, 0 failed`, and `, 2 skipped` where some were. */
export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/**
 * Vitest reporter that prints the closing line last, for machines that read only that. A file that cannot be loaded, a
 * failing hook and an unhandled error each count as one failed test. Where CI is set, a skipped test fails the run.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const counts: Counts = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) {
      counts.failed += module.errors().length
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        counts[state === 'pending' ? 'failed' : state]++
      }
    }
    if (reason === 'failed' && counts.failed === 0) counts.failed = 1
    if (process.env['CI'] && (counts.skipped > 0 || counts.passed === 0)) {
      const wrong = counts.passed === 0 ? 'no test passed' : `${counts.skipped} tests were skipped`
      console.error(`${wrong}, which fails a run where CI is set`)
      process.exitCode = 1
    }
    console.log(closingLine(counts))
  }
}
