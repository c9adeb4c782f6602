import { checkName } from '../options/index.js'
import { instantiate, type KernelExports } from './instance.js'

/** How an array function computes: 'simd' (WebAssembly where the machine has it, else plain) or 'plain' JavaScript. */
export type Engine = 'simd' | 'plain'

/** Elements copied in, worked on and copied out at a time: large against a call, small against the L2 cache. */
export const block = 16384
/** Elements of a lane that is added in one go. */
export const longestLane: number = 2 ** 17
/** The largest block of a matrix product in any direction. */
export const side = 512

/** Byte offsets in the instance's 4 MiB, of which the kernels' own tables take the first 68 kB. */
export const at = {
  /** The second operand: a block of codes. */
  right: 0x02_9000,
  /** The result: a block of codes. */
  out: 0x03_1000,
  /** Ranges of the 128 bands and the 64 panels of a matrix product, 32 bytes each. */
  leftRange: 0x03_9000,
  rightRange: 0x03_a000,
  /** Operands of a matrix product, packed: side by side elements of 4 bytes, or half by half of 8. */
  packedLeft: 0x04_0000,
  /** Operands of 4 bytes, the result and the bytes of a condition, where a matrix product would lie: a block of each. */
  first: 0x04_0000,
  second: 0x05_0000,
  result: 0x06_0000,
  condition: 0x07_0000,
  /** A whole lane, its running sums, room for twice as much, and two numbers between its parts. */
  lane: 0x04_0000,
  scan: 0x0c_0000,
  scratch: 0x14_0000,
  state: 0x03_c000,
  /** Of many lanes at once, the running sums and their compensations. */
  columnSums: 0x14_0000,
  columnRests: 0x15_0000,
  packedRight: 0x14_0000,
  /** Its sums. */
  sums: 0x24_0000,
  /** A table of 65,536 codes. */
  table: 0x34_0000,
  /** The first operand: a block of any type, float64 the widest. */
  left: 0x36_0000,
} as const

/** The kernels and views of their memory. One instance serves all: no kernel keeps anything between calls. */
export interface Arena {
  /** @internal */
  readonly kernels: KernelExports
  /** @internal */
  readonly leftCodes: Uint16Array
  /** @internal */
  readonly leftFloat32: Float32Array
  /** @internal */
  readonly leftFloat64: Float64Array
  /** @internal */
  readonly leftInt32: Int32Array
  /** @internal */
  readonly rightCodes: Uint16Array
  /** @internal */
  readonly outCodes: Uint16Array
  /** @internal */
  readonly first: Float32Array
  /** @internal */
  readonly second: Float32Array
  /** @internal */
  readonly result: Float32Array
  /** @internal */
  readonly firstWords: Uint32Array
  /** @internal */
  readonly secondWords: Uint32Array
  /** @internal */
  readonly resultWords: Uint32Array
  /** @internal */
  readonly resultCodes: Uint16Array
  /** @internal */
  readonly resultInt32: Int32Array
  /** @internal */
  readonly resultBytes: Uint8Array
  /** @internal */
  readonly lane: Float32Array
  /** @internal */
  readonly scan: Float32Array
  /** @internal */
  readonly state: Float32Array
  /** @internal */
  readonly columnSums: Float32Array
  /** @internal */
  readonly columnRests: Float32Array
  /** @internal */
  readonly condition: Uint8Array
  /** @internal */
  readonly table: Uint16Array
  /** @internal */
  readonly sums: Float32Array
  /** @internal */
  readonly sumsFloat64: Float64Array
  /** @internal */
  readonly sumsInt32: Int32Array
}

// undefined: not tried yet; null: tried, and this machine has no WebAssembly SIMD.
let only: Arena | null | undefined

/** The arena, made at the first call; undefined for 'plain' and where there is no WebAssembly SIMD. */
export function arena(engine: Engine): Arena | undefined {
  if (engine === 'plain') return undefined
  if (engine !== 'simd') checkName('arena', 'engine', engine, ['simd', 'plain'])
  if (only === undefined) only = open() ?? null
  return only ?? undefined
}

function open(): Arena | undefined {
  const kernels = instantiate()
  if (!kernels) return undefined
  const { buffer } = kernels.memory
  return {
    kernels,
    leftCodes: new Uint16Array(buffer, at.left, block),
    leftFloat32: new Float32Array(buffer, at.left, block),
    leftFloat64: new Float64Array(buffer, at.left, block),
    leftInt32: new Int32Array(buffer, at.left, block),
    rightCodes: new Uint16Array(buffer, at.right, block),
    outCodes: new Uint16Array(buffer, at.out, block),
    first: new Float32Array(buffer, at.first, block),
    second: new Float32Array(buffer, at.second, block),
    result: new Float32Array(buffer, at.result, block),
    firstWords: new Uint32Array(buffer, at.first, block),
    secondWords: new Uint32Array(buffer, at.second, block),
    resultWords: new Uint32Array(buffer, at.result, block),
    resultCodes: new Uint16Array(buffer, at.result, block),
    resultInt32: new Int32Array(buffer, at.result, block),
    resultBytes: new Uint8Array(buffer, at.result, block),
    lane: new Float32Array(buffer, at.lane, longestLane),
    scan: new Float32Array(buffer, at.scan, longestLane),
    state: new Float32Array(buffer, at.state, 2),
    columnSums: new Float32Array(buffer, at.columnSums, block),
    columnRests: new Float32Array(buffer, at.columnRests, block),
    condition: new Uint8Array(buffer, at.condition, block),
    table: new Uint16Array(buffer, at.table, 65536),
    sums: new Float32Array(buffer, at.sums, side * side),
    sumsFloat64: new Float64Array(buffer, at.sums, (side / 2) ** 2),
    sumsInt32: new Int32Array(buffer, at.sums, side * side),
  }
}
