import { blockWays } from './blockWays.js'
import { castWays } from './castWays.js'
import type { QuantizationWay } from './quantizationWay.js'
import { storageWays } from './storageWays.js'

/**
 * Every way of holding numbers in few bits: casts to each format from the widest on, then block schemes, then storage formats.
 * Casts: 'plain'; 'saturating', where the format has something beyond its largest number; 'scaled', with one float32 for
 * a tensor that brings its largest magnitude to the format's. MX: each rule for a block's scale. NVFP4: with 'one level'
 * of scales or with 'two levels'. Storage formats of GGUF and bitsandbytes: 'stored', ggml's MXFP4 'ggml', int8 with one scale
 * a row 'rows'; of these clipped numbers are not counted.
 *
 * Rounding  nearest, ties to even; of float64 numbers a cast rounds once, blocks take the nearest float32.
 *
 * @example quantizationWays.filter(({ scheme }) => scheme === 'mxfp4').map(({ way }) => way) // ['floor', 'rceil', 'ceil', 'even', 'ggml']
 */
export const quantizationWays: readonly QuantizationWay[] = [...castWays, ...blockWays, ...storageWays]
