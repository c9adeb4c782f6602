import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { puppeteerProvider } from './test/browsers/puppeteerProvider.js'
import ClosingLine from './test/support/closingLine.js'

// `npm run test:browsers`: the unit tests of the folders that make the bits, unchanged, in Chromium and in Firefox; and the lab,
// clicked through in both. `npm test` needs no browser.

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const source = path('./src')

const doors = [
  { find: /^tpu-toolkit\/(.+)$/, replacement: `${source}/$1/index.ts` },
  { find: /^tpu-toolkit$/, replacement: `${source}/index.ts` },
]

export default defineConfig({
  test: {
    testTimeout: 120_000,
    isolate: false,
    setupFiles: ['test/support/equalBytes.ts'],
    reporters: ['default', new ClosingLine()],
    projects: [
      {
        resolve: {
          alias: [
            ...doors,
            // What tests read keys with.
            { find: /^node:(fs|zlib|crypto)$/, replacement: path('./test/browsers/node/$1.ts') },
          ],
        },
        plugins: [
          {
            // Vite takes `new URL('file', import.meta.url)` for a file to be bundled; to a test it is an address.
            name: 'addresses-stay',
            enforce: 'pre',
            transform: (code, id) =>
              id.includes('/test/')
                ? code.replaceAll(', import.meta.url)', ', String(import.meta.url))')
                : undefined,
          },
        ],
        define: {
          'process.env': JSON.stringify({ TPU_TOOLKIT_SEED: process.env['TPU_TOOLKIT_SEED'] ?? '1' }),
        },
        extends: true,
        test: {
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
          ].map((folder) => `test/${folder}/**/*.test.ts`),
          exclude: [
            // These read the checkout itself, or compare what Node's inspect prints.
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
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: puppeteerProvider,
            instances: [{ browser: 'chromium' }, { browser: 'firefox' }],
          },
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
