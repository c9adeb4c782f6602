import {
  decodeArray,
  encodeArray,
  type FloatFormat,
  format,
  formatNames,
} from '../../numbers/formats/index.js'
import { type Numbers, quantizationReport } from './quantizationReport.js'
import type { QuantizationWay, QuantizedValues } from './quantizationWay.js'

/** The casts to each format: as they are, kept finite, and with one scale for the tensor. */
export const castWays: readonly QuantizationWay[] = formatNames.flatMap((name) => {
  const record = format(name)
  const ways = [plain(record), scaled(record)]
  // Where nothing but finite numbers can come out, a cast saturates anyway.
  if (record.nan !== 'none') ways.splice(1, 0, saturating(record))
  return ways
})

function facts(record: FloatFormat, way: string): Omit<QuantizationWay, 'quantizer'> {
  return {
    scheme: record.name,
    way,
    family: 'cast',
    elementBits: record.bits + (record.signed ? 0 : 1),
    blockBits: 0,
    tensorBits: 0,
    blockSize: null,
  }
}

function plain(record: FloatFormat): QuantizationWay {
  return {
    ...facts(record, 'plain'),
    quantizer: () => (values, originals) => cast(values, originals, record, 1, false),
  }
}

function saturating(record: FloatFormat): QuantizationWay {
  return {
    ...facts(record, 'saturating'),
    quantizer: () => (values, originals) => cast(values, originals, record, 1, true),
  }
}

function scaled(record: FloatFormat): QuantizationWay {
  return {
    ...facts(record, 'scaled'),
    family: 'scaled cast',
    tensorBits: 32,
    quantizer: (amax) => {
      const scale = tensorScale(amax, record.max)
      return (values, originals) => cast(values, originals, record, scale, true)
    },
  }
}

/**
 * The float32 that brings the largest magnitude to the format's, and not beyond. Not below the normal numbers: a format
 * as wide as float32 needs no scale there.
 */
function tensorScale(amax: number, max: number): number {
  const nearest = Math.fround(amax / max)
  // Three quarters to one and a half of a unit in the last place: the next float32.
  const next = Math.fround(nearest * (1 + 1.5 * 2 ** -24))
  return Math.max(nearest * max < amax ? next : nearest, 2 ** -126)
}

/** Through codes and back. */
function cast(
  values: Numbers,
  originals: Numbers = values,
  record: FloatFormat,
  scale: number,
  saturate: boolean,
): QuantizedValues {
  const restored = decodeArray(encodeArray(quotients(values, record, scale), record, { saturate }), record)
  if (scale !== 1) for (let i = 0; i < restored.length; i++) restored[i] = restored[i]! * scale
  if (!record.signed) {
    for (let i = 0; i < restored.length; i++) if (values[i]! < 0) restored[i] = -restored[i]!
  }
  const max = record.max * scale
  return { restored: () => restored, report: () => quantizationReport(originals, restored, { max }) }
}

/**
 * The values over the scale, in float64, so that the format's rounding is the one that counts; of an unsigned format the
 * magnitudes, whose signs are kept beside.
 */
function quotients(values: Numbers, { signed }: FloatFormat, scale: number): Numbers {
  if (scale === 1) return signed ? values : values.map(Math.abs)
  const scaled = new Float64Array(values.length)
  for (let i = 0; i < values.length; i++) scaled[i] = (signed ? values[i]! : Math.abs(values[i]!)) / scale
  return scaled
}
