import { useSignal } from '@preact/signals'
import { openWorker } from '../parts/openWorker.js'
import { nodeDigests } from './nodeDigests.js'

type Told = { readonly digests: Readonly<Record<string, string>> } | { readonly failed: string }

/** A button that has this browser compute what Node computed, and says whether the bits are equal. */
export function SameBits() {
  const said = useSignal('')
  const compare = (): void => {
    said.value = 'Computing …'
    const worker = openWorker('bits')
    const end = (words: string): void => {
      said.value = words
      worker.terminate()
    }
    worker.onerror = ({ message }) => end(`It could not be computed: ${message}`)
    worker.onmessage = ({ data }: MessageEvent<Told>) => {
      if ('failed' in data) return end(`It could not be computed: ${data.failed}`)
      const names = Object.keys(nodeDigests)
      const other = names.filter((name) => data.digests[name] !== nodeDigests[name])
      return end(
        other.length === 0
          ? `Your browser: equal bits. The same as Node's: ${names.join(', ')}.`
          : `Your browser computes other bits than Node: ${other.join(', ')}.`,
      )
    }
    worker.postMessage(null)
  }
  return (
    <p>
      <button type="button" onClick={compare}>
        Has this browser the bits of Node?
      </button>{' '}
      <span role="status">{said}</span>
    </p>
  )
}
