import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { openWorker } from '../../parts/openWorker.js'
import type { FileAsked, FileTensorRow, FileTold, FileTotal } from './fileMessages.js'

/** A file being read in a worker, as the page sees it. */
export interface FileRun {
  readonly state: ReadonlySignal<'waiting' | 'reading' | 'done' | 'stopped' | 'failed'>
  readonly opened: ReadonlySignal<
    { readonly bytes: number; readonly tensors: number; readonly kind: string } | undefined
  >
  readonly tensors: ReadonlySignal<readonly FileTensorRow[]>
  readonly skipped: ReadonlySignal<readonly { readonly name: string; readonly why: string }[]>
  readonly totals: ReadonlySignal<readonly FileTotal[]>
  /** The share that was read. */
  readonly share: ReadonlySignal<number>
  readonly milliseconds: ReadonlySignal<number>
  readonly failure: ReadonlySignal<string>
  readonly start: (asked: FileAsked) => void
  readonly stop: () => void
}

/** What reads one file after the other; a new one ends the one before. */
export function fileRun(): FileRun {
  const state = signal<'waiting' | 'reading' | 'done' | 'stopped' | 'failed'>('waiting')
  const opened = signal<{ bytes: number; tensors: number; kind: string } | undefined>(undefined)
  const tensors = signal<readonly FileTensorRow[]>([])
  const skipped = signal<readonly { name: string; why: string }[]>([])
  const totals = signal<readonly FileTotal[]>([])
  const share = signal(0)
  const milliseconds = signal(0)
  const failure = signal('')
  let worker: Worker | undefined
  const halt = (): void => {
    worker?.terminate()
    worker = undefined
  }
  const end = (how: 'done' | 'failed'): void => {
    state.value = how
    halt()
  }
  const hear = (told: FileTold): void => {
    if ('opened' in told) {
      opened.value = told.opened
    } else if ('skipped' in told) {
      skipped.value = [...skipped.peek(), told.skipped]
    } else if ('tensor' in told) {
      tensors.value = [...tensors.peek(), told.tensor]
    } else if ('read' in told) {
      share.value = Math.min(1, told.read.bytes / told.read.of)
    } else if ('done' in told) {
      totals.value = told.done.totals
      milliseconds.value = told.done.milliseconds
      end('done')
    } else {
      failure.value = told.failed
      end('failed')
    }
  }
  return {
    ...{ state, opened, tensors, skipped, totals, share, milliseconds, failure },
    start(asked) {
      halt()
      batch(() => {
        opened.value = undefined
        tensors.value = []
        skipped.value = []
        totals.value = []
        share.value = 0
        failure.value = ''
        state.value = 'reading'
      })
      worker = openWorker('file')
      worker.onerror = ({ message }) => hear({ failed: message || 'the worker did not start' })
      worker.onmessage = ({ data }: MessageEvent<FileTold>) => batch(() => hear(data))
      worker.postMessage(asked)
    },
    stop() {
      if (state.peek() === 'reading') state.value = 'stopped'
      halt()
    },
  }
}
