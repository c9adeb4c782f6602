import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pageFolder } from '../../src/cli/lab/pageFolder.js'
import { type Served, serveFolder } from '../../src/cli/lab/serveFolder.js'
import { runCli } from '../support/runCli.js'

const outer = mkdtempSync(join(tmpdir(), 'serve-'))
const folder = join(outer, 'page')
const html = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; connect-src 'none'" /><p>page</p>`
let served: Served
beforeAll(async () => {
  mkdirSync(join(folder, 'sub'), { recursive: true })
  writeFileSync(join(outer, 'secret.txt'), 'secret')
  writeFileSync(join(outer, 'page-beside.txt'), 'secret')
  writeFileSync(join(folder, 'index.html'), html)
  writeFileSync(join(folder, 'sub/a.js'), 'export {}')
  symlinkSync(join(outer, 'secret.txt'), join(folder, 'linked.txt'))
  symlinkSync(outer, join(folder, 'up'))
  symlinkSync(join(folder, 'sub/a.js'), join(folder, 'within.js'))
  writeFileSync(join(folder, 'offline.js'), '')
  served = await serveFolder(folder, 0, 'index.html')
})
afterAll(() => {
  served.server.close()
  rmSync(outer, { recursive: true, force: true })
})

/** Asks for a path as it is written: fetch would take `..` out of it. */
function ask(
  path: string,
  method = 'GET',
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; type: string; text: string; policy?: string }> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(served.url)
    const asked = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = ''
      response.on('data', (part) => (text += String(part)))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }),
      )
    })
    asked.on('error', reject).end()
  })
}

describe('serveFolder(folder, port)', () => {
  it('gives files with the types that modules need, and the index for a folder', async () => {
    expect(await ask('/')).toEqual({ status: 200, type: 'text/html; charset=utf-8', text: html })
    expect(await ask('/sub/a.js?x=1')).toMatchObject({ status: 200, type: 'text/javascript; charset=utf-8' })
    expect(await ask('/sub/a.js', 'HEAD')).toMatchObject({ status: 200, text: '' })
  })

  it('gives what is text compressed to who takes it, and again only where it has changed', async () => {
    const long = `export const words = '${'the same words again '.repeat(200)}'`
    writeFileSync(join(folder, 'long.js'), long)
    const first = await fetch(`${served.url}long.js`)
    expect(await first.text()).toBe(long)
    expect(first.headers.get('content-encoding')).toBe('gzip')
    expect(Number(first.headers.get('content-length'))).toBeLessThan(long.length / 10)
    const tag = first.headers.get('etag')!
    const again = { headers: { 'if-none-match': tag } }
    const kept = await fetch(`${served.url}long.js`, again)
    expect([kept.status, await kept.text()]).toEqual([304, ''])
    expect(await ask('/long.js')).toMatchObject({ status: 200, text: long })
    writeFileSync(join(folder, 'long.js'), 'export {}')
    const changed = await fetch(`${served.url}long.js`, again)
    expect([changed.status, await changed.text()]).toEqual([200, 'export {}'])
  })

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/../page-beside.txt',
    '/sub',
    '/no.js',
    '/linked.txt',
    '/up/secret.txt',
    `/${'a'.repeat(300)}`,
    `/${'a/'.repeat(3000)}`,
    '/%00',
    '/%zz',
  ])('gives nothing for %s', async (path) => {
    const { status, text } = await ask(path)
    expect([status, text.includes('secret')]).toEqual([404, false])
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('answers %s with 405', async (method) => {
    expect((await ask('/', method)).status).toBe(405)
  })

  it.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example'])(
    'answers nothing under the name %j, which leads here by DNS rebinding',
    async (host) => expect(await ask('/', 'GET', { host })).toMatchObject({ status: 421 }),
  )

  it.each(['localhost', '127.0.0.1:8080', '[::1]:1'])(
    'answers under the name %s of this machine',
    async (host) => expect((await ask('/within.js', 'GET', { host })).status).toBe(200),
  )

  it('has the policy of its page as a header of every file; the service worker may ask for the files', async () => {
    const policies = await Promise.all(
      ['', 'sub/a.js', 'offline.js'].map(async (path) =>
        (await fetch(served.url + path)).headers.get('content-security-policy'),
      ),
    )
    const plain = "default-src 'none'; connect-src 'none'; frame-ancestors 'none'"
    expect(policies).toEqual([plain, plain, plain.replace("connect-src 'none'", "connect-src 'self'")])
  })

  it('cuts a connection that sends requests without reading the answers, and goes on', async () => {
    const socket = connect({ port: Number(new URL(served.url).port), host: '127.0.0.1' })
    socket.on('error', () => {})
    socket.pause().write('GET /sub/a.js HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1000))
    await once(socket.resume(), 'close')
    expect((await ask('/')).status).toBe(200)
  })

  it('rejects a port that is taken', async () => {
    await expect(serveFolder(folder, Number(new URL(served.url).port))).rejects.toThrow('EADDRINUSE')
  })
})

describe('pageFolder(module, workingFolder)', () => {
  const put = (path: string): string => {
    mkdirSync(join(outer, path), { recursive: true })
    writeFileSync(join(outer, path, 'index.html'), '')
    return join(outer, path)
  }
  const commandIn = (project: string): string =>
    pathToFileURL(join(outer, project, 'node_modules/tpu-toolkit/dist/cli/lab/lab.js')).href

  it('is the page of the package beside the command, or beside the working folder', () => {
    const page = put('project/node_modules/tpu-toolkit-lab/page')
    writeFileSync(
      join(page, '../package.json'),
      '{ "name": "tpu-toolkit-lab", "exports": { "./package.json": "./package.json" } }',
    )
    expect(pageFolder(commandIn('project'), outer)).toBe(page)
    expect(pageFolder(commandIn('elsewhere'), join(outer, 'project'))).toBe(page)
  })

  it('is that of the checkout first, and none where there is none', () => {
    const page = put('checkout/lab/package/page')
    expect(pageFolder(pathToFileURL(join(outer, 'checkout/dist/cli/lab/lab.js')).href, outer)).toBe(page)
    expect(pageFolder(commandIn('empty'), outer)).toBeUndefined()
  })
})

describe('tpu-toolkit lab', () => {
  it('refuses a port that is none', async () => {
    expect(await runCli('lab', '--port', '70000')).toEqual({
      status: 2,
      out: '',
      error: 'lab: --port is not a whole number from 0 to 65535 [70000]\n',
    })
  })
})
