import type { BlockElement, BlockOptions } from '../../numbers/formats/index.js'

/** What the block schemes of OCP MX v1.0 and NVFP4 are called. */
export type BlockSchemeName =
  | 'mxfp8_e4m3'
  | 'mxfp8_e5m2'
  | 'mxint8'
  | 'mxfp6_e2m3'
  | 'mxfp6_e3m2'
  | 'mxfp4'
  | 'nvfp4'

const mx = (element: BlockElement): BlockOptions => Object.freeze({ element, blockSize: 32 })

/**
 * The options that a scheme's name stands for; what they leave open (the rule of an MX scale, a tensor scale) is as by default.
 *
 * @example blockSchemes.mxfp4.element // 'float4_e2m1fn'
 */
export const blockSchemes: Readonly<Record<BlockSchemeName, BlockOptions>> = Object.freeze({
  mxfp8_e4m3: mx('float8_e4m3fn'),
  mxfp8_e5m2: mx('float8_e5m2'),
  mxint8: mx('int8'),
  mxfp6_e2m3: mx('float6_e2m3fn'),
  mxfp6_e3m2: mx('float6_e3m2fn'),
  mxfp4: mx('float4_e2m1fn'),
  nvfp4: Object.freeze({ element: 'float4_e2m1fn', scheme: 'nvfp4', blockSize: 16 } as const),
})
