import { encoder, type FormatName } from '../../../numbers/formats/index.js'
import type { ElementType } from '../module.js'

/** How one element stands in memory, as MLIR lays it out. */
export type ElementLayout =
  | {
      readonly kind: 'integer'
      readonly bytes: number
      readonly bits: number
      readonly signed: boolean
      readonly unsigned: boolean
    }
  /** A float of at most 16 bits has one of our formats, and `encode` gives the code of a number. */
  | {
      readonly kind: 'float'
      readonly bytes: number
      readonly bits: number
      readonly format?: FormatName
      readonly encode?: (value: number) => number
    }
  | { readonly kind: 'complex'; readonly bytes: number; readonly part: ElementLayout }

/** StableHLO's spelling of our formats. */
const narrow: Readonly<Record<string, FormatName>> = {
  bf16: 'bfloat16',
  f16: 'float16',
  f8E3M4: 'float8_e3m4',
  f8E4M3: 'float8_e4m3',
  f8E4M3FN: 'float8_e4m3fn',
  f8E4M3FNUZ: 'float8_e4m3fnuz',
  f8E4M3B11FNUZ: 'float8_e4m3b11fnuz',
  f8E5M2: 'float8_e5m2',
  f8E5M2FNUZ: 'float8_e5m2fnuz',
  f8E8M0FNU: 'float8_e8m0fnu',
  f6E2M3FN: 'float6_e2m3fn',
  f6E3M2FN: 'float6_e3m2fn',
  f4E2M1FN: 'float4_e2m1fn',
}

/** Widest integer whose constants are read; MLIR has more. */
const widest = 128

/** Those asked for before: there are at most as many as element types. */
const known = new Map<ElementType, ElementLayout>()

/** The layout of an element type; undefined of one whose constants are not read, such as quantized types. */
export function elementLayout(element: ElementType): ElementLayout | undefined {
  const layout = known.get(element)
  if (layout !== undefined) return layout
  const found = layoutOf(element)
  if (found !== undefined) known.set(element, found)
  return found
}

function layoutOf(element: ElementType): ElementLayout | undefined {
  if (element === 'f64') return { kind: 'float', bytes: 8, bits: 64 }
  if (element === 'f32') return { kind: 'float', bytes: 4, bits: 32 }
  if (element === 'index') return { kind: 'integer', bytes: 8, bits: 64, signed: true, unsigned: false }
  if (Object.hasOwn(narrow, element)) {
    const bits = element === 'bf16' ? 16 : Number(/^f(\d+)/.exec(element)![1])
    return {
      kind: 'float',
      bytes: Math.ceil(bits / 8),
      bits,
      format: narrow[element]!,
      encode: encoder(narrow[element]!),
    }
  }
  const integer = /^([su]?)i(\d+)$/.exec(element)
  if (integer !== null) {
    const bits = Number(integer[2])
    if (bits < 1 || bits > widest) return undefined
    return {
      kind: 'integer',
      bytes: Math.ceil(bits / 8),
      bits,
      signed: integer[1] !== 'u',
      unsigned: integer[1] !== 's',
    }
  }
  if (!element.startsWith('complex<')) return undefined
  const part = elementLayout(element.slice(8, -1))
  return part === undefined || part.kind === 'complex'
    ? undefined
    : { kind: 'complex', bytes: 2 * part.bytes, part }
}
