import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const names = ['chromium', 'chromium-browser', 'google-chrome']
/** Chromium's program: that of TPU_TOOLKIT_CHROMIUM, else the first on the path. */
function chromium(): string {
  const named = process.env['TPU_TOOLKIT_CHROMIUM']
  const found = (named ? [named] : names).find((name) => spawnSync(name, ['--version']).status === 0)
  if (found) return found
  throw new Error(`browser: no Chromium [${named ?? names.join(', ')}]; apt-get install chromium`)
}

/**
 * Runs a script in a page of headless Chromium and returns what it logged. Everything in the script is synchronous, so
 * all of it has run when the page is loaded, and Chromium's own `--dump-dom` suffices: no driver, no port, no package.
 */
export function logOfPage(script: string, folder: string): string {
  const page = join(folder, 'page.html')
  const html = `<!doctype html><meta charset="utf-8"><pre></pre><script>
    const lines = []
    console.log = (...values) => lines.push(values.join(' '))
    let failed = false
    addEventListener('error', ({ message }) => { failed = true; lines.push(message) })
  </script>
  <script>${script.replaceAll('</script', '<\\/script')}</script>
  <script>
    const said = encodeURIComponent(lines.map((line) => line + '\\n').join(''))
    document.querySelector('pre').textContent = (failed ? 'failed:' : 'ran:') + said
  </script>`
  writeFileSync(page, html)
  const profile = mkdtempSync(join(folder, 'chromium-'))
  const args = [
    '--headless',
    '--disable-gpu',
    `--user-data-dir=${profile}`,
    '--dump-dom',
    pathToFileURL(page).href,
  ]
  // Chromium refuses its sandbox to root, and a container's user often has none.
  const done = spawnSync(chromium(), ['--no-sandbox', ...args], { encoding: 'utf8', timeout: 120_000 })
  if (done.error) throw done.error
  const [, how, said = ''] = /<pre>(ran|failed):([^<]*)<\/pre>/.exec(done.stdout) ?? []
  if (done.status !== 0 || !how) throw new Error(`browser: the page was not loaded\n${done.stderr}`)
  const log = decodeURIComponent(said)
  if (how === 'failed') throw new Error(`browser: the script failed\n${log}`)
  return log
}
