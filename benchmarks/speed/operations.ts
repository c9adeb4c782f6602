import * as bf16 from 'tpu-toolkit/bf16'
import { blockOperations } from './blockOperations.js'
import { float32Operations } from './float32Operations.js'
import { formatOperations } from './formatOperations.js'
import { n, values } from './inputs.js'
import { matmulOperations } from './matmulOperations.js'
import { checkEqual, type Operation } from './operation.js'
import { storageOperations } from './storageOperations.js'

const side = 512

const codes = (seed: number, n: number): Uint16Array =>
  Uint16Array.from(values(seed, n), (x) => bf16.fromNumber(x))

function encode(op: string, source: Float32ArrayConstructor | Float64ArrayConstructor): Operation {
  return {
    op,
    n,
    bytes: source.BYTES_PER_ELEMENT + 2,
    goal: { ratio: 1.1 },
    prepare(n) {
      const input = source.from(values(1, n))
      const out = new Uint16Array(n)
      return {
        run: () => bf16.encode(input, out),
        check: () => checkEqual(op, out, (i) => bf16.fromNumber(input[i]!)),
      }
    },
  }
}

function binary(
  name: string,
  arrays: typeof bf16.addArrays,
  scalar: (a: number, b: number) => number,
): Operation {
  const op = `${name} bfloat16`
  return {
    op,
    n,
    bytes: 6,
    goal: { ratio: 1 },
    prepare(n) {
      const a = codes(1, n)
      const b = codes(2, n)
      const out = new Uint16Array(n)
      return {
        run: () => arrays(a, b, out),
        check: () => checkEqual(op, out, (i) => scalar(a[i]!, b[i]!)),
      }
    },
  }
}

const decode: Operation = {
  op: 'decode bfloat16',
  n,
  bytes: 6,
  goal: { ratio: 1.1 },
  prepare(n) {
    const input = codes(1, n)
    const out = new Float32Array(n)
    return {
      run: () => bf16.decode(input, out),
      check: () => checkEqual('decode bfloat16', out, (i) => bf16.toNumber(input[i]!)),
    }
  },
}

const exp: Operation = {
  op: 'exp bfloat16',
  n,
  bytes: 4,
  goal: { ratio: 0.5 },
  prepare(n) {
    const input = codes(1, n)
    const out = new Uint16Array(n)
    return {
      run: () => bf16.mapArray('exp', input, out),
      check: () => checkEqual('exp bfloat16', out, (i) => bf16.exp(input[i]!)),
    }
  },
}

const cumsum: Operation = {
  op: 'cumsum bfloat16',
  n,
  bytes: 4,
  goal: { ratio: 1 },
  prepare(n) {
    const input = codes(1, n)
    const out = new Uint16Array(n)
    let sum = 0
    return {
      run: () => bf16.cumsumArray(input, out),
      check: () =>
        checkEqual('cumsum bfloat16', out, (i) => {
          sum = bf16.add(sum, input[i]!)
          return sum
        }),
    }
  },
}

const sum: Operation = {
  op: 'sum bfloat16',
  n,
  bytes: 2,
  goal: { ratio: 1 },
  prepare(n) {
    const input = codes(1, n)
    let result = 0
    return {
      run() {
        result = bf16.sumArray(input)
      },
      check: () =>
        checkEqual('sum bfloat16', [result], () => input.reduce((total, x) => bf16.add(total, x), 0)),
    }
  },
}

const matmul: Operation = {
  op: `matmul bfloat16 ${side}`,
  n: side ** 3,
  whole: true,
  goal: { ns: 0.07 },
  prepare() {
    const a = codes(1, side ** 2)
    const b = codes(2, side ** 2)
    const out = new Uint16Array(side ** 2)
    const [x, y] = [bf16.decode(a), bf16.decode(b)]
    return {
      run: () => bf16.matmulArrays(a, b, { m: side, k: side, n: side }, out),
      check: () =>
        checkEqual(`matmul bfloat16 ${side}`, out, (i) => {
          const row = Math.floor(i / side) * side
          let acc = 0
          for (let k = 0; k < side; k++) acc = Math.fround(acc + x[row + k]! * y[k * side + (i % side)]!)
          return bf16.fromNumber(acc)
        }),
    }
  },
}

/** What `npm run bench:speed` times, in this order. Each writes into an array that is there already. */
export const operations: readonly Operation[] = [
  encode('encode f32 bfloat16', Float32Array),
  encode('encode f64 bfloat16', Float64Array),
  decode,
  binary('add', bf16.addArrays, bf16.add),
  binary('mul', bf16.mulArrays, bf16.mul),
  exp,
  cumsum,
  sum,
  matmul,
  ...matmulOperations,
  ...float32Operations,
  ...formatOperations,
  ...blockOperations,
  ...storageOperations,
]

/** A copy that moves as many bytes per element as an operation reads and writes. */
export function copy(bytes: number): Operation {
  const op = `copy ${bytes / 2} bytes`
  return {
    op,
    n,
    prepare(n) {
      const from = new Uint8Array((n * bytes) / 2).map((_, i) => i)
      const to = new Uint8Array(from.length)
      return { run: () => to.set(from), check: () => checkEqual(op, to, (i) => from[i]!) }
    },
  }
}
