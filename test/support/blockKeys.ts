import type { BlockElement, BlockOptions, BlockQuantized, ScaleMode } from 'tpu-toolkit/formats'
import { Columns } from './columns.js'

/** One answer key of block quantisation: values, how to quantise them, and the codes and values that come of it. */
export interface BlockKey {
  readonly title: string
  readonly values: Float32Array
  readonly options: BlockOptions
  readonly scales: Uint8Array
  readonly codes: Uint8Array
  /** Float32 bits. */
  readonly dequantized: Uint32Array
  /** Float32 bits, where the key has it. */
  readonly tensorScale?: number
}

const elements: readonly BlockElement[] = [
  'float8_e4m3fn',
  'float8_e5m2',
  'float6_e2m3fn',
  'float6_e3m2fn',
  'float4_e2m1fn',
  'int8',
]
const modes: readonly ScaleMode[] = ['floor', 'rceil', 'ceil', 'even']

/** Float32 numbers of their bits. */
export function floats(bits: Uint32Array): Float32Array {
  return new Float32Array(bits.slice().buffer)
}

/** Float32 bits of numbers. */
export function bitsOf(values: Float32Array): Uint32Array {
  return new Uint32Array(values.slice().buffer)
}

/** Every key of test/golden/formats whose name begins with mx_ or nvfp4_. */
export function blockKeys(): BlockKey[] {
  const values = floats(new Columns('formats/mx_inputs').u32('input_f32'))
  const mx = elements.flatMap((element) => {
    const key = new Columns(`formats/mx_${element}`)
    return modes.map((scale) => ({
      title: `${element}, ${scale}`,
      values,
      options: { element, scale },
      scales: key.u8(`scale_${scale}`),
      codes: key.u8(`code_${scale}`),
      dequantized: key.u32(`dequant_f32_${scale}`),
    }))
  })
  const options = { element: 'float4_e2m1fn', scheme: 'nvfp4' } as const
  const one = new Columns('formats/nvfp4_single_level')
  const two = new Columns('formats/nvfp4_two_level')
  const part = 128
  const twoLevel = Array.from(two.u32('tensor_scale_f32'), (tensorScale, i) => ({
    title: `nvfp4, two levels, tensor ${i}`,
    values: floats(two.u32('input_f32').subarray(i * part, (i + 1) * part)),
    options: { ...options, tensorScale: 'amax' } as const,
    scales: two.u8('scale_e4m3fn').slice((i * part) / 16, ((i + 1) * part) / 16),
    codes: two.u8('code_e2m1').slice(i * part, (i + 1) * part),
    dequantized: two.u32('dequant_f32').slice(i * part, (i + 1) * part),
    tensorScale,
  }))
  const oneLevel = {
    title: 'nvfp4, one level',
    values: floats(one.u32('input_f32')),
    options,
    scales: one.u8('scale_e4m3fn'),
    codes: one.u8('code_e2m1'),
    dequantized: one.u32('dequant_f32'),
  }
  return [...mx, oneLevel, ...twoLevel]
}

/** The parts of a result that a key has, as plain lists: scale codes, and the codes of blocks that are not NaN. */
export function significant(blocks: Pick<BlockQuantized, 'scales' | 'codes'>, nanScale: number): unknown {
  const size = blocks.codes.length / blocks.scales.length
  return {
    scales: Array.from(blocks.scales),
    codes: Array.from(blocks.codes, (code, i) =>
      blocks.scales[Math.floor(i / size)] === nanScale ? -1 : code,
    ),
  }
}
