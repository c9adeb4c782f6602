import {
  decodeArray,
  decodeTable,
  encodeArray,
  encoder,
  type FormatName,
  format,
  formatNames,
} from 'tpu-toolkit/formats'
import { type UnaryName, unaryTable } from 'tpu-toolkit/functions'
import { add, exp, fromBits, mul, type Tensor } from 'tpu-toolkit/tensor'
import { n, values } from './inputs.js'
import { checkEqual, type Operation } from './operation.js'

type Goal = NonNullable<Operation['goal']>

/** The formats of training and inference on low-precision units. */
const foremost: readonly FormatName[] = ['float8_e4m3fn', 'float8_e5m2', 'float4_e2m1fn']
const quarter: Goal = { ratio: 1 / 4 }
const eighth: Goal = { ratio: 1 / 8 }
const tenth: Goal = { ratio: 1 / 10 }
const peers: Goal = { ratio: 1 }

const bytesOf = (name: FormatName): number => (format(name).bits > 8 ? 2 : 1)
const codesOf = (seed: number, name: FormatName, n: number) => encodeArray(values(seed, n), name)
const tensorOf = (seed: number, name: FormatName, n: number) =>
  fromBits(codesOf(seed, name, n), { dtype: name })

function encodeOperation(name: FormatName, width: 'f32' | 'f64'): Operation {
  const op = `encode ${width} ${name}`
  const narrow = foremost.includes(name) && width === 'f32' ? eighth : quarter
  return {
    op,
    n,
    bytes: (width === 'f32' ? 4 : 8) + bytesOf(name),
    goal: name === 'float16' ? peers : narrow,
    prepare(n) {
      const input =
        width === 'f32' ? values(1, n) : Float64Array.from(values(1, n), (x) => x * (1 + 2 ** -40))
      const out = codesOf(2, name, n)
      const scalar = encoder(name)
      return {
        run: () => encodeArray(input, name, undefined, out),
        check: () => checkEqual(op, out, (i) => scalar(input[i]!)),
      }
    },
  }
}

function decodeOperation(name: FormatName): Operation {
  const op = `decode ${name}`
  return {
    op,
    n,
    bytes: 4 + bytesOf(name),
    goal: name === 'float16' ? peers : quarter,
    prepare(n) {
      const input = codesOf(1, name, n)
      const out = new Float32Array(n)
      const table = decodeTable(name)
      return {
        run: () => decodeArray(input, name, out),
        check: () => checkEqual(op, out, (i) => table[input[i]!]!),
      }
    },
  }
}

function binaryOperation(
  name: FormatName,
  operation: (a: Tensor, b: Tensor, options: { out: Tensor }) => Tensor,
  scalar: (a: number, b: number) => number,
): Operation {
  const op = `${operation.name} ${name}`
  return {
    op,
    n,
    bytes: 3 * bytesOf(name),
    goal: name === 'float16' ? peers : tenth,
    prepare(n) {
      const [a, b, out] = [tensorOf(1, name, n), tensorOf(2, name, n), tensorOf(3, name, n)]
      const table = decodeTable(name)
      const encode = encoder(name)
      return {
        run: () => operation(a, b, { out }),
        check: () => checkEqual(op, out.data, (i) => encode(scalar(table[a.data[i]!]!, table[b.data[i]!]!))),
      }
    },
  }
}

function unaryOperation(
  name: FormatName,
  operation: (x: Tensor, options: { out: Tensor }) => Tensor,
  unary: UnaryName,
): Operation {
  const op = `${unary} ${name}`
  return {
    op,
    n,
    bytes: 2 * bytesOf(name),
    // NumPy has vector instructions for float16's exp, and one table entry an element is no match for them.
    ...(name === 'float16' ? {} : { goal: tenth }),
    prepare(n) {
      const [x, out] = [tensorOf(1, name, n), tensorOf(3, name, n)]
      const table = unaryTable(unary, name)
      return {
        run: () => operation(x, { out }),
        check: () => checkEqual(op, out.data, (i) => table[x.data[i]!]!),
      }
    },
  }
}

/** Casts, arithmetic and a function in every format but bfloat16, a format at a time. */
export const formatOperations: readonly Operation[] = formatNames
  .filter((name) => name !== 'bfloat16')
  .flatMap((name) => [
    encodeOperation(name, 'f32'),
    encodeOperation(name, 'f64'),
    decodeOperation(name),
    binaryOperation(name, add, (a, b) => a + b),
    binaryOperation(name, mul, (a, b) => a * b),
    unaryOperation(name, exp, 'exp'),
  ])
