import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type EncodeOptions, encoder, type FormatName, format } from '../../numbers/formats/index.js'
import { instrument, type RoundHere } from './instrument.js'
import { type Probe, type RoundingEffect, roundingEffects } from './roundingEffects.js'
import { emptyRecord, type RoundingRecord, type RoundingSite, roundAndCount } from './roundingSite.js'
import type { InnerModel, Tf, TfModel } from './tfjs.js'

/** What is rounded, and how. */
export interface EmulateOptions extends EncodeOptions {
  /** Whether layers compute with rounded weights; the weights themselves stay float32. Default: true. */
  readonly weights?: boolean
  /** Whether the model's inputs and what each layer gives are rounded. Default: true. */
  readonly activations?: boolean
  /**
   * Whether gradients are rounded where their tensors were, as the gradient of a bfloat16 tensor is one itself in JAX
   * and PyTorch. False: they pass unrounded, the straight-through estimator. Default: true.
   */
  readonly gradients?: boolean
}

const names: OptionTable<EmulateOptions> = {
  weights: 'optional',
  activations: 'optional',
  gradients: 'optional',
  rounding: 'optional',
  saturate: 'optional',
  random: 'optional',
  randomBits: 'optional',
}

/** A model under emulation. */
export interface Emulation {
  readonly format: FormatName
  /** What rounding did since the beginning or the last `reset`: every place that numbers passed, layer by layer. */
  records(): readonly RoundingRecord[]
  /** Counts from zero again. */
  reset(): void
  /**
   * What each place does to the result on one batch, alone: everything else stays float32. What changes most comes
   * first. The model runs as for prediction (no dropout); its weights and the records stay as they are.
   */
  effects(probe: Probe): readonly RoundingEffect[]
  /** Gives the model its own arithmetic back; once more does nothing. The records stay. */
  restore(): void
}

/** Makes a model round to a format after each layer. */
export function emulatePrecision(
  tf: Tf,
  model: TfModel,
  name: FormatName,
  options: EmulateOptions = {},
): Emulation {
  checkOptions('emulatePrecision', options, names)
  if (!Array.isArray((model as Partial<TfModel> | null | undefined)?.layers)) {
    throw new TypeError(`emulatePrecision: needs a tf.LayersModel [${typeof model}]`)
  }
  const target = format(name)
  if (!target.signed) throw new RangeError(`emulatePrecision: needs a format with a sign [${name}]`)
  const { weights = true, activations = true, gradients = true, ...how } = options
  const kinds = { weight: weights, activation: activations, gradient: gradients }
  // Refuses what no array could be rounded with, before the first batch.
  encoder(target, how)
  const records = new Map<RoundingSite, RoundingRecord>()
  const emulated: RoundHere = (place, values) => {
    if (!kinds[place.kind]) return undefined
    const [rounded, record] = roundAndCount(records.get(place) ?? emptyRecord(place), values, target, how)
    records.set(place, record)
    return rounded
  }
  let here = emulated
  const inner = model as unknown as InnerModel
  let on = true
  const { places, restore } = instrument(tf, inner, (place, values) => here(place, values))
  return {
    format: name,
    records: () => places.flatMap((place) => records.get(place) ?? []),
    reset: () => records.clear(),
    effects(probe) {
      if (!on) throw new RangeError(`effects: the model is restored, emulate it again [${name}]`)
      const rounded = places.filter(({ kind }) => kinds[kind])
      try {
        return roundingEffects(tf, inner, probe, rounded, (alone, seen) => {
          here = (place, values) => {
            if (place !== alone) return undefined
            const [next, record] = roundAndCount(seen.record, values, target, how)
            seen.record = record
            return next
          }
        })
      } finally {
        here = emulated
      }
    },
    restore() {
      // A second call must not end an emulation that came after this one.
      if (on) restore()
      on = false
    },
  }
}
