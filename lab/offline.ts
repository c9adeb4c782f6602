// The service worker: the network first, so that a page is never older than its server; without it what was kept: the lab
// whole, and of the guides beside it the pages that were seen.

/** The files of the page, which the build writes here, and a name that changes with them. */
declare const LAB_FILES: readonly string[]
declare const LAB_VERSION: string

interface Extendable extends Event {
  waitUntil(promise: Promise<unknown>): void
}
interface Fetching extends Event {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}
interface ServiceScope {
  skipWaiting(): Promise<void>
  readonly clients: { claim(): Promise<void> }
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void
}
const scope = globalThis as unknown as ServiceScope
const cacheName = `tpu-toolkit-lab-${LAB_VERSION}`

scope.addEventListener('install', (event) => {
  const keep = async (): Promise<void> => {
    await (await caches.open(cacheName)).addAll([...LAB_FILES])
    await scope.skipWaiting()
  }
  event.waitUntil(keep())
})

async function keepCopy(request: Request, response: Response): Promise<void> {
  await (await caches.open(cacheName)).put(request, response)
}

scope.addEventListener('activate', (event) => {
  const clean = async (): Promise<void> => {
    const old = (await caches.keys()).filter((key) => key.startsWith('tpu-toolkit-lab-') && key !== cacheName)
    await Promise.all(old.map((key) => caches.delete(key)))
    await scope.clients.claim()
  }
  event.waitUntil(clean())
})

scope.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return
  const answer = async (): Promise<Response> => {
    try {
      const response = await fetch(event.request)
      // A copy, which whoever asked does not wait for.
      if (response.status === 200 && response.type === 'basic') void keepCopy(event.request, response.clone())
      return response
    } catch (error) {
      const kept = await caches.match(event.request, { ignoreSearch: true })
      if (kept) return kept
      throw error
    }
  }
  event.respondWith(answer())
})

export {}
