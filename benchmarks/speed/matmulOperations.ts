import { type DType, type FloatDType, matmul, type Tensor, tensor, transpose } from 'tpu-toolkit/tensor'
import { values } from './inputs.js'
import { checkEqual, type Operation } from './operation.js'

const side = 512

/** The sum of products of a row and a column, from where each begins; a loop of its own for each type, which the engine makes fast. */
type Dot = (a: ArrayLike<number>, row: number, b: ArrayLike<number>, column: number) => number

/** A product of tensors. */
function product(
  dtype: DType & ('float32' | 'float64' | 'int32'),
  accumulate: FloatDType | undefined,
  dot: Dot,
): Operation {
  const op = accumulate ? `matmul ${dtype} in ${accumulate} ${side}` : `matmul ${dtype} ${side}`
  const goal = { ratio: 3, of: `matmul float32 ${side}` }
  return {
    op,
    n: side ** 3,
    whole: true,
    ...(op === goal.of ? {} : { goal }),
    prepare() {
      const drawn = (seed: number): Tensor => {
        const some = values(seed, side ** 2)
        const scaled = dtype === 'int32' ? Array.from(some, (x) => Math.trunc(x * 2 ** 20)) : some
        return tensor(scaled, { dtype, shape: [side, side] })
      }
      const [a, b] = [drawn(1), drawn(2)]
      const out = drawn(3)
      const run = () => matmul(a, b, accumulate ? { accumulate, out } : { out })
      return {
        run,
        check: () => {
          const columns = transpose(b).data as Float32Array
          checkEqual(op, out.data as Float32Array, (i) => {
            const sum = dot(a.data as Float32Array, Math.floor(i / side) * side, columns, (i % side) * side)
            return accumulate && dtype === 'float32' ? Math.fround(sum) : sum
          })
        },
      }
    },
  }
}

const inFloat32: Dot = (a, row, b, column) => {
  let sum = 0
  for (let k = 0; k < side; k++) sum = Math.fround(sum + Math.fround(a[row + k]! * b[column + k]!))
  return sum
}

const inFloat64: Dot = (a, row, b, column) => {
  let sum = 0
  for (let k = 0; k < side; k++) sum += a[row + k]! * b[column + k]!
  return sum
}

const inInt32: Dot = (a, row, b, column) => {
  let sum = 0
  for (let k = 0; k < side; k++) sum = (sum + Math.imul(a[row + k]!, b[column + k]!)) | 0
  return sum
}

/** Matrix products of tensors in the types that are not bfloat16: float32, and those that are held against it. */
export const matmulOperations: readonly Operation[] = [
  product('float32', undefined, inFloat32),
  product('float64', undefined, inFloat64),
  product('float32', 'float64', inFloat64),
  product('int32', undefined, inInt32),
]
