import { type Checkpoints, listCheckpoints, openCheckpoints } from '../checkpoint/index.js'
import { type HostState, joinStates, type StreamState } from '../pipeline/index.js'
import type { Callback, Ended } from './callback.js'
import { contentOf, type RunIdentity, type RunPoint, runPointOf, statesOf } from './runState.js'
import type { TrainOptions } from './trainOptions.js'

/** What a step left behind: where the run stands, this host's place in its data, what was measured. */
export interface Made<P> {
  readonly step: number
  readonly point: P
  readonly ended: Ended | undefined
  readonly place: HostState | null
  readonly metrics: Readonly<Record<string, number>>
}

/** What keeps a run: where it begins, when it is saved, and what the hosts of it agree on. */
export interface Keeper<P> {
  /** The first point, or that of the newest checkpoint. */
  begin(): Promise<RunPoint<P>>
  /** Whether the hosts stop after this step: the reason that one of them proposed, undefined where none did. */
  agreed(step: number, proposed: string | undefined): Promise<string | undefined>
  /** Called after each step; saves where that is due. */
  made(made: Made<P>): Promise<void>
  /** Saves the last step, if it is not saved, and waits for the disk. */
  end(made: Made<P>): Promise<void>
  /** Where hosts are lost: the last step that is whole, saved by one of the rest; else undefined. */
  lost(): Promise<{ readonly step: number; readonly point: P } | undefined>
  close(): Promise<void>
}

/** The keeper of a run; without a folder for checkpoints it saves nothing. */
export function runCheckpointer<P extends object, B>(
  { checkpoint, hosts, seed = 0, plain = [] }: TrainOptions<P, B>,
  like: P,
  callbacks: readonly Callback<P>[],
): Keeper<P> {
  const keep = checkpoint?.keep ?? []
  let checkpoints: Checkpoints | undefined =
    checkpoint && openCheckpoints(checkpoint.folder, { keep, ...(hosts ? { group: hosts } : {}) })
  const identity: RunIdentity = { seed, settings: checkpoint?.settings ?? null, plain }
  let saved = 0
  let last: Made<P> = { step: 0, point: like, ended: undefined, place: null, metrics: {} }
  let states = statesOf(callbacks)

  const remember = (made: Made<P>): void => {
    last = made
    states = statesOf(callbacks)
  }
  const save = async (joined: (own: HostState) => StreamState | Promise<StreamState>): Promise<void> => {
    if (!checkpoints || last.step <= saved) return
    const from = last.place === null ? null : await joined(last.place)
    await checkpoints.save(last.step, contentOf(like, { ...last, from }, identity, states, last.metrics))
    saved = last.step
  }
  // The place of all hosts together, which does not tell how many they were.
  const ofAll = async (own: HostState): Promise<StreamState> => {
    if (!hosts) return joinStates([own])
    const all = await hosts.allGather(`train data ${last.step}`, JSON.stringify(own))
    return joinStates(all.map((text): HostState => JSON.parse(text)))
  }

  const first = last
  const from = async (step: number): Promise<RunPoint<P>> => {
    saved = step
    if (!checkpoints || step === 0) {
      remember(first)
      return { ...first, from: null }
    }
    const run = runPointOf(like, await checkpoints.restore({ step }), identity, callbacks)
    remember({ ...first, ...run })
    return run
  }

  return {
    begin: async () => {
      // The newest whether or not it is whole: none is passed over in silence.
      const newest = checkpoints ? (listCheckpoints(checkpoints.folder).at(-1)?.step ?? 0) : 0
      // Before the others are asked: where one of them is lost meanwhile, the run stands there.
      const run = await from(newest)
      const step = hosts ? Number((await hosts.allGather('train begins', String(newest)))[0]) : newest
      return step === newest ? run : from(step)
    },
    agreed: async (step, proposed) => {
      if (!hosts) return proposed
      const all = await hosts.allGather(`train step ${step}`, proposed ?? '')
      return all.find((text) => text !== '')
    },
    made: async (made) => {
      remember(made)
      if (checkpoint?.every !== undefined && made.step % checkpoint.every === 0) await save(ofAll)
    },
    end: async (made) => {
      remember(made)
      await save(ofAll)
      await checkpoints?.wait()
    },
    lost: async () => {
      if (!hosts || hosts.lost.length === 0) return undefined
      // What was being saved by all is not saved by the rest: the next writer removes what there is of it.
      await checkpoints?.close().catch(() => {})
      checkpoints = undefined
      const there = Array.from({ length: hosts.hosts }, (_, host) => host)
      const first = there.find((host) => !hosts.lost.includes(host))
      if (checkpoint && first === hosts.host) {
        checkpoints = openCheckpoints(checkpoint.folder, { keep })
        saved = listCheckpoints(checkpoint.folder).at(-1)?.step ?? 0
        await save((own) => joinStates([own], { lockstep: true }))
        await checkpoints.wait()
      }
      return last
    },
    // What a save came to is known by now, but for runs that end with an error, which is the one to tell.
    close: async () => {
      await checkpoints?.close().catch(() => {})
    },
  }
}
