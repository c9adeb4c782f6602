import { defineConfig } from 'vitest/config'
import { doors, inBrowsers } from './test/browsers/inBrowsers.js'
import ClosingLine from './test/support/closingLine.js'

// `npm run test:browsers`: the unit tests of the folders that make the bits, and of the experiments made of them, unchanged, in
// Chromium and in Firefox; and the lab, clicked through in both. `npm test` needs no browser.

const bits = inBrowsers(['chromium', 'firefox'], { TPU_TOOLKIT_SEED: process.env['TPU_TOOLKIT_SEED'] ?? '1' })

export default defineConfig({
  test: {
    testTimeout: 600_000,
    hookTimeout: 600_000,
    isolate: false,
    setupFiles: ['test/support/equalBytes.ts'],
    reporters: ['default', new ClosingLine()],
    projects: [
      {
        ...bits,
        extends: true,
        test: {
          ...bits.test,
          name: 'bits',
          include: [
            'browsers',
            'formats',
            'functions',
            'bf16',
            'random',
            'schedule',
            'simd',
            'tensor',
            'numerics',
            // The experiments.
            'drift',
            'failures',
            'plan',
            'precision',
            'step2750',
          ].map((folder) => `test/${folder}/**/*.test.ts`),
          exclude: [
            // These read the checkout itself, or compare what Node's inspect prints.
            'test/failures/gallery.test.ts',
            'test/plan/{claimsPage,planCosts}.test.ts',
            'test/formats/{page,formatArray}.test.ts',
            'test/tensor/{arguments,show}.test.ts',
            // It takes WebAssembly away and loads the modules anew.
            'test/simd/arena.test.ts',
            // The same loops over many more numbers.
            'test/bf16/arithmeticArrays.test.ts',
            'test/formats/{encodeArray,properties,stochastic}.test.ts',
            'test/numerics/{drift,errorBound}.test.ts',
            'test/tensor/{lookUp,formatLoop}.test.ts',
          ],
        },
      },
      {
        resolve: { alias: doors },
        extends: true,
        test: { name: 'lab', include: ['test/lab/inChromium.ts', 'test/lab/inFirefox.ts'] },
      },
    ],
  },
})
