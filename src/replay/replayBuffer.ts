import { checkName, checkOptions, type OptionTable } from '../base/options/index.js'
import type { RefuseReplay } from './checkReplay.js'
import { openGatherWorker } from './gatherWorker.js'
import type { ReplaySpec, TransitionSpec } from './layout.js'
import { ReplayCore } from './replayCore.js'
import { openReplay, writeReplay } from './replayFile.js'
import type { ReplayOptions } from './replayOptions.js'

/** Options of `ReplayBuffer.load`. */
export interface LoadOptions {
  /** As the buffer's option. Default 'worker'. */
  readonly prefetch?: 'worker' | 'in-process'
}

const loadNames: OptionTable<LoadOptions> = { prefetch: 'optional' }

/**
 * A replay buffer: the last `capacity` steps of one or several environments, in memory taken once, and batches drawn from
 * them. `new ReplayBuffer({ capacity, obsDim, actionDim })` has the columns obs, action, reward and nextObs; `spec` says
 * others. Everything drawn follows from the seed and the order of calls.
 *
 * Dtype     a batch holds float32 for float32 and every narrower format, else what the column is stored in.
 * Rounding  a number once, when it is added. Formats of up to 8 bits hold x / scale, one scale for each number of a row:
 *           the smallest power of two for which everything so far fits; where it grows, stored rows are brought to it,
 *           which changes only numbers below the format's normal range. stats() says what storage has cost.
 * Throws    RangeError for a capacity of 0, more rows than there is memory for, names that every batch has, unknown options;
 *           TypeError for unknown dtypes.
 *
 * @example const buffer = new ReplayBuffer({ capacity: 2, obsDim: 1, actionDim: 1 })
 * buffer.add({ obs: 0, action: 1, reward: 1, nextObs: 1, terminated: false }) // 0
 * buffer.add({ obs: 1, action: 1, reward: 1, nextObs: 2, terminated: false, truncated: true }) // 1
 * buffer.add({ obs: 5, action: 1, reward: 1, nextObs: 6, terminated: true }) // 2
 * buffer.gather([1, 2]).obs // [1, 5]
 * buffer.sample(3) // throws sample: more rows asked for than there are [3 of 2]
 */
export class ReplayBuffer<S extends ReplaySpec = TransitionSpec> extends ReplayCore<S> {
  constructor(options: ReplayOptions<S>) {
    super(options, openGatherWorker)
  }

  /**
   * Writes everything to one file, which is the old one or the new one at every moment: rows, priorities, scales, counts,
   * and the position in the random stream, so that a loaded buffer continues exactly as this one would.
   */
  save(path: string | URL): void {
    writeReplay(path, this.state())
  }

  /**
   * The buffer that was saved. A file that is cut off, damaged, of another version, or not written by `save` (numbers that
   * do not fit together, under a checksum that fits) is refused with the reason and left as it is.
   */
  static load<S extends ReplaySpec = TransitionSpec>(
    path: string | URL,
    options: LoadOptions = {},
  ): ReplayBuffer<S> {
    checkOptions('load', options, loadNames)
    const { prefetch = 'worker' } = options
    checkName('load', 'prefetch', prefetch, ['worker', 'in-process'])
    const file = openReplay(path)
    try {
      const { nStep, prioritized, rateLimit, ...rest } = file.settings
      const settings = {
        ...rest,
        ...(nStep !== undefined && { nStep }),
        ...(prioritized !== undefined && { prioritized }),
        ...(rateLimit !== undefined && { rateLimit }),
        prefetch,
      }
      const buffer = madeOf<S>(settings, file.refuse)
      file.readInto(buffer.state())
      return buffer
    } finally {
      file.close()
    }
  }
}

/** A buffer of settings that a file has: whatever is wrong with them is wrong with the file. */
function madeOf<S extends ReplaySpec>(settings: object, refuse: RefuseReplay): ReplayBuffer<S> {
  try {
    // As a file has them; the constructor checks them all.
    return new ReplayBuffer<S>(settings as ReplayOptions<S>)
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}
