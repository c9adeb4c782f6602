/** A worker of a section, by its name. */
export function openWorker(name: string): Worker {
  return new Worker(new URL(`workers/${name}.js`, document.baseURI), { type: 'module' })
}
