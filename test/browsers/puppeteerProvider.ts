import { defineBrowserProvider } from '@vitest/browser'
import { type Browser, launch, type Page } from 'puppeteer-core'

const programs = { chromium: '/usr/bin/chromium', firefox: '/usr/bin/firefox-esr' }

/** Opens vitest's page in a browser of Debian's, Chromium or Firefox: WebDriver BiDi, which playwright does not speak to a Firefox that it did not build. */
export const puppeteerProvider = defineBrowserProvider({
  name: 'puppeteer',
  supportedBrowser: Object.keys(programs),
  providerFactory(project) {
    const name = project.config.browser.name === 'firefox' ? 'firefox' : 'chromium'
    let browser: Promise<Browser> | undefined
    const pages = new Map<string, Page>()
    return {
      name: 'puppeteer',
      supportsParallelism: false,
      getCommandsContext: (session) => ({ page: pages.get(session) }),
      async openPage(session, url) {
        browser ??= launch({
          browser: name === 'firefox' ? 'firefox' : 'chrome',
          executablePath: process.env[`TPU_TOOLKIT_${name.toUpperCase()}`] ?? programs[name],
          headless: true,
          args: name === 'chromium' ? ['--no-sandbox', '--disable-gpu'] : [],
        })
        const page = await (await browser).newPage()
        pages.set(session, page)
        page.on('pageerror', (error) => console.error(`${name}: ${String(error)}`))
        await page.goto(url, { timeout: 300_000 })
      },
      async close() {
        await (await browser)?.close()
      },
    }
  },
})
