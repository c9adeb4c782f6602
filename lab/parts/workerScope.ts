/** What a worker is to itself; the types of pages do not have it. */
interface WorkerScope {
  postMessage(message: unknown, transfer?: Transferable[]): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
}

/** The worker that this runs in. */
export const workerScope = globalThis as unknown as WorkerScope

/** Answers every message of the page; what is thrown is answered as an error. */
export function answerPage<Asked, Told>(answer: (asked: Asked, send: (message: Told) => void) => void): void {
  workerScope.addEventListener('message', ({ data }) => {
    try {
      answer(data, (message) => workerScope.postMessage(message))
    } catch (thrown) {
      workerScope.postMessage({ failed: thrown instanceof Error ? thrown.message : String(thrown) })
    }
  })
}
