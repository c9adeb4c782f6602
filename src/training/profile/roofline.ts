import {
  checkInteger,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { matmulFloat32 } from '../../numbers/simd/index.js'
import { type ChipLike, chipOf, type PeakDType, peakOpsPerSecond } from '../../planning/hardware/index.js'
import { add, tensor } from '../../tensors/tensor/index.js'

/** What a machine can do at most: rates to hold operations against. */
export interface Roofline {
  readonly name: string
  /** 'machine': measured times are compared with it; 'chip': times are foretold from it. */
  readonly kind: 'machine' | 'chip'
  /** Of matrix products, and of everything else. */
  readonly flopsPerSecond: number
  readonly vectorFlopsPerSecond: number
  /** Of memory, reads and writes together. */
  readonly bytesPerSecond: number
  /** Between chips; none on a machine of one. */
  readonly linkBytesPerSecond?: number
  /** What an operation on next to nothing takes, microseconds. */
  readonly overheadMicroseconds: number
  /** Side of the matrix unit, to whose multiples products are padded. */
  readonly side?: number
}

/** How this machine is measured. */
export interface MeasureRooflineOptions {
  /** Measurements of each rate, of which the best counts. Default 5. */
  readonly runs?: number
  /** Elements that are copied, 4 bytes each. Default 2^22: more than caches hold. */
  readonly elements?: number
  /** Rows and columns of the product. Default 256. */
  readonly size?: number
}

const names: OptionTable<MeasureRooflineOptions> = {
  runs: 'optional',
  elements: 'optional',
  size: 'optional',
}

/**
 * What this machine can do: the rate of copying a long array, of multiplying and adding in the float32 product of this package (one
 * thread), and the time of an addition of two numbers. To be measured once, and handed to `bottlenecks`.
 *
 * Special   a busy machine measures less than it can do.
 * Cost      about 0.1 seconds.
 *
 * @example measureRoofline({ runs: 1, elements: 1024, size: 16 }).kind // 'machine'
 */
export function measureRoofline(options: MeasureRooflineOptions = noOptions): Roofline {
  checkOptions('measureRoofline', options, names)
  const { runs = 5, elements = 2 ** 22, size = 256 } = options
  checkInteger('measureRoofline', 'runs', runs, 1)
  checkInteger('measureRoofline', 'elements', elements, 1)
  checkInteger('measureRoofline', 'size', size, 1)
  const [from, to] = [new Float32Array(elements).fill(1), new Float32Array(elements)]
  const copying = quickest(runs, 1, () => to.set(from))
  const [a, b] = [new Float32Array(size ** 2).fill(1), new Float32Array(size ** 2).fill(1)]
  const product = new Float32Array(size ** 2)
  const multiplying = quickest(runs, 4, () => matmulFloat32(a, b, { m: size, k: size, n: size }, product))
  const one = tensor([1])
  const adding = quickest(runs, 2000, () => add(one, one))
  const flopsPerSecond = (2 * size ** 3) / multiplying
  return {
    ...{ name: 'this machine', kind: 'machine', flopsPerSecond, vectorFlopsPerSecond: flopsPerSecond },
    ...{ bytesPerSecond: (8 * elements) / copying, overheadMicroseconds: adding * 1e6 },
  }
}

/** Seconds of one call, the least of some measurements of many calls. */
function quickest(runs: number, calls: number, f: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  // The first one warms up.
  for (let run = 0; run <= runs; run++) {
    const began = performance.now()
    for (let i = 0; i < calls; i++) f()
    const seconds = (performance.now() - began) / 1000 / calls
    // A clock may be too coarse to see anything.
    if (run > 0) least = Math.min(least, Math.max(seconds, 1e-9))
  }
  return least
}

/**
 * What a generation of TPUs can do, from its published rates: matrix units by dtype, HBM, two links between chips; the vector unit as one
 * operation in each lane a cycle, which is a lower bound.
 *
 * Throws    RangeError for an unknown chip or a rate that is not published.
 *
 * @example chipRoofline('v5e').flopsPerSecond // 197e12
 */
export function chipRoofline(chip: ChipLike, dtype: PeakDType = 'bfloat16'): Roofline {
  const made = chipOf('chipRoofline', chip)
  checkName('chipRoofline', 'dtype', dtype, ['bfloat16', 'int8', 'float8_e4m3fn', 'float8_e5m2'])
  const link = made.iciBytesPerSecondPerLink
  return {
    ...{ name: made.name, kind: 'chip', side: made.mxuSide, overheadMicroseconds: 0 },
    flopsPerSecond: peakOpsPerSecond(made, dtype),
    vectorFlopsPerSecond: made.vpuLanes * made.vpuSublanes * made.tensorCores * made.clockHz,
    bytesPerSecond: made.hbmBytesPerSecond,
    ...(link === null ? {} : { linkBytesPerSecond: 2 * link }),
  }
}
