import {
  decodeArray,
  type EncodeOptions,
  encodeArray,
  type FloatFormat,
} from '../../numbers/formats/index.js'

/** One place of a model where numbers are rounded. */
export interface RoundingSite {
  readonly layer: string
  /** What is rounded there. A gradient is that of the loss with respect to `tensor`. */
  readonly kind: 'weight' | 'activation' | 'gradient'
  /** The weight's name within the layer, such as 'kernel'; 'output' of the layer; 'input' where the model's input enters. */
  readonly tensor: string
}

/** What rounding did at one place. */
export interface RoundingRecord extends RoundingSite {
  /** How many numbers went through. */
  readonly elements: number
  /** How many of them came out as other ones; a NaN that stays NaN is not counted. */
  readonly changed: number
  /** How many became 0 that were not. */
  readonly flushed: number
  /** How many finite ones became infinite or NaN; with `saturate`, how many lay above the largest number. */
  readonly overflowed: number
  /** The largest |rounded - x| / |x|, over finite x that stayed finite. */
  readonly maxRelative: number
}

/** The record of a place that no number has passed. */
export function emptyRecord(place: RoundingSite): RoundingRecord {
  return { ...place, elements: 0, changed: 0, flushed: 0, overflowed: 0, maxRelative: 0 }
}

/** The numbers rounded to a format, and the record with them counted. */
export function roundAndCount(
  record: RoundingRecord,
  values: Float32Array,
  format: FloatFormat,
  options: EncodeOptions,
): readonly [rounded: Float32Array, record: RoundingRecord] {
  const rounded = decodeArray(encodeArray(values, format, options), format)
  let { changed, flushed, overflowed, maxRelative } = record
  for (let i = 0; i < values.length; i++) {
    const x = values[i]!
    const y = rounded[i]!
    if (x === y || Number.isNaN(x)) continue
    changed++
    if (y === 0) flushed++
    // Saturation has no infinity to tell by.
    if (Number.isFinite(x) && (!Number.isFinite(y) || (options.saturate && Math.abs(x) > format.max))) {
      overflowed++
    }
    if (Number.isFinite(x) && Number.isFinite(y)) {
      maxRelative = Math.max(maxRelative, Math.abs(y - x) / Math.abs(x))
    }
  }
  const elements = record.elements + values.length
  return [rounded, { ...record, elements, changed, flushed, overflowed, maxRelative }]
}
