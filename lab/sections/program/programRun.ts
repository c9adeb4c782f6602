import { type ReadonlySignal, signal } from '@preact/signals'
import { openWorker } from '../../parts/openWorker.js'
import type { Diagnosis, ProgramTold } from './programMessages.js'

/** A line that was printed; `wrong` where it is an error. */
export interface Printed {
  readonly text: string
  readonly wrong: boolean
}

/** A program that runs in a worker of its own, which is ended where it takes too long. */
export interface ProgramRun {
  readonly state: ReadonlySignal<'waiting' | 'running' | 'ended' | 'failed' | 'stopped'>
  readonly printed: ReadonlySignal<readonly Printed[]>
  readonly diagnosis: ReadonlySignal<Diagnosis | undefined>
  /** How it ended, in words. */
  readonly ending: ReadonlySignal<string>
  /** The line of the program where it ended with an error, from 1 on. */
  readonly wrongLine: ReadonlySignal<number | undefined>
  /** Says why a program is not run. */
  readonly refuse: (reasons: readonly string[]) => void
  readonly start: (code: string, options: { readonly examine: boolean; readonly seconds: number }) => void
  readonly stop: () => void
}

/** Lines that are kept: a program that prints without end is not to fill the page. */
const longest = 2000

export function programRun(): ProgramRun {
  const state = signal<'waiting' | 'running' | 'ended' | 'failed' | 'stopped'>('waiting')
  const printed = signal<readonly Printed[]>([])
  const diagnosis = signal<Diagnosis | undefined>(undefined)
  const ending = signal('')
  const wrongLine = signal<number | undefined>(undefined)
  let worker: Worker | undefined
  let limit: ReturnType<typeof setTimeout> | undefined
  let fresh: Printed[] = []
  let frame = 0
  const flush = (): void => {
    frame = 0
    if (fresh.length > 0) printed.value = [...printed.value, ...fresh].slice(0, longest)
    fresh = []
  }
  const close = (how: 'ended' | 'failed' | 'stopped', words: string): void => {
    clearTimeout(limit)
    worker?.terminate()
    worker = undefined
    flush()
    ending.value = words
    state.value = how
  }
  return {
    ...{ state, printed, diagnosis, ending, wrongLine },
    refuse(reasons) {
      if (worker) close('stopped', '')
      diagnosis.value = undefined
      wrongLine.value = undefined
      printed.value = reasons.map((text) => ({ text, wrong: true }))
      ending.value = 'It was not run: an import is wrong.'
      state.value = 'failed'
    },
    start(code, { examine, seconds }) {
      if (worker) close('stopped', '')
      printed.value = []
      diagnosis.value = undefined
      wrongLine.value = undefined
      ending.value = ''
      state.value = 'running'
      worker = openWorker('program')
      limit = setTimeout(
        () => close('stopped', `Ended after ${seconds} s: it had not come to its end.`),
        seconds * 1000,
      )
      worker.onerror = ({ message }) => close('failed', message || 'The worker did not start.')
      worker.onmessage = ({ data }: MessageEvent<ProgramTold>) => {
        if ('printed' in data) {
          if (printed.value.length + fresh.length < longest) {
            fresh.push({ text: data.printed, wrong: data.wrong ?? false })
          }
          if (frame === 0) frame = requestAnimationFrame(flush)
        } else if ('diagnosis' in data) {
          diagnosis.value = data.diagnosis
        } else if ('failed' in data) {
          close('failed', data.failed)
        } else {
          wrongLine.value = data.line
          const words = data.ended === 'well' ? 'It ran to its end' : 'It ended with an error'
          close(
            data.ended === 'well' ? 'ended' : 'failed',
            `${words}, after ${Math.round(data.milliseconds)} ms.`,
          )
        }
      }
      worker.postMessage({ code, examine })
    },
    // What has ended stays as it ended.
    stop: () => {
      if (state.peek() === 'running') close('stopped', 'Stopped.')
    },
  }
}
