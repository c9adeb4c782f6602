import { type BlockOptions, dequantizeBlocks, type ScaleMode } from '../../numbers/formats/index.js'
import { dtypeFacts } from '../tensor/index.js'
import { blockSchemes } from './blockSchemes.js'
import { type Numbers, quantizationReport } from './quantizationReport.js'
import type { QuantizationWay, QuantizedValues } from './quantizationWay.js'
import { quantizeArray } from './quantizeArray.js'

const modes: readonly ScaleMode[] = ['floor', 'rceil', 'ceil', 'even']

/** Bits of an element of the schemes of OCP MX v1.0. */
const microscaling = [
  ['mxfp8_e4m3', 8],
  ['mxfp8_e5m2', 8],
  ['mxint8', 8],
  ['mxfp6_e2m3', 6],
  ['mxfp6_e3m2', 6],
  ['mxfp4', 4],
] as const

/** The block schemes: MX with each rule for its scale, NVFP4 with one level of scales and with two. */
export const blockWays: readonly QuantizationWay[] = [
  ...microscaling.flatMap(([scheme, elementBits]) =>
    modes.map((scale): QuantizationWay => {
      const options = { ...blockSchemes[scheme], scale, blockSize: 32 }
      return {
        ...{ scheme, way: scale, family: 'MX', elementBits, blockBits: 8, tensorBits: 0, blockSize: 32 },
        quantizer: () => (values, originals) => inBlocks(values, originals, options),
      }
    }),
  ),
  nvfp4('one level', 0, () => 1),
  nvfp4('two levels', 32, tensorScale),
]

const nvfp4Options = { element: 'float4_e2m1fn', scheme: 'nvfp4', blockSize: 16 } as const

function nvfp4(way: string, tensorBits: number, scaleOf: (amax: number) => number): QuantizationWay {
  return {
    ...{ scheme: 'nvfp4', way, family: 'NVFP4', elementBits: 4, blockBits: 8, tensorBits, blockSize: 16 },
    quantizer: (amax) => {
      const options = { ...nvfp4Options, tensorScale: scaleOf(amax) }
      return (values, originals) => inBlocks(values, originals, options)
    },
  }
}

/** The tensor scale of the whole tensor, of which only a piece may be at hand: that of a block that holds its amax. */
function tensorScale(amax: number): number {
  const values = new Float32Array(16).fill(Math.min(amax, maxFloat32))
  return quantizeArray(values, { ...nvfp4Options, tensorScale: 'amax' }).tensorScale
}

const maxFloat32 = dtypeFacts('float32').max

function inBlocks(
  values: Numbers,
  originals: Numbers = values,
  options: BlockOptions & { blockSize: number },
): QuantizedValues {
  const blocks = quantizeArray(values instanceof Float32Array ? values : Float32Array.from(values), options)
  return { restored: () => dequantizeBlocks(blocks), report: () => quantizationReport(originals, blocks) }
}
