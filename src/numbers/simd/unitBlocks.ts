import { type Arena, at, ofArena } from './arena.js'
import type { MatmulSizes } from './matmulBlocks.js'
import { unitKernels } from './unit.wasm.js'

/** How a matrix unit adds products: see wasm/assembly/unit.ts. */
export interface UnitSteps {
  /** Products of an instruction, and how many of them are added at once. */
  readonly instruction: number
  readonly group: number
  /** Bits below the largest exponent that terms keep, 25 at most. */
  readonly align: number
  /** Of a result: bits of its fraction, the exponent of its smallest normal number, the power of two that is too large. */
  readonly fraction: number
  readonly least: number
  readonly limit: number
  readonly isCut: boolean
  /** Whether the accumulator is added after each instruction, which begins at 0. */
  readonly isAfter: boolean
  /** The element of an instruction that is the `p`th in the order of its groups. */
  readonly place: (p: number) => number
}

/** Finite numbers in significands, below 2 in magnitude, and exponents. */
export interface UnitNumbers {
  readonly significands: Float32Array
  readonly exponents: Int32Array
}

/** Rows and columns of a block, and how much of k: up to 8 bytes an element in the arena's room of 1 MiB an operand. */
const side = 512
const deepest = 256
/** The exponent of a zero, far below any other. */
const ofZero = -2000

const viewsOf = /*#__PURE__*/ ofArena(({ buffer }) => {
  const room = side * deepest * 2
  return {
    left: new Float32Array(buffer, at.packedLeft, room),
    leftExponents: new Int32Array(buffer, at.packedLeft, room),
    right: new Float32Array(buffer, at.packedRight, room),
    rightExponents: new Int16Array(buffer, at.packedRight, 2 * room),
    sums: new Float32Array(buffer, at.sums, side * side),
  }
})

/** What of k a block has, in the order of the groups: places in a row, -1 for what is missing at the end. */
function placesOf(from: number, depth: number, end: number, { instruction, place }: UnitSteps): Int32Array {
  const places = new Int32Array(depth)
  for (let p = 0; p < depth; p++) {
    const q = p % instruction
    const found = from + p - q + place(q)
    places[p] = found < end ? found : -1
  }
  return places
}

/**
 * A matrix product whose elements are chains of a matrix unit's instructions from +0, over k from `from` to `end`; where one is not finite,
 * which it stays, only that is right.
 */
export function unitBlocks(
  arena: Arena,
  a: UnitNumbers,
  b: UnitNumbers,
  { m, k, n }: MatmulSizes,
  steps: UnitSteps,
  out: Float32Array,
  [from, end]: readonly [from: number, end: number],
): void {
  const { instruction, group, align, fraction, least, limit, isCut, isAfter } = steps
  const views = viewsOf(arena)
  const deep = Math.floor(deepest / instruction) * instruction
  for (let i = 0; i < m; i += side) {
    const rows = Math.min(side, m - i)
    for (let j = 0; j < n; j += side) {
      const columns = Math.min(side, n - j)
      const panels = (columns + 7) >> 3
      views.sums.fill(0, 0, rows * panels * 8)
      for (let first = from; first < end; first += deep) {
        const depth = Math.ceil(Math.min(deep, end - first) / instruction) * instruction
        const places = placesOf(first, depth, end, steps)
        for (let row = 0; row < rows; row++) {
          for (let p = 0; p < depth; p++) {
            const place = places[p]! < 0 ? -1 : (i + row) * k + places[p]!
            const to = 2 * (row * depth + p)
            views.left[to] = place < 0 ? 0 : a.significands[place]!
            views.leftExponents[to + 1] = place < 0 ? ofZero : a.exponents[place]!
          }
        }
        for (let p = 0; p < depth; p++) {
          for (let column = 0; column < panels * 8; column++) {
            const isMissing = places[p]! < 0 || column >= columns
            const place = isMissing ? -1 : places[p]! * n + j + column
            const to = 12 * ((column >> 3) * depth + p)
            views.right[to + (column & 7)] = isMissing ? 0 : b.significands[place]!
            views.rightExponents[2 * to + 16 + (column & 7)] = isMissing ? ofZero : b.exponents[place]!
          }
        }
        unitKernels(arena).multiplyUnit(
          ...([at.packedLeft, at.packedRight, at.sums, rows, panels, depth] as const),
          ...([instruction, group, align, fraction, least, limit] as const),
          ...([isCut ? 1 : 0, isAfter ? 1 : 0] as const),
        )
      }
      for (let row = 0; row < rows; row++) {
        const source = row * panels * 8
        out.set(views.sums.subarray(source, source + columns), (i + row) * n + j)
      }
    }
  }
}

/** Numbers as significands and exponents; which are not finite are zeros here, and true in `isSpecial`. */
export function unitNumbers(
  values: Float32Array,
  least: number,
): UnitNumbers & { readonly isSpecial: Uint8Array | undefined } {
  const significands = new Float32Array(values.length)
  const exponents = new Int32Array(values.length)
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length)
  const to = new Uint32Array(significands.buffer)
  let isSpecial: Uint8Array | undefined
  for (let i = 0; i < values.length; i++) {
    const word = words[i]!
    const field = (word >>> 23) & 0xff
    if ((word & 0x7fffffff) === 0) {
      exponents[i] = ofZero
    } else if (field === 0xff) {
      isSpecial ??= new Uint8Array(values.length)
      isSpecial[i] = 1
      exponents[i] = ofZero
    } else if (field - 127 >= least && field > 0) {
      exponents[i] = field - 127
      to[i] = (word & 0x807fffff) | 0x3f800000
    } else {
      exponents[i] = least
      significands[i] = values[i]! * 2 ** -least
    }
  }
  return { significands, exponents, isSpecial }
}
