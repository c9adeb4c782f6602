import { checkName } from '../../base/options/index.js'
import { dynamicMap } from './dynamicMap.js'

/** The names of the block-wise formats of optimizer states: whose quantiser, bits of a code. */
export type BlockwiseName =
  | 'bitsandbytes-8bit'
  | 'bitsandbytes-cpu-8bit'
  | 'torchao-8bit'
  | 'torchao-4bit'
  | 'torchao-fp8'

/** Every name. */
export const blockwiseNames: readonly BlockwiseName[] = Object.freeze([
  'bitsandbytes-8bit',
  'bitsandbytes-cpu-8bit',
  'torchao-8bit',
  'torchao-4bit',
  'torchao-fp8',
] as const)

/** Whose arithmetic takes a number to a code: of bitsandbytes' GPU and default kernels, its native CPU kernel, torchao. */
export type BlockwiseRule = 'bitsandbytes' | 'bitsandbytes-cpu' | 'torchao'

/** A block-wise format for numbers of either sign, or for those that are never negative. */
export interface BlockwiseType {
  readonly name: BlockwiseName
  readonly rule: BlockwiseRule
  readonly codeBits: 4 | 8
  /** Numbers that share a scale, unless a call says otherwise. */
  readonly blockSize: number
  /** What codes stand for, ascending, times the scale; undefined where a code is a float8_e4m3fn. */
  readonly map: Float32Array | undefined
}

const known = new Map<string, BlockwiseType>()

/** The type of a name, in another function's words. */
export function blockwiseType(op: string, name: BlockwiseName, signed: boolean): BlockwiseType {
  const id = `${name} ${signed}`
  let type = known.get(id)
  if (type === undefined) {
    checkName(op, 'block-wise format', name, blockwiseNames)
    type = typeOf(name, signed)
    known.set(id, type)
  }
  return type
}

function typeOf(name: BlockwiseName, signed: boolean): BlockwiseType {
  if (name === 'torchao-fp8') return { name, rule: 'torchao', codeBits: 8, blockSize: 256, map: undefined }
  if (name === 'torchao-4bit') {
    // The published map of second moments is linear and has no 0, so that nothing is divided by it.
    const linear = Float32Array.from({ length: 16 }, (_, code) => (code + 1) / 16)
    const map = signed ? dynamicMap({ bits: 4, exponentBits: 3 }) : linear
    return { name, rule: 'torchao', codeBits: 4, blockSize: 128, map }
  }
  const rule = name.slice(0, -'-8bit'.length) as BlockwiseRule
  return { name, rule, codeBits: 8, blockSize: 256, map: dynamicMap({ signed }) }
}
