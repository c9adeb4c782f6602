import { setImmediate as turn } from 'node:timers/promises'
import { foldIn, key } from '../../tensors/random/index.js'
import type { Callback, Ended } from './callback.js'
import { metricsOf } from './metricsOf.js'
import { runCheckpointer } from './runCheckpointer.js'
import type { RunPoint } from './runState.js'
import { stopSignals } from './stopSignals.js'
import { batchesOf } from './trainData.js'
import { checkTrain, type Trained, type TrainOptions } from './trainOptions.js'

/**
 * Trains: `steps` times a batch, a step, and a report of what was measured. The run is a function of its options: every step has a random key
 * that follows from the seed and its number, data are in a repeatable order, and a checkpoint has all that goes on from step to
 * step. So a run that was stopped, or killed, and is begun again with the same options ends with the same bits as one that was not.
 *
 * Special   a signal ends the run after the step under way, with a checkpoint; `ended` says so. Where hosts train together, all stop
 *           at the same step. Where one of them is lost, the others keep the last step that all of them made.
 * Throws    what the step, the data, a callback or a save does; RangeError for a checkpoint of another run.
 * Cost      beside the step: its loss is read, and the event loop turns once, so that signals are heard.
 */
export async function train<P extends object, B>(options: TrainOptions<P, B>): Promise<Trained<P>> {
  checkTrain(options)
  const { steps, seed = 0, evaluate, monitor, hosts } = options
  const root = key(seed)
  const callbacks: readonly Callback<P>[] = [...(options.callbacks ?? []), ...(monitor ? [monitor] : [])]
  const signals = stopSignals(options.signals ?? ['SIGINT', 'SIGTERM'])
  const keep = runCheckpointer(options, options.init(foldIn(root, 0)), callbacks)
  try {
    const begin = await keep.begin().catch(async (error: unknown): Promise<RunPoint<P>> => {
      const last = await keep.lost()
      if (last === undefined) throw error
      return { ...last, ended: 'host lost', from: null }
    })
    let { step, point }: { step: number; point: P } = begin
    let ended: Ended | undefined = begin.ended ?? (step >= steps ? 'steps' : undefined)
    let by: string | undefined
    let save = 0
    let metrics: Readonly<Record<string, number>> = {}
    const batches = batchesOf(options.data, root, hosts ?? { host: 0, hosts: 1 }, begin.from ?? undefined)
    try {
      for (const callback of callbacks) await callback.onBegin?.(step, steps)
      while (ended === undefined) {
        const asked = performance.now()
        const next = await batches.next(step + 1)
        if (next === undefined) {
          ended = 'data'
          break
        }
        const began = performance.now()
        const before = point
        const result = await options.step(point, next.batch, { step: step + 1, key: foldIn(root, step + 1) })
        metrics = metricsOf(result)
        const seconds = { step: (performance.now() - began) / 1000, data: (began - asked) / 1000, save }
        point = result
        step++
        if (evaluate && (step % evaluate.every === 0 || step === steps)) {
          metrics = { ...metrics, ...(await evaluate.run(point)) }
        }
        for (const callback of callbacks) {
          if ((await callback.onStep?.({ step, steps, metrics, point, before, seconds })) !== 'stop') continue
          ended = 'callback'
          by = callback.name ?? 'a callback'
        }
        if (step >= steps) ended ??= 'steps'
        await turn()
        by ??= await keep.agreed(step, signals.came())
        if (by !== undefined) ended ??= 'signal'
        const left = performance.now()
        await keep.made({ step, point, ended, metrics, place: batches.place() })
        save = isDue(options, step) ? (performance.now() - left) / 1000 : 0
      }
      await keep.end({ step, point, ended, metrics, place: batches.place() })
    } catch (error) {
      const last = await keep.lost()
      if (last === undefined) {
        throw error
      }
      ;({ step, point } = last)
      ended = 'host lost'
    } finally {
      await batches.close()
      for (const callback of callbacks) await callback.onEnd?.()
    }
    return { point, step, ended, ...(by === undefined ? {} : { by }), metrics }
  } finally {
    signals.close()
    await keep.close()
  }
}

function isDue<P extends object, B>({ checkpoint }: TrainOptions<P, B>, step: number): boolean {
  return checkpoint?.every !== undefined && step % checkpoint.every === 0
}
