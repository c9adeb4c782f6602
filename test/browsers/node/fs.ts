// node:fs for tests in a browser: files of the checkout, as vitest's server has them.

// The types of Node do not have it.
declare class XMLHttpRequest {
  readonly status: number
  readonly responseText: string
  open(method: 'GET', url: string, async: false): void
  overrideMimeType(type: string): void
  send(): void
}

export function readFileSync(file: URL | string): Uint8Array
export function readFileSync(file: URL | string, encoding: 'utf8'): string
export function readFileSync(file: URL | string, encoding?: 'utf8'): Uint8Array | string {
  const request = new XMLHttpRequest()
  // A test file's own address begins with the checkout's folder.
  const path = typeof file === 'string' ? file : file.pathname.slice(file.pathname.indexOf('/test/'))
  request.open('GET', path, false)
  // The only way to bytes while a page waits: each as a character of its own.
  if (encoding === undefined) request.overrideMimeType('text/plain; charset=x-user-defined')
  request.send()
  if (request.status !== 200) throw new Error(`readFileSync: no such file [${path}]`)
  const text = request.responseText
  return encoding === undefined ? Bytes.from(text, (char: string) => char.charCodeAt(0) & 0xff) : text
}

/** A server lists no folder: a test that looks into one needs Node. */
export function readdirSync(folder: unknown): never {
  throw new Error(`readdirSync: a browser lists no folder [${String(folder)}]`)
}

/** As a Buffer its text is what the bytes say. */
class Bytes extends Uint8Array {
  override toString(): string {
    return new TextDecoder().decode(this)
  }
}
