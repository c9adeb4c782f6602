import type { ReplayBatch, ReplayRow } from 'tpu-toolkit/replay'

/** The k-th step of a made-up run: every number says k, so that a row of pieces of others shows. */
export function step(
  k: number,
  obsDim = 2,
  end: Partial<Pick<ReplayRow, 'terminated' | 'truncated'>> = {},
): ReplayRow {
  return {
    obs: new Float32Array(obsDim).fill(k),
    action: -k,
    reward: k / 4,
    nextObs: new Float32Array(obsDim).fill(k + 0.5),
    terminated: end.terminated ?? false,
    truncated: end.truncated ?? false,
  }
}

/** Rows of a batch that are not step(index) whole, as text. */
export function brokenRows(batch: ReplayBatch, obsDim = 2): string[] {
  const broken: string[] = []
  for (let i = 0; i < batch.size; i++) {
    const k = batch.indices[i]!
    const wrong =
      batch.action[i] !== -k ||
      batch.reward[i] !== k / 4 ||
      !all(batch.obs, i * obsDim, obsDim, k) ||
      !all(batch.nextObs, i * obsDim, obsDim, k + 0.5)
    if (wrong) broken.push(`row ${k}: obs ${batch.obs.slice(i * obsDim, (i + 1) * obsDim).join(' ')}`)
  }
  return broken
}

function all(values: Float32Array, from: number, count: number, value: number): boolean {
  for (let i = from; i < from + count; i++) if (values[i] !== value) return false
  return true
}
