import { openWorker } from './openWorker.js'

/** A worker of which only the newest question matters. */
export interface LatestWins<Asked> {
  readonly ask: (asked: Asked) => void
  readonly close: () => void
}

/**
 * At most one question is with the worker and one waits, which a newer one replaces: an answer is never further behind than
 * one computation, and nothing queues up behind a slider. What the worker tells as a part is shown and does not end its work.
 * A broken worker is opened anew by the next question.
 */
export function latestWins<Asked, Answer>(
  name: string,
  {
    onAnswer,
    onFailure,
  }: {
    /** `whole` where it is all of the answer to the newest question. */
    readonly onAnswer: (answer: Answer, whole: boolean) => void
    readonly onFailure: (why: string) => void
  },
): LatestWins<Asked> {
  let worker: Worker | undefined
  let busy = false
  let waiting: { readonly asked: Asked } | undefined
  const next = (): void => {
    busy = false
    if (waiting === undefined) return
    const { asked } = waiting
    waiting = undefined
    send(asked)
  }
  const send = (asked: Asked): void => {
    if (busy) {
      waiting = { asked }
      return
    }
    busy = true
    worker ??= open()
    worker.postMessage(asked)
  }
  const open = (): Worker => {
    const opened = openWorker(name)
    opened.onmessage = ({
      data,
    }: MessageEvent<{ answer: Answer } | { part: Answer } | { failed: string }>) => {
      if ('part' in data) {
        onAnswer(data.part, false)
        return
      }
      if ('failed' in data) onFailure(data.failed)
      else onAnswer(data.answer, waiting === undefined)
      next()
    }
    opened.onerror = ({ message }) => {
      opened.terminate()
      worker = undefined
      onFailure(message || 'the worker did not start')
      next()
    }
    return opened
  }
  return {
    ask: send,
    close: () => {
      worker?.terminate()
      worker = undefined
      waiting = undefined
    },
  }
}
