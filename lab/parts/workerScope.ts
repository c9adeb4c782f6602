/** What a worker is to itself; the types of pages do not have it. */
interface WorkerScope {
  postMessage(message: unknown, transfer?: Transferable[]): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
}

const scope = globalThis as unknown as WorkerScope

/** Answers every message of the page; what is thrown is answered as an error. */
export function answerPage<Asked, Told>(answer: (asked: Asked, tell: (told: Told) => void) => void): void {
  scope.addEventListener('message', ({ data }) => {
    try {
      answer(data, (told) => scope.postMessage(told))
    } catch (thrown) {
      scope.postMessage({ failed: thrown instanceof Error ? thrown.message : String(thrown) })
    }
  })
}
