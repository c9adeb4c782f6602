import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LabBrowser, OpenLab } from '../support/labPage.js'
import { runAll, type } from './programClaims.js'

/** Tries every way to another origin that a script has; says nothing of how each ended. */
const leaks = (url: string): string => `
const to = (what) => ${JSON.stringify(url)} + what
const tries = [
  () => fetch(to('fetch'), { mode: 'no-cors' }),
  () => fetch(to('post'), { mode: 'no-cors', method: 'POST', body: 'secret', keepalive: true }),
  () => new Promise((done) => { const x = new XMLHttpRequest(); x.open('GET', to('xhr')); x.onloadend = done; x.send() }),
  () => new Promise((done) => { const x = new WebSocket(to('socket').replace('http', 'ws')); x.onclose = done; x.onerror = done }),
  () => new Promise((done) => { const x = new EventSource(to('events')); x.onerror = () => { x.close(); done() } }),
  () => import(to('module.js')),
  () => importScripts(to('script.js')),
  () => new Promise((done) => { const x = new Worker(to('worker.js')); x.onerror = done }),
  () => navigator.sendBeacon(to('beacon'), 'secret'),
  () => caches.open('x').then((cache) => cache.add(to('cache'))),
  () => new Promise((done) => { const x = new Image(); x.onload = x.onerror = done; x.src = to('image') }),
  () => new Promise((done) => { const x = document.createElement('iframe'); x.onload = done; x.src = to('frame'); document.body.append(x) }),
]
const late = () => new Promise((done) => setTimeout(done, 1000))
for (const attempt of tries) {
  try { await Promise.race([attempt(), late()]) } catch {}
}
`

/** Nothing leaves the page: shown by a server that hears of every request which comes. */
export function leakClaims(lab: () => OpenLab, browser: LabBrowser): void {
  describe.each(['the policy as a header', 'a static host that sends no header'])('with %s', (way) => {
    const heard: string[] = []
    const elsewhere = createServer(({ url = '' }, response) => {
      heard.push(url)
      response
        .writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/javascript' })
        .end('')
    })
    elsewhere.on('upgrade', ({ url = '' }, socket) => {
      heard.push(url)
      socket.destroy()
    })
    let plain: Server | undefined
    let [away, home] = ['', '']
    beforeAll(async () => {
      elsewhere.listen(0, '127.0.0.1')
      await once(elsewhere, 'listening')
      away = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`
      home = lab().url
      if (way === 'the policy as a header') return
      // The same files, without the header.
      plain = createServer(async ({ url = '/' }, response) => {
        const { status, headers, ...answer } = await fetch(new URL(url, lab().url)).then(async (given) => ({
          status: given.status,
          headers: given.headers,
          body: Buffer.from(await given.arrayBuffer()),
        }))
        response.writeHead(status, { 'content-type': headers.get('content-type') ?? '' }).end(answer.body)
      })
      plain.listen(0, '127.0.0.1')
      await once(plain, 'listening')
      home = lab().url.replace(/:\d+/, `:${(plain.address() as AddressInfo).port}`)
    })
    afterAll(() => {
      for (const server of [elsewhere, plain]) {
        server?.closeAllConnections()
        server?.close()
      }
    })
    const opened = async (hash: string) => {
      const shown = await lab().open(hash)
      await shown.page.goto(home + hash)
      return shown
    }

    it('hears of every way where there is no policy', async () => {
      // The page of the other server itself has none.
      const { page, context } = await lab().open()
      await page.goto(`${away}page.html`)
      heard.length = 0
      await page.evaluate(`(async () => { ${leaks(away)} })()`)
      const paths = new Set(heard.map((path) => path.slice(1)))
      for (const path of [
        'fetch',
        'post',
        'xhr',
        'socket',
        'events',
        'module.js',
        'worker.js',
        'beacon',
        'image',
      ]) {
        expect(paths).toContain(path)
      }
      await context.close()
    })

    it('nothing leaves the page by any of them', async () => {
      const { page, context } = await opened('')
      await page.waitForSelector('nav')
      heard.length = 0
      await page.evaluate(`(async () => { ${leaks(away)} })()`)
      expect(heard).toEqual([])
      await context.close()
    })

    it('nothing leaves the worker of the editor', async () => {
      const { page, context } = await opened('#editor')
      await page.waitForSelector('.cm-content')
      heard.length = 0
      await type(page, `${leaks(away)}\nconsole.log('tried ' + tries.length)\n`)
      await page.click('button:text-is("Run")')
      await page.waitForSelector('text=tried 12', { timeout: 60_000 })
      expect(heard).toEqual([])
      await context.close()
    })

    // Declared where they apply: CI fails a run that skips a test.
    if (browser === 'chromium') {
      it('nothing leaves the worker that reads a file', async () => {
        const { page, context } = await opened('#file')
        // It would be ended with its file.
        await page.evaluate('Worker.prototype.terminate = () => undefined')
        const started = page.waitForEvent('worker')
        await page.click('button:text("Take a sample file")')
        const worker = await started
        await page.waitForSelector('.said:has-text("4 tensors quantised")')
        heard.length = 0
        await worker.evaluate(`(async () => { ${leaks(away)} })()`)
        expect(heard).toEqual([])
        await context.close()
      })
    }

    if (way === 'the policy as a header') {
      it('nothing leaves a worker that is started from its address', async () => {
        const { page, context } = await opened('')
        heard.length = 0
        const [result] = (await page.evaluate(
          `(${runAll})([${JSON.stringify(`${leaks(away)}console.log('tried')`)}])`,
        )) as [{ readonly printed: readonly string[] }]
        expect(result.printed).toEqual(['tried'])
        expect(heard).toEqual([])
        await context.close()
      })
    }
  })
}
