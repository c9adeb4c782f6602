import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { sourceAliases } from './scripts/folders.js'
import ClosingLine from './test/support/closingLine.js'

const path = (folder: string): string => fileURLToPath(new URL(folder, import.meta.url))

// Tests import the package by its public name, or a file of src by its path. Here both mean the sources, so coverage sees them; `npm test` names dist, which it
// has just built: native modules run in three quarters of the time. `npm run test:mutants` names a copy with a mistake in it.
const source = process.env['TPU_TOOLKIT_SOURCE'] ?? path('./src')
const isBuilt = source === 'dist'

/** Tests that load modules anew, which vitest does with those it has transformed, not with native ones. */
const loadAnew = [
  'test/kernels/attentionTiles.test.ts',
  'test/queue/peers.test.ts',
  'test/simd/arena.test.ts',
  'test/tensor/lookUp.test.ts',
]

export default defineConfig({
  resolve: { alias: isBuilt ? sourceAliases(path('./dist'), '.js') : sourceAliases(source) },
  test: {
    // For what hangs: a test that computes takes ten times as long on a busy machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: availableParallelism(),
    server: { deps: { external: [/\/dist\//] } },
    projects: [
      // Files share the modules of their worker: importing them anew for each file took a third of the time. A test that
      // changes what a module sees as it loads resets the modules again (`vi.resetModules()` in its afterEach).
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: ['test/tfjs/**', ...loadAnew],
          isolate: false,
        },
      },
      {
        extends: true,
        resolve: { alias: isBuilt ? sourceAliases(path('./src')) : [] },
        test: { name: 'load anew', include: loadAnew, isolate: false },
      },
      // TensorFlow.js has one engine for all that is loaded.
      { extends: true, test: { name: 'apart', include: ['test/tfjs/**/*.test.ts'] } },
    ],
    setupFiles: ['test/support/equalBytes.ts'],
    reporters: ['default', new ClosingLine()],
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
})
