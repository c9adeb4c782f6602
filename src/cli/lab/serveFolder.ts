import { createReadStream, type Stats, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize, sep } from 'node:path'

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

/** Serves a folder's files to this machine alone; port 0 is any that is free. Rejects where the port cannot be had. */
export function serveFolder(folder: string, port: number): Promise<Served> {
  const server = createServer(({ url = '/', method }, response) => {
    const refuse = (status: number, why: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`)
    }
    if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'files are only read')
    const path = fileOf(folder, url)
    const facts = path === undefined ? undefined : factsOf(path)
    if (path === undefined || !facts?.isFile()) return refuse(404, 'there is no such file')
    response.writeHead(200, {
      'content-type': types[extname(path)] ?? 'application/octet-stream',
      'content-length': facts.size,
      // The next version of the package is served from the same address.
      'cache-control': 'no-cache',
    })
    if (method === 'HEAD') return response.end()
    return createReadStream(path)
      .on('error', () => response.destroy())
      .pipe(response)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const { port: found } = server.address() as AddressInfo
      resolve({ url: `http://127.0.0.1:${found}/`, server })
    })
  })
}

/** The file that an address means; undefined where it is none inside the folder. */
function fileOf(folder: string, url: string): string | undefined {
  let path: string
  try {
    path = decodeURIComponent(new URL(url, 'http://localhost').pathname)
  } catch {
    return undefined
  }
  if (path.includes('\0')) return undefined
  const file = normalize(join(folder, path.endsWith('/') ? `${path}index.html` : path))
  return file.startsWith(folder.endsWith(sep) ? folder : folder + sep) ? file : undefined
}

function factsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
