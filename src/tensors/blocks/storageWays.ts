import {
  fromInt8Rows,
  fromStorage,
  type StorageName,
  storageNames,
  storageType,
  toInt8Rows,
  toStorage,
} from '../../numbers/storage/index.js'
import { type Numbers, quantizationReport } from './quantizationReport.js'
import type { QuantizationWay, QuantizedValues } from './quantizationWay.js'

/** The storage formats of GGUF files and of bitsandbytes; the latter's rows of int8. */
export const storageWays: readonly QuantizationWay[] = [...storageNames.map(stored), int8Rows()]

function stored(name: StorageName): QuantizationWay {
  const { blockSize, blockBytes, codeBits, family } = storageType(name)
  return {
    scheme: name,
    // What ggml makes of a block of OCP MX, beside the rules of the standard.
    way: name === 'mxfp4' ? 'ggml' : 'stored',
    family,
    elementBits: codeBits,
    blockBits: 8 * blockBytes - codeBits * blockSize,
    tensorBits: 0,
    blockSize,
    quantizer: () => (values, originals) =>
      through(values, originals, blockSize, (floats) => fromStorage(toStorage(floats, name), name)),
  }
}

function int8Rows(): QuantizationWay {
  return {
    ...{ scheme: 'int8', way: 'rows', family: 'bitsandbytes', elementBits: 8 },
    ...{ blockBits: 0, tensorBits: 0, rowBits: 32, blockSize: null },
    quantizer: () => (values, originals, rowLength) =>
      through(values, originals, 32, (floats) => {
        const length = rowLength ?? Math.max(1, floats.length)
        return fromInt8Rows(toInt8Rows(floats, length), length)
      }),
  }
}

function through(
  values: Numbers,
  originals: Numbers = values,
  blockSize: number,
  trip: (values: Float32Array) => Float32Array,
): QuantizedValues {
  const restored = trip(values instanceof Float32Array ? values : Float32Array.from(values))
  return {
    restored: () => restored,
    report: () => quantizationReport(originals, restored, { blockSize }),
  }
}
