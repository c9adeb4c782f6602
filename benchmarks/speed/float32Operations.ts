import { float32Unary } from 'tpu-toolkit/functions'
import {
  abs,
  add,
  erf,
  exp,
  gelu,
  less,
  log,
  mul,
  sigmoid,
  sum,
  type Tensor,
  tanh,
  tensor,
  where,
} from 'tpu-toolkit/tensor'
import { n, values } from './inputs.js'
import { checkEqual, type Operation } from './operation.js'

const drawn = (seed: number, n: number): Tensor<'float32'> => tensor(values(seed, n))

/** Into an array that is given, or one that is made for it. */
function binary(
  name: 'add' | 'mul',
  scalar: (a: number, b: number) => number,
  into: 'given' | 'new' = 'given',
): Operation {
  const op = into === 'new' ? `${name} new float32` : `${name} float32`
  return {
    op,
    n,
    bytes: 12,
    goal: { ratio: 1.1 },
    prepare(n) {
      const [a, b] = [drawn(1, n), drawn(2, n)]
      let result = tensor(new Float32Array(n))
      const f = name === 'add' ? add : mul
      const options = into === 'new' ? undefined : { out: result }
      return {
        run() {
          result = f(a, b, options)
        },
        check: () => checkEqual(op, result.data, (i) => Math.fround(scalar(a.data[i]!, b.data[i]!))),
      }
    },
  }
}

const choice: Operation = {
  op: 'where float32',
  n,
  bytes: 13,
  goal: { ratio: 1.1 },
  prepare(n) {
    const [a, b, out] = [drawn(1, n), drawn(2, n), tensor(new Float32Array(n))]
    const condition = less(a, b)
    return {
      run: () => where(condition, a, b, { out }),
      check: () => checkEqual('where float32', out.data, (i) => Math.min(a.data[i]!, b.data[i]!)),
    }
  },
}

const functions = { exp, log, tanh, sigmoid, erf, gelu }

function unary(name: keyof typeof functions): Operation {
  const op = `${name} float32`
  return {
    op,
    n,
    bytes: 8,
    goal: { ns: 3 },
    prepare(n) {
      const x = name === 'log' ? abs(drawn(1, n)) : drawn(1, n)
      const out = tensor(new Float32Array(n))
      return {
        run: () => functions[name](x, { out }),
        check: () => checkEqual(op, out.data, (i) => float32Unary[name](x.data[i]!)),
      }
    },
  }
}

function total(order: 'sequential' | 'kahan' | 'pairwise'): Operation {
  const op = `sum float32 ${order}`
  return {
    op,
    n: 2 ** 16,
    ...(order === 'sequential' ? {} : { goal: { ratio: 2, of: 'sum float32 sequential' } }),
    prepare(n) {
      const x = drawn(1, n)
      let result = 0
      return {
        run() {
          result = sum(x, { order }).item()
        },
        check() {
          let exact = 0
          for (const value of x.data) exact += value
          if (Math.abs(result - exact) > 1e-3 * 2 ** 8) throw new Error(`${op}: wrong result [${result}]`)
        },
      }
    },
  }
}

/** Operations on float32 tensors of 2^20 elements or those of `--elements`, and sums of lanes of 2^16. */
export const float32Operations: readonly Operation[] = [
  binary('add', (a, b) => a + b),
  binary('mul', (a, b) => a * b),
  binary('add', (a, b) => a + b, 'new'),
  choice,
  ...(Object.keys(functions) as (keyof typeof functions)[]).map(unary),
  total('sequential'),
  total('kahan'),
  total('pairwise'),
]
