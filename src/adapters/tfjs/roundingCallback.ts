import { checkFunction, checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Emulation } from './emulatePrecision.js'
import type { Probe, RoundingEffect } from './roundingEffects.js'
import type { RoundingRecord } from './roundingSite.js'

/** When a report is made, on what, and who gets it. */
export interface RoundingCallbackOptions {
  /** The batch on which effects are measured, one run forward and back for each place. */
  readonly probe: Probe
  /** After how many epochs there is a report, and after as many again the next. Default: 1. */
  readonly everyEpochs?: number
  /** Called with each report. Default: none, `reports` has them. */
  readonly onReport?: (report: RoundingReport) => void
}

const names: OptionTable<RoundingCallbackOptions> = {
  probe: 'required',
  everyEpochs: 'optional',
  onReport: 'optional',
}

const probeNames: OptionTable<Probe> = { x: 'required', y: 'required', loss: 'optional' }

/** Where rounding changed the result, at the end of an epoch. */
export interface RoundingReport {
  readonly epoch: number
  /** The places whose rounding, alone, changed outputs, loss or gradients on the probe; the largest change first. */
  readonly effects: readonly RoundingEffect[]
  /** What rounding did in training since the report before: the places where a number changed, layer by layer. */
  readonly records: readonly RoundingRecord[]
}

/** A callback for `model.fit`. */
export interface RoundingCallback {
  /** What tf calls. */
  onEpochEnd(epoch: number): Promise<void>
  /** All reports so far. */
  readonly reports: readonly RoundingReport[]
}

/** A callback that reports where the emulation's rounding changed the result. It resets the emulation's records. */
export function roundingCallback(emulation: Emulation, options: RoundingCallbackOptions): RoundingCallback {
  const op = 'roundingCallback'
  checkOptions(op, options, names)
  const { probe, everyEpochs = 1, onReport } = options
  checkOptions(`${op}: probe`, probe, probeNames)
  checkInteger(op, 'everyEpochs', everyEpochs, 1)
  if (onReport !== undefined) checkFunction(op, 'onReport', onReport)
  const reports: RoundingReport[] = []
  return {
    reports,
    async onEpochEnd(epoch) {
      if ((epoch + 1) % everyEpochs !== 0) return
      const records = emulation.records().filter(({ changed }) => changed > 0)
      const effects = emulation
        .effects(probe)
        .filter(({ outputs, loss, gradients }) => outputs !== 0 || loss !== 0 || gradients !== 0)
      emulation.reset()
      const report = { epoch, effects, records }
      reports.push(report)
      onReport?.(report)
    },
  }
}
