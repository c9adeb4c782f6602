import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, realpathSync, statSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, extname, join, sep } from 'node:path'
import { pipeline } from 'node:stream'
import { gzipSync } from 'node:zlib'
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
  const packed = packer()
  const server = readOnlyServer('127.0.0.1', ({ url = '/', method, headers }, response) => {
    const file = fileOf(folder, url)
    if (file === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('there is no such file\n')
      return
    }
    const body = types[extname(file.path)] === undefined ? undefined : packed(file)
    const kept = body !== undefined && headers['if-none-match'] === body.tag
    const zipped = body !== undefined && /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
    response.writeHead(kept ? 304 : 200, {
      'content-type': types[extname(file.path)] ?? 'application/octet-stream',
      ...(kept ? {} : { 'content-length': zipped ? body.bytes.length : file.size }),
      ...(zipped && !kept ? { 'content-encoding': 'gzip' } : {}),
      ...(body === undefined ? {} : { etag: body.tag, vary: 'accept-encoding' }),
      // A file whose name is its content's never changes; of the others the next version is served from the same address.
      'cache-control': /[/\\]chunks[/\\]/.test(file.path) ? 'max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      ...(policy === undefined ? {} : { 'content-security-policy': forFile(policy, file.path) }),
    })
    if (kept || method === 'HEAD') response.end()
    else if (zipped) response.end(body.bytes)
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

/** A file compressed, and a tag that changes with it. */
interface Packed {
  readonly bytes: Uint8Array
  readonly tag: string
}

/** Compresses each file once, and again where it has changed. */
function packer(): (file: FoundFile) => Packed {
  const known = new Map<string, Packed & { readonly stamp: string }>()
  return ({ path, size, modified }) => {
    const stamp = `${size} ${modified}`
    const before = known.get(path)
    if (before?.stamp === stamp) return before
    const content = readFileSync(path)
    const tag = `"${createHash('sha256').update(content).digest('hex').slice(0, 20)}"`
    const made = { bytes: gzipSync(content, { level: 9 }), tag, stamp }
    known.set(path, made)
    return made
  }
}

/** A file of the folder. */
interface FoundFile {
  readonly path: string
  readonly size: number
  readonly modified: number
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
function fileOf(folder: string, url: string): FoundFile | undefined {
  try {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname)
    const file = realpathSync(join(folder, path.endsWith('/') ? `${path}index.html` : path))
    if (!file.startsWith(realpathSync(folder) + sep)) return undefined
    const facts = statSync(file)
    return facts.isFile() ? { path: file, size: facts.size, modified: facts.mtimeMs } : undefined
  } catch {
    // No such file, a name that is too long, or no address.
    return undefined
  }
}
