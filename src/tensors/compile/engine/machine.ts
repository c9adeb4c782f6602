import { decodeTable, type FloatFormat } from '../../../numbers/formats/index.js'
import { type UnaryName, unaryTable } from '../../../numbers/functions/index.js'
import { type DType, dtypeFacts } from '../../tensor/index.js'
import { interpreterBytes } from './interpreterModule.js'
import { END } from './opcodes.js'
import { ThreadPool } from './threadPool.js'

/** What wasm/program/index.ts exports. */
interface Exports {
  run(at: number): number
  /** Fills the tables that its functions read. */
  fillTables(): void
}

interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/** What the interpreter calls while a program runs. */
export interface Host {
  step(call: number): void
  block(call: number, to: number, a: number, b: number, c: number, count: number): void
}

// The part of the WebAssembly interface used here; neither ES2022 nor Node's types declare it.
interface WebAssemblyLike {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
  readonly Memory: new (limits: { initial: number; maximum?: number; shared?: boolean }) => Memory
}

/** The memory as numbers of each width. */
export interface Views {
  readonly buffer: ArrayBuffer
  readonly bytes: Uint8Array
  readonly halves: Uint16Array
  readonly words: Uint32Array
  readonly floats: Float32Array
}

const page = 65536
/** All that addresses of 32 bits reach. */
const mostPages = 65536
/** Pages of the interpreter's own numbers, and what is behind them. */
const ownPages = 2
const tablesFrom = ownPages * page
/** Where programs begin; tables lie below, and memory that nothing touched costs nothing. */
const programsFrom = 32 * 1024 * 1024

/** One interpreter and its memory, which all programs use by turns. Nothing of a program outlasts its call but its image. */
export class Machine {
  readonly base: number = programsFrom
  readonly #exports: Exports
  readonly #memory: Memory
  readonly #crew: ThreadPool | undefined
  #tablesTo = tablesFrom
  readonly #tables = new Map<string, number>()
  #views: Views
  #host: Host | undefined
  #owner: object | undefined

  /** `shared`: with a memory that threads share. */
  constructor({ Module, Instance, Memory }: WebAssemblyLike, shared: boolean) {
    const limits = { initial: ownPages, ...(shared ? { maximum: mostPages, shared } : {}) }
    this.#memory = new Memory(limits)
    const bytes = interpreterBytes(shared ? { maximum: mostPages, fills: true } : undefined)
    const host = {
      step: (call: number) => this.#host!.step(call),
      elementwise: (call: number, to: number, a: number, b: number, c: number, count: number) =>
        // Addresses beyond 2^31 come as negative numbers.
        this.#host!.block(call, to >>> 0, a >>> 0, b >>> 0, c >>> 0, count),
    }
    const instance = new Instance(new Module(bytes), { env: { memory: this.#memory }, host })
    this.#exports = instance.exports as Exports
    this.#exports.fillTables()
    this.#crew = shared ? new ThreadPool(this.#memory, mostPages) : undefined
    this.#views = viewsOf(this.#memory.buffer)
    this.reserve(programsFrom)
  }

  /** The memory; it moves when it grows, so it is asked for anew at each call. */
  get views(): Views {
    return this.#views
  }

  get buffer(): ArrayBuffer {
    return this.#views.buffer
  }

  /** Whether a program runs: a host call may not start another here. */
  get busy(): boolean {
    return this.#host !== undefined
  }

  /** Whether threads may share its memory: a page may refuse them one. */
  get shared(): boolean {
    return this.#crew !== undefined
  }

  /** Makes the memory at least this long. */
  reserve(bytes: number): void {
    const { length } = this.#views.bytes
    if (bytes <= length) return
    const missing = Math.ceil((bytes - length) / page)
    try {
      this.#memory.grow(missing)
    } catch {
      throw new RangeError(`compile: a program needs more memory than WebAssembly gives [${bytes} bytes]`)
    }
    this.#views = viewsOf(this.#memory.buffer)
  }

  /** Puts the images of a program and of its loops in their places, unless they are there still. */
  own(program: object, images: readonly { readonly imageAt: number; readonly image: Uint32Array }[]): void {
    if (this.#owner === program) return
    this.#owner = program
    for (const { imageAt, image } of images) this.#views.words.set(image, imageAt / 4)
  }

  /** Runs from an address to the next end; true where an element that came in was a NaN other than the canonical one. */
  run(at: number, host: Host): boolean {
    // A loop's body runs while the program around it does.
    const around = this.#host
    this.#host = host
    try {
      return this.#exports.run(at) !== 0
    } finally {
      this.#host = around
    }
  }

  /** Has this many threads at work, the caller's counted in, as soon as they have begun. */
  startThreads(threads: number): void {
    this.#crew?.startThreads(threads)
  }

  /** Runs from each address to the next end, in any order and on any thread: none may call the host. */
  runParts(places: readonly number[]): boolean {
    const run = (at: number): boolean => this.#exports.run(at) !== 0
    return this.#crew!.run(places, run)
  }

  /** Runs from one address to another, where the words of a step begin; true as of `run`. */
  runPart(from: number, to: number, host: Host): boolean {
    const { words } = this.#views
    const kept = words[to / 4]!
    words[to / 4] = END
    try {
      return this.run(from, host)
    } finally {
      words[to / 4] = kept
    }
  }

  /** Where the table of a function over all values of a format lies; made at the first time. */
  tableOf(name: UnaryName, dtype: DType): number {
    return this.#table(`${name} ${dtype}`, () => functionTable(name, dtypeFacts(dtype).format!))
  }

  /** Where the table lies by which codes of at most 8 bits come in, and the record by which they go out. */
  edgesOf(dtype: DType): { readonly enter: number; readonly leave: number } {
    const low = dtypeFacts(dtype).format!
    return {
      enter: this.#table(`enter ${dtype}`, () => enterTable(low)),
      leave: this.#table(`leave ${dtype}`, () => leaveRecord(low)),
    }
  }

  #table(key: string, make: () => Uint8Array): number {
    const known = this.#tables.get(key)
    if (known !== undefined) return known
    const bytes = make()
    const at = this.#tablesTo
    if (at + bytes.length > programsFrom) {
      throw new RangeError(`compile: more tables of functions than there is room for [${key}]`)
    }
    new Uint8Array(this.buffer, at, bytes.length).set(bytes)
    this.#tablesTo = (at + bytes.length + 31) & ~31
    this.#tables.set(key, at)
    return at
  }
}

function viewsOf(buffer: ArrayBuffer): Views {
  return {
    buffer,
    bytes: new Uint8Array(buffer),
    halves: new Uint16Array(buffer),
    words: new Uint32Array(buffer),
    floats: new Float32Array(buffer),
  }
}

/** The float32 bits of each code's value, one NaN for all. */
function bitsOf(low: FloatFormat): Uint32Array {
  const bits = new Uint32Array(Float32Array.from(decodeTable(low)).buffer)
  return bits.map((word) => ((word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word))
}

/**
 * A function's results: for bfloat16 the upper halves of their float32, by the upper half of the operand's; for narrower formats by
 * its upper 13 bits, which tell them apart; for float16 their float32, by code.
 */
function functionTable(name: UnaryName, low: FloatFormat): Uint8Array {
  const codes = unaryTable(name, low)
  const values = bitsOf(low)
  if (low.name === 'float16') return new Uint8Array(Uint32Array.from(codes, (code) => values[code]!).buffer)
  const shift = low.bits > 8 ? 16 : 19
  const table = new Uint16Array(2 ** (32 - shift))
  for (const [code, result] of codes.entries()) {
    const word = values[code]!
    const isSigned = values[result] === 0x7fc00000 && result !== low.canonicalNaN
    const upper = (values[result]! >>> 16) | (isSigned ? 0x8000 : 0)
    table[word >>> shift] = upper
    if (word === 0x7fc00000) table[0xffc00000 >>> shift] = upper
  }
  return new Uint8Array(table.buffer)
}

/** By code the float32; codes of NaN other than the canonical one are marked. */
function enterTable(low: FloatFormat): Uint8Array {
  const values = bitsOf(low).map((word, code) =>
    word === 0x7fc00000 && code !== low.canonicalNaN ? 0x7fc00001 : word,
  )
  return new Uint8Array(values.buffer)
}

/**
 * The words by which float32 values become codes of at most 8 bits: see `leaveBytes` in wasm/program/edges.ts. There a code is a
 * multiple of 2^(7 - m), m the bits of its mantissa: in the upper half of a float32 its first bit lies there.
 */
function leaveRecord(low: FloatFormat): Uint8Array {
  const { bias, mantissaBits, minNormal, minSubnormal, infinityCode, maxCode, canonicalNaN } = low
  const words = new Uint32Array(8)
  const floats = new Float32Array(words.buffer)
  const unit = 2 ** (7 - mantissaBits)
  const lift = (127 - bias) * 2 ** 7
  if (minSubnormal !== null) {
    floats[0] = (2 ** 23 * minSubnormal) / unit
    floats[1] = minNormal
  }
  words[2] = lift * 2 ** 16
  words[3] = 0x10001 * (0x7f80 - lift)
  words[4] = 0x10001 * ((infinityCode ?? maxCode) * unit)
  words[5] = 0x10001 * (256 / unit)
  words[6] = 0x1010101 * low.signMask
  words[7] = 0x1010101 * (canonicalNaN ?? 0)
  return new Uint8Array(words.buffer)
}

// undefined: not tried yet; null: tried, and this machine has no WebAssembly SIMD, or no memory that threads share.
let only: Machine | null | undefined
let threaded: Machine | null | undefined

/** The machine that runs programs, made at the first call; undefined where there is no WebAssembly SIMD. */
export function machine(): Machine | undefined {
  only ??= open(false) ?? null
  return only ?? undefined
}

/** The one whose programs run on threads; undefined where memory cannot be shared, in pages that are not isolated from others say. */
export function threadedMachine(threads: number): Machine | undefined {
  threaded ??= open(true) ?? null
  threaded?.startThreads(threads)
  return threaded ?? undefined
}

function open(shared: boolean): Machine | undefined {
  const { WebAssembly } = globalThis as { WebAssembly?: WebAssemblyLike }
  if (!WebAssembly || (shared && typeof SharedArrayBuffer === 'undefined')) return undefined
  try {
    return new Machine(WebAssembly, shared)
  } catch {
    return undefined
  }
}
