// node:url for tests in a browser: the path of an address, as vitest's server has it.

export function fileURLToPath(url: URL): string {
  return url.pathname
}
