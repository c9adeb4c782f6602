import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import ClosingLine from './test/support/closingLine.js'

// `npm run test:mutants` has the tests read a copy with a mistake in it.
const source = process.env['TPU_TOOLKIT_SOURCE'] ?? fileURLToPath(new URL('./src', import.meta.url))

export default defineConfig({
  resolve: {
    // Tests import the package by its public name; here that name means the sources, so coverage sees them.
    alias: [
      { find: /^tpu-toolkit\/(.+)$/, replacement: `${source}/$1/index.ts` },
      { find: /^tpu-toolkit$/, replacement: `${source}/index.ts` },
    ],
  },
  test: {
    testTimeout: 60_000,
    maxWorkers: availableParallelism(),
    projects: [
      // Files share the modules of their worker: importing them anew for each file took a third of the time. A test that
      // changes what a module sees as it loads resets the modules again (`vi.resetModules()` in its afterEach).
      {
        extends: true,
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: ['test/tfjs/**'], isolate: false },
      },
      // TensorFlow.js has one engine for all that is loaded.
      { extends: true, test: { name: 'apart', include: ['test/tfjs/**/*.test.ts'] } },
    ],
    setupFiles: ['test/support/equalBytes.ts'],
    reporters: ['default', new ClosingLine()],
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
})
