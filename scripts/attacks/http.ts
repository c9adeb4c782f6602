import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SeededStream } from 'tpu-toolkit/random'
import { noise, pick, root, send, untilOver, victim } from './victim.js'

const over = `${untilOver}\nawait new Promise((resolve) => server.close(resolve)); console.log('closed')`

/** The lab's server, beside a file that is not its own and with links to it. */
export async function attackLab(random: SeededStream, attempts: number): Promise<string> {
  const outer = mkdtempSync(join(tmpdir(), 'attack-lab-'))
  const folder = join(outer, 'page')
  mkdirSync(folder)
  writeFileSync(join(outer, 'outside.txt'), 'SECRET')
  writeFileSync(join(folder, 'index.html'), 'FINE')
  symlinkSync(join(outer, 'outside.txt'), join(folder, 'link.txt'))
  symlinkSync(outer, join(folder, 'up'))
  const file = pathToFileURL(join(root, 'dist/cli/lab/serveFolder.js')).href
  try {
    return await attackHttp(
      `import { serveFolder } from ${JSON.stringify(file)}
const { url, server } = await serveFolder(${JSON.stringify(folder)}, 0)
console.log(url)
server.closeIdleConnections()
${over.replace('await new', 'server.closeAllConnections(); await new')}`,
      { random, attempts, fine: 'FINE', secret: /SECRET/, path: '/' },
    )
  } finally {
    rmSync(outer, { recursive: true, force: true })
  }
}

/** The server of metrics, of a run whose metrics have all sorts of names. */
export function attackMonitor(random: SeededStream, attempts: number): Promise<string> {
  return attackHttp(
    `import { monitor, serveMetrics } from 'tpu-toolkit/monitor'
const server = await serveMetrics({ port: 0 })
const run = monitor({ sinks: [server], onAlert: () => undefined, memory: false })
const letters = ['acc', '@', '/', '1', 'ж', 'é', '{', '"', '\\n', ' ', '_', '\\0', '']
let [step, seed] = [0, 1]
const timer = setInterval(() => {
  const metrics = { loss: step }
  for (let i = 0; i < 5; i++) {
    const name = [1, 2, 3].map(() => letters[(seed = (seed * 48271) % 2147483647) % letters.length]).join('')
    metrics[name] = [0, NaN, Infinity, 1e-300, undefined, 'text'][seed % 6]
  }
  run.onStep({ step: ++step, metrics })
}, 1)
process.stderr.write = () => true
console.log(server.url)
${untilOver}
clearInterval(timer)
await run.onEnd()
console.log('closed')`,
    {
      random,
      attempts,
      fine: 'tpu_toolkit_train_steps_total',
      secret: /EACCES|node:internal/,
      path: '/metrics',
    },
  )
}

interface Target {
  readonly random: SeededStream
  readonly attempts: number
  /** What the answer at `path` holds, and what none may hold. */
  readonly fine: string
  readonly secret: RegExp
  readonly path: string
}

async function attackHttp(
  program: string,
  { random, attempts, fine, secret, path }: Target,
): Promise<string> {
  const { line, finish } = await victim(program)
  const port = Number(new URL(line).port)
  const paths = [
    path,
    '/link.txt',
    '/up/outside.txt',
    '/../outside.txt',
    '/%2e%2e/outside.txt',
    '/..%2foutside.txt',
    '/%00',
  ]
  const hosts = [
    'localhost',
    '127.0.0.1',
    'evil.example',
    '',
    'localhost.evil.example',
    '[::1]',
    'x'.repeat(3000),
  ]
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'BREW']
  const check = (came: string, what: string): void => {
    if (secret.test(came)) throw new Error(`attack: an answer has what it must not have [${what}]`)
  }
  for (let i = 0; i < attempts; i++) {
    const where = random() < 0.7 ? pick(random, paths) : `/${'a/b'.repeat(Math.floor(random() * 1000))}`
    const [method, host] = [pick(random, methods), pick(random, hosts)]
    const request = `${method} ${where} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    const came = await send(port, random() < 0.2 ? noise(random) : request, 50)
    check(came, request.slice(0, 100))
    if (came.includes(fine) && !/^(localhost|127|\[)/.test(host)) {
      throw new Error(`attack: answered to ${host}`)
    }
    if (came.includes(fine) && method !== 'GET') throw new Error(`attack: answered ${method}`)
    if (i % 50 !== 0) continue
    const many = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(5000)
    check(await send(port, many, 500), 'pipelined')
  }
  const last = await send(
    port,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    10_000,
  )
  if (!last.includes(fine)) {
    throw new Error(`attack: the server does not answer any more [${last.slice(0, 200)}]`)
  }
  if (!(await finish()).endsWith('closed')) throw new Error('attack: the server did not close')
  return `answers after ${attempts} attempts`
}
