import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { serveFolder } from '../src/cli/lab/serveFolder.js'

/** What a search is to find: the words, and a page that has to be among the first five. */
const searches: readonly (readonly [words: string, page: string])[] = [
  ['stochastic rounding', 'documents/Training_in_low_precision.html'],
  ['stableCumsum', 'functions/tpu-toolkit.stableCumsum.html'],
  ['subnormals are flushed', 'documents/Optimizers.html'],
  ['first NaN', 'documents/The_NaN_at_step_2750.html'],
]

/**
 * Opens a site under a subpath in Chromium: the lab at its root, the guides, and their search. Returns what is wrong: a
 * search that does not find its page, an error on a page, a request to another host.
 */
export async function wrongInBrowser(site: string): Promise<string[]> {
  const wrong: string[] = []
  const folder = mkdtempSync(join(tmpdir(), 'site-'))
  cpSync(resolve(site), join(folder, 'sub'), { recursive: true })
  const { url, server } = await serveFolder(folder, 0)
  const browser = await chromium.launch({
    executablePath: process.env['TPU_TOOLKIT_CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
  try {
    const page = await browser.newPage()
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) {
        wrong.push(`a request to another host [${request.url()}]`)
      }
    })
    page.on('pageerror', (error) => wrong.push(`an error on ${page.url()} [${error.message}]`))
    await page.goto(`${url}sub/`)
    await page.waitForSelector('main[aria-busy="false"] h1')
    await page.click('footer a:text("The guides")')
    await page.waitForURL('**/sub/docs/index.html')
    for (const [words, wanted] of searches) {
      await page.goto(`${url}sub/docs/index.html`)
      await page.click('#tsd-search-trigger')
      await page.fill('#site-search input', words)
      await page.waitForSelector('#site-search li a')
      const found = await page
        .locator('#site-search li a')
        .evaluateAll((links) => links.slice(0, 5).map((link) => link.getAttribute('href') ?? ''))
      if (!found.some((link) => link.includes(wanted))) {
        wrong.push(`a search whose page is not among the first five [${words}: ${found.join(' ')}]`)
      }
      await page.press('#site-search input', 'Enter')
      await page.waitForURL((at) => !at.href.endsWith('index.html'))
    }
    await page.goto(`${url}sub/docs/documents/Optimizers.html`)
    await page.click('.open-in-lab a >> nth=0')
    await page.waitForSelector('.cm-content:has-text("clipByGlobalNorm"), .cm-content:has-text("optimizer")')
    await page.click('button:text-is("Run")')
    await page.waitForSelector('text=It ran to its end')
    await page.goBack()
    await page.click('#tsd-toolbar-links a')
    await page.waitForSelector('main[aria-busy="false"] h1')
  } finally {
    await browser.close()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return wrong
}
