import type { Chip } from '../hardware/index.js'
import {
  architectureOf,
  attentionPairs,
  type ModelConfig,
  parameterUse,
  trainingFlops,
} from '../model/index.js'

/** What a token of a training step takes on a chip, before any constant: FLOPs by kind, and what routing moves. */
export interface Work {
  /** Products with weights that are no experts', forward and backward, per token. */
  readonly dense: number
  /** Products with experts' weights, their widths rounded up to whole tiles of the matrix units, per token. */
  readonly experts: number
  /** Attention, all pairs of positions counted, narrow heads as wide as they are padded; the windows apart. */
  readonly attention: number
  /** FLOPs of attention to one more key in every layer with a window, per token. */
  readonly perWindowKey: number
  /** The windows, with the largest number of keys that each layer may be counted with. */
  readonly windows: readonly { readonly window: number; readonly perKey: number }[]
  /** Bytes of the rows that are copied to experts in bfloat16, per token. */
  readonly routed: number
  /** Whether these rows are not whole lanes of 128. */
  readonly unaligned: boolean
  /** Experts' weights of all layers. */
  readonly expertWeights: number
  /** Convolutions and scans of Mamba, per token. */
  readonly scan: number
  readonly sequence: number
}

const up = (size: number, tile: number): number => Math.ceil(size / tile) * tile

/** FLOPs and bytes of a token, by what they cost. */
export function workOf(config: ModelConfig, chip: Chip, sequence: number): Work {
  const model = architectureOf(config)
  const { activeMatmul } = parameterUse(config)
  const { D, groups, tensors } = model
  const active = tensors
    .filter(({ role }) => role === 'expert')
    .reduce((sum, { elements }) => sum + elements, 0)
  let [routedWeights, padded, rows, attention] = [0, 0, 0, 0]
  const windows: { window: number; perKey: number }[] = []
  for (const { copies, attention: heads, mlp } of groups) {
    if (mlp && mlp.experts > 0) {
      const side = chip.mxuSide
      const matrices = mlp.gated ? 3 : 2
      routedWeights += copies * mlp.active * matrices * D * mlp.F
      padded += copies * mlp.active * matrices * up(D, side) * up(mlp.F, side)
      rows += copies * mlp.active
    }
    if (!heads) continue
    const { N, H, V = H, window } = heads
    // The arrays take heads of 128 and more at the rate that was measured; narrower ones are padded.
    const perKey = copies * 6 * N * (H + V) * Math.max(1, 128 / H)
    if (window === undefined || window >= sequence) {
      attention += (perKey * attentionPairs({}, 'full', sequence)) / sequence
    } else {
      windows.push({ window, perKey })
    }
  }
  return {
    dense: 6 * (activeMatmul - routedWeights),
    experts: 6 * padded,
    ...{ attention, windows, perWindowKey: windows.reduce((sum, { perKey }) => sum + perKey, 0) },
    ...{ routed: 2 * D * rows, unaligned: D % 128 !== 0, expertWeights: active, sequence },
    scan: trainingFlops(config, { batch: 1, sequence }).scan / sequence,
  }
}

/** Attention's FLOPs per token where a window is rounded up by so many keys on either side: the blocks of the kernel. */
export function attentionWork({ attention, windows, sequence }: Work, block: number): number {
  return windows.reduce(
    (sum, { window, perKey }) => sum + perKey * Math.min(sequence, 2 * (window + block)),
    attention,
  )
}
