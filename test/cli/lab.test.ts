import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, serveFolder } from '../../src/cli/lab/serveFolder.js'
import { runCli } from '../support/runCli.js'

const outer = mkdtempSync(join(tmpdir(), 'serve-'))
const folder = join(outer, 'page')
let served: Served
beforeAll(async () => {
  mkdirSync(join(folder, 'sub'), { recursive: true })
  writeFileSync(join(outer, 'secret.txt'), 'secret')
  writeFileSync(join(outer, 'page-beside.txt'), 'secret')
  writeFileSync(join(folder, 'index.html'), '<p>page</p>')
  writeFileSync(join(folder, 'sub/a.js'), 'export {}')
  served = await serveFolder(folder, 0)
})
afterAll(() => {
  served.server.close()
  rmSync(outer, { recursive: true, force: true })
})

/** Asks for a path as it is written: fetch would take `..` out of it. */
function ask(path: string, method = 'GET'): Promise<{ status: number; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(served.url)
    const asked = request({ host: '127.0.0.1', port, path, method }, (response) => {
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
    expect(await ask('/')).toEqual({ status: 200, type: 'text/html; charset=utf-8', text: '<p>page</p>' })
    expect(await ask('/sub/a.js?x=1')).toMatchObject({ status: 200, type: 'text/javascript; charset=utf-8' })
    expect(await ask('/sub/a.js', 'HEAD')).toMatchObject({ status: 200, text: '' })
  })

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/../page-beside.txt',
    '/sub',
    '/no.js',
    '/%00',
    '/%zz',
  ])('gives nothing for %s', async (path) => {
    const { status, text } = await ask(path)
    expect([status, text.includes('secret')]).toEqual([404, false])
  })

  it('only reads', async () => {
    expect((await ask('/', 'POST')).status).toBe(405)
  })

  it('rejects a port that is taken', async () => {
    await expect(serveFolder(folder, Number(new URL(served.url).port))).rejects.toThrow('EADDRINUSE')
  })
})

describe('tpu-toolkit lab', () => {
  it('refuses a port that is none, and says in a checkout how the page is built', async () => {
    expect(await runCli('lab', '--port', '70000')).toEqual({
      status: 2,
      out: '',
      error: 'lab: --port is not a whole number from 0 to 65535 [70000]\n',
    })
    expect(await runCli('lab')).toEqual({
      status: 1,
      out: '',
      error: 'lab: the page is not here; in a checkout `npm run lab` builds it\n',
    })
  })
})
