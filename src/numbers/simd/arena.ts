import { checkName } from '../../base/options/index.js'

/** How an array function computes: 'simd' (WebAssembly where the machine has it, else plain) or 'plain' JavaScript. */
export type Engine = 'simd' | 'plain'

/** Elements copied in, worked on and copied out at a time: large against a call, small against the L2 cache. */
export const block = 16384
/** Elements of a lane that is added in one go. */
export const longestLane: number = 2 ** 17
/** The largest block of a matrix product in any direction. */
export const side = 512

/** Byte offsets in the instance's 4 MiB, of which the kernels' own tables take the first 74 kB. */
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

/** The memory of all kernels, which keep nothing there between calls but their own tables. */
export interface Arena {
  /** @internal */
  readonly memory: object
  /** @internal */
  readonly buffer: ArrayBuffer
}

/** The part of the WebAssembly interface used here; neither ES2022 nor Node's types declare it. */
export interface WebAssemblyLike {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
  readonly Memory: new (limits: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer }
}

/** Pages of 64 KiB. */
const pages = 64

/** A module of one function that returns a vector, with which a machine shows whether it compiles SIMD instructions. */
const simdModule = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0],
  ...[65, 0, 253, 15, 253, 98, 11],
]

// undefined: not tried yet; null: tried, and this machine has no WebAssembly SIMD, or forbids it.
let only: Arena | null | undefined

/** The arena, made at the first call; undefined for 'plain' and where there is no WebAssembly SIMD. */
export function arena(engine: Engine): Arena | undefined {
  if (engine === 'plain') return undefined
  if (engine !== 'simd') checkName('arena', 'engine', engine, ['simd', 'plain'])
  if (only === undefined) only = open() ?? null
  return only ?? undefined
}

function open(): Arena | undefined {
  const { WebAssembly } = globalThis as { WebAssembly?: WebAssemblyLike }
  if (!WebAssembly) return undefined
  try {
    new WebAssembly.Module(Uint8Array.from(simdModule))
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
    return { memory, buffer: memory.buffer }
  } catch {
    return undefined
  }
}

/** What is made of the arena at its first use and kept: views of its memory, a module of kernels. */
export function ofArena<T>(make: (arena: Arena) => T): (arena: Arena) => T {
  let made: T | undefined
  return (arena) => {
    made ??= make(arena)
    return made
  }
}
