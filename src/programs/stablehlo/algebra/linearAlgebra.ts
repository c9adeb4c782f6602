import { apply, cast, type Op, sizeOf, Tensor } from '../../../tensors/tensor/index.js'
import { flag, keyword } from '../values/attributes.js'
import { type Lowering, single } from '../values/lowering.js'
import { real } from '../values/value.js'
import { choleskyOf, type Matrix, solvedTriangle } from './factorizations.js'

/** The matrices of a batch, one after the other, in float64; what they become rounded once. */
function perMatrix(x: Tensor, f: (matrix: Matrix, index: number) => Float64Array): Tensor {
  const [m, n] = [x.shape.at(-2) ?? 1, x.shape.at(-1) ?? 1]
  const values = x.toNumbers()
  const count = sizeOf(x.shape.slice(0, -2))
  const out = new Float64Array(count * m * n)
  for (let i = 0; i < count; i++) {
    out.set(f({ values: values.slice(i * m * n, (i + 1) * m * n), rows: m, columns: n }, i), i * m * n)
  }
  return cast(new Tensor('float64', x.shape, out), x.dtype)
}

const choleskyOp: Op<{ readonly lower: boolean }> = {
  name: 'cholesky',
  form: 'whole',
  rounds: 'once',
  kernel: ([x], { lower }) => perMatrix(x!, (matrix) => choleskyOf(matrix, lower).values),
}

interface Solving {
  readonly left: boolean
  readonly lower: boolean
  readonly unit: boolean
  readonly transposed: boolean
}

const triangularSolveOp: Op<Solving> = {
  name: 'triangularSolve',
  form: 'whole',
  rounds: 'once',
  kernel: ([a, b], how) => {
    const n = a!.shape.at(-1)!
    const values = a!.toNumbers()
    return perMatrix(b!, (matrix, i) =>
      solvedTriangle(
        { values: values.subarray(i * n * n, (i + 1) * n * n), rows: n, columns: n },
        matrix,
        how,
      ),
    )
  },
}

/** X with op(a) X = b, or X op(a) = b: the other triangle of a is not read. */
function triangularSolution(a: Tensor, b: Tensor, how: Solving): Tensor {
  return apply(triangularSolveOp, [a, b], how)
}

/** The triangle whose product with its transpose is x; the other one is 0. NaN where x is not positive definite. */
function choleskyFactor(x: Tensor, lower: boolean): Tensor {
  return apply(choleskyOp, [x], { lower })
}

/** `stablehlo.cholesky`: of the triangle that is named, zeros in the other one. */
export const cholesky: Lowering = (op) => {
  const lower = flag(op, 'lower', false)
  return single(([x]) => choleskyFactor(real(x), lower))
}

/** `stablehlo.triangular_solve`. */
export const triangularSolve: Lowering = (op) => {
  const how: Solving = {
    left: flag(op, 'left_side', true),
    lower: flag(op, 'lower', true),
    unit: flag(op, 'unit_diagonal', false),
    transposed: keyword(op, 'transpose_a', 'NO_TRANSPOSE') !== 'NO_TRANSPOSE',
  }
  return single(([a, b]) => triangularSolution(real(a), real(b), how))
}
