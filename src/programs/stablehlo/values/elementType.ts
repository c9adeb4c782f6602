import { type DType, dtypes } from '../../../tensors/tensor/index.js'
import type { ElementType, TensorType, Type } from '../module.js'

/** StableHLO's names of element types, and ours. */
const names: Readonly<Record<string, string>> = {
  f64: 'float64',
  f32: 'float32',
  f16: 'float16',
  bf16: 'bfloat16',
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
  i1: 'bool',
  i2: 'int2',
  i4: 'int4',
  i8: 'int8',
  i16: 'int16',
  i32: 'int32',
  i64: 'int64',
  ui2: 'uint2',
  ui4: 'uint4',
  ui8: 'uint8',
  ui16: 'uint16',
  ui32: 'uint32',
  ui64: 'uint64',
}

const known: ReadonlySet<string> = new Set(dtypes)

/** What the elements of a value are: a dtype, or pairs of one. */
export interface Elements {
  readonly dtype: DType
  readonly isComplex: boolean
}

/** Our dtype of an element type; undefined where there is none. */
export function elementsOf(element: ElementType): Elements | undefined {
  const pair = /^complex<(\w+)>$/.exec(element)
  const name = names[pair ? pair[1]! : element]
  return name !== undefined && known.has(name)
    ? { dtype: name as DType, isComplex: pair !== null }
    : undefined
}

/** A tensor type whose every dimension is known. */
export interface StaticType extends Elements {
  readonly shape: readonly number[]
  readonly element: ElementType
}

/** More elements than this in one tensor are refused before anything is allocated. */
const most = 2 ** 28

/** What a type is to a program: a static tensor. Throws the problem where it is none. */
export function staticType(type: Type): StaticType {
  if (type.kind !== 'tensor') throw new TypeError(`takes a tensor [${written(type)}]`)
  const elements = elementsOf(type.element)
  if (!elements) {
    throw new TypeError(
      type.element.startsWith('!quant')
        ? `has a quantized type, which no program of ours has [${written(type)}]`
        : `has an element type that no tensor has [${written(type)}]`,
    )
  }
  const shape = type.shape.map((length) => {
    if (length === undefined) throw new RangeError(`has a dynamic shape [${written(type)}]`)
    return length
  })
  const size = shape.reduce((product, length) => product * length, 1)
  if (size > most) throw new RangeError(`has more than ${most} elements [${written(type)}]`)
  return { ...elements, shape, element: type.element }
}

/** A type as it is written. */
export function written(type: Type): string {
  switch (type.kind) {
    case 'tensor':
      return tensorWritten(type)
    case 'tuple':
      return `tuple<${type.types.map(written).join(', ')}>`
    case 'function':
      return `(${type.inputs.map(written).join(', ')}) -> (${type.results.map(written).join(', ')})`
    case 'named':
      return type.text
    default:
      return type satisfies never
  }
}

function tensorWritten({ shape, element }: TensorType): string {
  return `tensor<${shape.map((length) => `${length ?? '?'}x`).join('')}${element}>`
}
