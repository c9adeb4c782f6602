import { createReadStream, readFileSync, realpathSync, statSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, extname, join, sep } from 'node:path'
import { pipeline } from 'node:stream'
import { readOnlyServer } from '../../training/http/index.js'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A folder that is served. */
export interface Served {
  readonly url: string
  readonly server: Server
}

/**
 * Serves a folder's files to this machine alone; port 0 is any that is free. The content security policy of `page`, a file of the
 * folder, is a header of every answer, which workers are held to. Rejects where the port cannot be had.
 */
export function serveFolder(folder: string, port: number, page?: string): Promise<Served> {
  const policy = page === undefined ? undefined : policyOf(join(folder, page))
  const server = readOnlyServer('127.0.0.1', ({ url = '/', method }, response) => {
    const file = fileOf(folder, url)
    if (file === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('there is no such file\n')
      return
    }
    response.writeHead(200, {
      'content-type': types[extname(file.path)] ?? 'application/octet-stream',
      'content-length': file.size,
      // The next version of the package is served from the same address.
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      ...(policy === undefined ? {} : { 'content-security-policy': forFile(policy, file.path) }),
    })
    if (method === 'HEAD') response.end()
    else pipeline(createReadStream(file.path), response, () => undefined)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const { port: found } = server.address() as AddressInfo
      resolve({ url: `http://127.0.0.1:${found}/`, server })
    })
  })
}

/** The policy of a page, for workers and for what a page cannot say itself: that no other page shows it in a frame. */
function policyOf(page: string): string | undefined {
  const [, policy] =
    /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(readFileSync(page, 'utf8')) ?? []
  return policy && `${policy}; frame-ancestors 'none'`
}

/** The service worker asks for the files of the page. */
function forFile(policy: string, path: string): string {
  return basename(path) === 'offline.js' ? policy.replace("connect-src 'none'", "connect-src 'self'") : policy
}

/** The file that an address means; undefined where it is none inside the folder, symbolic links followed. */
function fileOf(folder: string, url: string): { readonly path: string; readonly size: number } | undefined {
  try {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname)
    const file = realpathSync(join(folder, path.endsWith('/') ? `${path}index.html` : path))
    if (!file.startsWith(realpathSync(folder) + sep)) return undefined
    const facts = statSync(file)
    return facts.isFile() ? { path: file, size: facts.size } : undefined
  } catch {
    // No such file, a name that is too long, or no address.
    return undefined
  }
}
