import { pad, type Tensor, take, tensor } from '../../../tensors/tensor/index.js'

/** What stands beyond the ends of an axis. */
export type Padding = 'same' | 'valid' | 'circular' | 'causal'

export const paddings: readonly Padding[] = ['same', 'valid', 'circular', 'causal']

/** A kernel along one axis. */
export interface Window {
  readonly length: number
  readonly stride: number
  readonly dilation: number
}

/** Elements from the first tap to the last, both counted. */
function reach({ length, dilation }: Window): number {
  return (length - 1) * dilation + 1
}

/** Places of a kernel along an axis of n elements. */
export function outputLength(window: Window, n: number, padding: Padding): number {
  if (padding === 'same') return Math.ceil(n / window.stride)
  const [before, after] = widths(window, n, padding)
  return Math.max(0, Math.floor((before + n + after - reach(window)) / window.stride) + 1)
}

/** How much is put before and after an axis of n: as XLA for 'SAME', as Flax for 'CIRCULAR' and 'CAUSAL'. */
function widths(window: Window, n: number, padding: Padding): readonly [before: number, after: number] {
  const span = reach(window)
  if (padding === 'valid' || n === 0) return [0, 0]
  if (padding === 'causal') return [span - 1, 0]
  if (padding === 'circular') return [Math.floor((span - 1) / 2), Math.floor(span / 2)]
  const total = Math.max(0, (Math.ceil(n / window.stride) - 1) * window.stride + span - n)
  return [Math.floor(total / 2), Math.ceil(total / 2)]
}

/** x with what the kernel reads beyond the ends: zeros, or the other end. */
export function padded(x: Tensor, front: number, windows: readonly Window[], padding: Padding): Tensor {
  const all = windows.map((window, i) => widths(window, x.shape[front + i]!, padding))
  if (padding !== 'circular') return pad(x, [...Array<number>(front).fill(0), ...all, 0])
  return all.reduce((wide: Tensor, [before, after], i) => {
    const n = x.shape[front + i]!
    const places = Int32Array.from({ length: before + n + after }, (_, j) => (((j - before) % n) + n) % n)
    return take(wide, tensor(places, { dtype: 'int32' }), { axis: front + i })
  }, x)
}
