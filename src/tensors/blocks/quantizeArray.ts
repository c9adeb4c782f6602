import { checkOptions } from '../../base/options/index.js'
import {
  type BlockCodes,
  type BlockKernel,
  type BlockOptions,
  type BlockQuantized,
  quantizeBlocks,
} from '../../numbers/formats/index.js'
import { arena, type Engine, scaleBlocks, scalesBlocks } from '../../numbers/simd/index.js'

/**
 * `quantizeBlocks` of formats, to the same bits, through WebAssembly where the machine has its SIMD and blocks are of
 * 16, 32, 48, ... values up to 16,384.
 *
 * Cost      about 0.6 ns per value for 'mx', 1.2 for 'nvfp4' (1.5 with 'amax'), on a machine where encodeArray takes
 *           0.5 and `quantizeBlocks` 2.2; allocates the result only, not even that with `out`, and of 'stochastic' the words
 *           that a function gives.
 *
 * @example quantizeArray(new Float32Array(32).fill(3), { element: 'float4_e2m1fn' }).codes[0] // 7
 */
export function quantizeArray(
  values: Float32Array,
  options: BlockOptions,
  out?: BlockCodes,
  engine: Engine = 'simd',
): BlockQuantized {
  checkOptions('quantizeArray', options, {
    element: 'required',
    blockSize: 'optional',
    scale: 'optional',
    scheme: 'optional',
    tensorScale: 'optional',
    ...{ blockRows: 'optional', rowLength: 'optional' },
    ...{ rounding: 'optional', random: 'optional', randomBits: 'optional' },
  })
  const simd = arena(engine)
  if (!simd || !scalesBlocks(options.blockSize ?? 32)) return quantizeBlocks(values, options, out)
  const kernel: BlockKernel = (...work) => scaleBlocks(simd, ...work)
  return quantizeBlocks(values, options, out, kernel)
}
