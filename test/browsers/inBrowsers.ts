import { fileURLToPath } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'
import { sourceAliases } from '../../scripts/folders.js'
import { puppeteerProvider } from './puppeteerProvider.js'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** The package's doors as its sources. */
export const doors: ReturnType<typeof sourceAliases> = sourceAliases(path('../../src'))

/** What runs tests as they are in Debian's browsers, with this for their `process.env`. */
export function inBrowsers(
  browsers: readonly ('chromium' | 'firefox')[],
  environment: Readonly<Record<string, string>>,
): ViteUserConfig {
  return {
    resolve: {
      alias: [
        ...doors,
        // What tests read keys with.
        { find: /^node:(fs|zlib|crypto|url)$/, replacement: path('./node/$1.ts') },
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
    define: { 'process.env': JSON.stringify(environment) },
    test: {
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        // A browser on a busy machine took more than the usual minute to open a page.
        connectTimeout: 300_000,
        provider: puppeteerProvider,
        instances: browsers.map((browser) => ({ browser })),
      },
    },
  }
}
