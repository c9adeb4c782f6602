import { type ReadonlySignal, signal } from '@preact/signals'
import type { Step2750Options } from 'tpu-toolkit/step2750'
import { openWorker } from '../../parts/openWorker.js'
import type { NanEnd, NanPoints, NanTold } from './nanMessages.js'

/** A run in a worker as the page sees it. */
export interface NanRun {
  readonly state: ReadonlySignal<'waiting' | 'running' | 'ended' | 'stopped' | 'failed'>
  /** What has come so far; the arrays grow, `steps.length` says how far. */
  readonly points: ReadonlySignal<NanPoints>
  readonly end: ReadonlySignal<NanEnd | undefined>
  readonly failure: ReadonlySignal<string>
  readonly start: (options: Step2750Options) => void
  readonly stop: () => void
}

/** A run that is started, stopped and started anew. */
export function nanRun(): NanRun {
  const state = signal<'waiting' | 'running' | 'ended' | 'stopped' | 'failed'>('waiting')
  const points = signal<NanPoints>(none())
  const end = signal<NanEnd | undefined>(undefined)
  const failure = signal('')
  let worker: Worker | undefined
  const halt = (): void => {
    worker?.terminate()
    worker = undefined
  }
  const fail = (why: string): void => {
    failure.value = why
    state.value = 'failed'
    halt()
  }
  return {
    ...{ state, points, end, failure },
    start(options) {
      halt()
      points.value = none()
      end.value = undefined
      failure.value = ''
      state.value = 'running'
      worker = openWorker('nan')
      worker.onerror = ({ message }) => fail(message || 'the worker did not start')
      worker.onmessage = ({ data }: MessageEvent<NanTold>) => {
        if ('failed' in data) {
          fail(data.failed)
        } else if ('points' in data) {
          points.value = joined(points.peek(), data.points)
        } else {
          end.value = data.end
          state.value = 'ended'
          halt()
        }
      }
      worker.postMessage({ options })
    },
    stop() {
      if (state.value === 'running') state.value = 'stopped'
      halt()
    },
  }
}

function none(): NanPoints {
  return { steps: [], loss: [], csEnd: [], span: [] }
}

function joined(a: NanPoints, b: NanPoints): NanPoints {
  return {
    steps: [...a.steps, ...b.steps],
    loss: [...a.loss, ...b.loss],
    csEnd: [...a.csEnd, ...b.csEnd],
    span: [...a.span, ...b.span],
  }
}
