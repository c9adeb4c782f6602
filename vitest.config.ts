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
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    setupFiles: ['test/support/equalBytes.ts'],
    reporters: ['default', new ClosingLine()],
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
})
