/**
 * A worker of a section, by its name. It is started from a blob, which has the page's content security policy: a worker that is started from an
 * address of its own has that of the response alone, and a static host sends none.
 */
export function openWorker(name: string): Worker {
  const script = `import ${JSON.stringify(new URL(`workers/${name}.js`, document.baseURI).href)}`
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))
  const worker = new Worker(address, { type: 'module', name })
  // The worker reads it after this function returns.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
  return worker
}
