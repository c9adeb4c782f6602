import type { AnyBatch } from './batch.js'
import type { Column } from './column.js'
import { type Episodes, terminatedBit } from './episodes.js'
import type { NStep } from './replayOptions.js'

/**
 * Fills in reward, discount and steps of a batch whose rows begin at `indices` and whose returns end at `lasts`:
 *
 *   reward = r_0 + gamma r_1 + ... + gamma^(m-1) r_(m-1),   discount = gamma^m, or 0 where the last row terminated
 *
 * A truncated row ends the sum, but not the future: its discount stays. So does that of a return which is shorter than n
 * because the newest row came first. Computed in float64 from the stored rewards, from the last one backwards, and
 * rounded once to the batch's arrays.
 */
export function returnsOf(
  batch: AnyBatch,
  lasts: ArrayLike<number>,
  { gamma }: NStep,
  reward: Column,
  episodes: Episodes,
): void {
  const { environments } = episodes
  const { indices, discount, steps } = batch
  const rewards = batch['reward'] as Float32Array
  for (let i = 0; i < batch.size; i++) {
    const last = lasts[i]!
    let sum = 0
    let power = 1
    let count = 0
    for (let index = last; index >= indices[i]!; index -= environments) {
      sum = reward.first(episodes.slotOf(index)) + gamma * sum
      power *= gamma
      count++
    }
    rewards[i] = sum
    discount![i] = (episodes.flagsOf(last) & terminatedBit) === 0 ? power : 0
    steps![i] = count
  }
}
