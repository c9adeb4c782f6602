import { type DType, type FloatDType, matmul, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { values } from './inputs.js'
import { checkEqual, type Operation } from './operation.js'

const side = 512

/** A product of tensors; `step` is what is done with the sum so far and the two elements. */
function product(
  dtype: DType & ('float32' | 'float64' | 'int32'),
  accumulate: FloatDType | undefined,
  step: (sum: number, x: number, y: number) => number,
): Operation {
  const op = accumulate ? `matmul ${dtype} in ${accumulate} ${side}` : `matmul ${dtype} ${side}`
  const goal = { ratio: 3, of: `matmul float32 ${side}` }
  return {
    op,
    n: side ** 3,
    ...(op === goal.of ? {} : { goal }),
    prepare() {
      const drawn = (seed: number): Tensor => {
        const some = values(seed).subarray(0, side ** 2)
        const scaled = dtype === 'int32' ? Array.from(some, (x) => Math.trunc(x * 2 ** 20)) : some
        return tensor(scaled, { dtype, shape: [side, side] })
      }
      const [a, b] = [drawn(1), drawn(2)]
      const out = drawn(3)
      const run = () => matmul(a, b, accumulate ? { accumulate, out } : { out })
      return {
        run,
        check: () =>
          checkEqual(op, out.data, (i) => {
            const row = Math.floor(i / side) * side
            let sum = 0
            for (let k = 0; k < side; k++) sum = step(sum, a.data[row + k]!, b.data[k * side + (i % side)]!)
            return accumulate && dtype === 'float32' ? Math.fround(sum) : sum
          }),
      }
    },
  }
}

const inFloat64 = (sum: number, x: number, y: number) => sum + x * y

/** Matrix products of tensors in the types that are not bfloat16: float32, and those that are held against it. */
export const matmulOperations: readonly Operation[] = [
  product('float32', undefined, (sum, x, y) => Math.fround(sum + Math.fround(x * y))),
  product('float64', undefined, inFloat64),
  product('float32', 'float64', inFloat64),
  product('int32', undefined, (sum, x, y) => (sum + Math.imul(x, y)) | 0),
]
