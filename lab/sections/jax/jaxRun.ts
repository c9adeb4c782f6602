import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { openWorker } from '../../parts/openWorker.js'
import type { JaxAsked, JaxMessage, OperationValues } from './jaxMessages.js'

type Part<Name extends string> = JaxMessage extends infer Told
  ? Told extends { readonly [name in Name]: infer Content }
    ? Content
    : never
  : never

/** A program that a worker examines, as the page sees it. */
export interface JaxRun {
  readonly state: ReadonlySignal<'waiting' | 'running' | 'done' | 'stopped' | 'failed'>
  readonly opened: ReadonlySignal<Part<'opened'> | undefined>
  readonly stepped: ReadonlySignal<Part<'stepped'> | undefined>
  readonly origin: ReadonlySignal<Part<'origin'> | undefined>
  readonly found: ReadonlySignal<Part<'found'> | undefined>
  readonly shares: ReadonlySignal<Part<'shares'> | undefined>
  readonly values: ReadonlySignal<OperationValues | undefined>
  readonly failure: ReadonlySignal<string>
  readonly start: (asked: JaxAsked) => void
  /** Asks for the values of an operation of the program that was examined last. */
  readonly look: (step: number) => void
  readonly stop: () => void
}

/** What examines one program after the other; a new one ends the one before. */
export function jaxRun(): JaxRun {
  const state = signal<'waiting' | 'running' | 'done' | 'stopped' | 'failed'>('waiting')
  const opened = signal<Part<'opened'> | undefined>(undefined)
  const stepped = signal<Part<'stepped'> | undefined>(undefined)
  const origin = signal<Part<'origin'> | undefined>(undefined)
  const found = signal<Part<'found'> | undefined>(undefined)
  const shares = signal<Part<'shares'> | undefined>(undefined)
  const values = signal<OperationValues | undefined>(undefined)
  const failure = signal('')
  let worker: Worker | undefined
  const halt = (): void => {
    worker?.terminate()
    worker = undefined
  }
  const hear = (message: JaxMessage): void => {
    if ('opened' in message) {
      opened.value = message.opened
    } else if ('stepped' in message) {
      stepped.value = message.stepped
    } else if ('origin' in message) {
      origin.value = message.origin
    } else if ('found' in message) {
      found.value = message.found
    } else if ('shares' in message) {
      shares.value = message.shares
    } else if ('values' in message) {
      values.value = message.values
    } else if ('done' in message) {
      state.value = 'done'
    } else {
      failure.value = message.failed
      state.value = 'failed'
      halt()
    }
  }
  return {
    ...{ state, opened, stepped, origin, found, shares, values, failure },
    start(asked) {
      halt()
      batch(() => {
        for (const one of [opened, stepped, origin, found, shares, values]) one.value = undefined
        failure.value = ''
        state.value = 'running'
      })
      worker = openWorker('jax')
      worker.onerror = ({ message }) => hear({ failed: message || 'the worker did not start' })
      worker.onmessage = ({ data }: MessageEvent<JaxMessage>) => batch(() => hear(data))
      worker.postMessage(asked)
    },
    look: (step) => worker?.postMessage({ values: step } satisfies JaxAsked),
    stop() {
      if (state.peek() === 'running') state.value = 'stopped'
      halt()
    },
  }
}
