import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { type BuiltLab, buildLab } from '../../scripts/buildLab.js'
import { serveFolder } from '../../src/cli/lab/serveFolder.js'
import { chromiumPath } from './chromiumPath.js'
import { firefoxOverBidi } from './firefoxOverBidi.js'
import { root } from './project.js'

/** The browsers that the lab is tried in. */
export type LabBrowser = 'chromium' | 'firefox'

/** The lab, built, served and open in a browser. */
export interface OpenLab {
  readonly url: string
  readonly built: BuiltLab
  readonly server: Server
  readonly browser: Browser
  /**
   * A page of its own context at a section; what the page logs as an error, or throws, is in `errors`. Chromium's is
   * without the service worker, which fetches all of the lab each time, unless it is allowed.
   */
  readonly open: (hash?: string, options?: BrowserContextOptions) => Promise<LabPage>
  readonly close: () => Promise<void>
}

/** A page of the lab. */
export interface LabPage {
  readonly page: Page
  readonly context: BrowserContext
  readonly errors: readonly string[]
}

/** Builds the lab into a folder of its own, serves it, and starts a browser. */
export async function openLab(name: LabBrowser = 'chromium'): Promise<OpenLab> {
  const folder = mkdtempSync(join(tmpdir(), 'lab-'))
  const built = await buildLab(root, join(folder, 'sub'))
  // Under a subpath, as on a static host.
  const { url, server } = await serveFolder(folder, 0, 'sub/index.html')
  const browser = await (name === 'firefox' ? firefoxOverBidi() : startChromium())
  return {
    ...{ url: `${url}sub/`, built, server, browser },
    async open(hash = '', options = {}) {
      if (name === 'firefox' && (options.colorScheme || options.reducedMotion)) {
        throw new Error(
          'openLab: this Firefox is not told what a reader prefers [colorScheme, reducedMotion]',
        )
      }
      const without = name === 'chromium' ? { serviceWorkers: 'block' as const } : {}
      const context = await browser.newContext({ ...without, ...options })
      const page = await context.newPage()
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text())
      })
      await page.goto(`${url}sub/${hash}`)
      return { page, context, errors }
    },
    async close() {
      await browser.close()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
    ],
  })
}
