import { type Signal, signal, useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { latestWins } from './latestWins.js'

/** The last answer of a worker to a question that follows the state of a section. */
export interface Answered<Asked, Answer> {
  readonly answer: Signal<Answer | undefined>
  /** Why there is no newer answer; empty where there is one. */
  readonly failure: Signal<string>
  /** A hook: asks while the component is shown, anew whenever a signal that `question` reads changes; undefined asks nothing. */
  readonly useQuestion: (question: () => Asked | Error | undefined) => void
}

/**
 * Answers of the worker `name`, kept while the section is not shown. `keyOf` says which questions are the same; undefined is like no other.
 */
export function answered<Asked, Answer>(
  name: string,
  keyOf: (asked: Asked) => string | undefined = JSON.stringify,
): Answered<Asked, Answer> {
  const answer = signal<Answer | undefined>(undefined)
  const failure = signal('')
  const ask = signal<((asked: Asked) => void) | undefined>(undefined)
  /** The question that was last asked, and whether its answer is whole: then a reader who comes back to the section causes no second computation. */
  let last: string | undefined
  let whole = false
  const open = () => {
    const worker = latestWins<Asked, Answer>(name, {
      onAnswer: (received, all) => {
        answer.value = received
        failure.value = ''
        whole = all
      },
      onFailure: (why) => {
        failure.value = why
        whole = false
      },
    })
    ask.value = (asked) => {
      const question = keyOf(asked)
      if (question !== undefined && question === last && whole) return
      last = question
      whole = false
      worker.ask(asked)
    }
    return () => {
      ask.value = undefined
      worker.close()
    }
  }
  const useQuestion = (question: () => Asked | Error | undefined): void => {
    useEffect(open, [])
    useSignalEffect(() => {
      const asked = question()
      if (asked instanceof Error) failure.value = asked.message
      else if (asked !== undefined) ask.value?.(asked)
    })
  }
  return { answer, failure, useQuestion }
}
