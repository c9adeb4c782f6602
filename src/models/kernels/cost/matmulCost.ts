import { checkInteger, checkOptions, type OptionTable } from '../../../base/options/index.js'

/** Sizes of a matrix product. */
export interface MatmulCostSizes {
  readonly m: number
  readonly k: number
  readonly n: number
  /** Bytes of an element of the operands. Default 2, bfloat16. */
  readonly bytes?: number
  /** Bytes of an element of the result. Default: those of the operands. */
  readonly outBytes?: number
  /** Rows of the result that a tile covers. Default: all. */
  readonly blockM?: number
  /** Columns of the result that a tile covers. Default: all. */
  readonly blockN?: number
  /** Passes of a precision: 1, 3, 6 or 9. Default 1. */
  readonly passes?: number
}

/** What a matrix product costs; bytes are those of HBM. */
export interface MatmulCost {
  readonly flops: number
  /** Operands and result once each. */
  readonly bytesIdeal: number
  /** a read ceil(n / blockN) times, b ceil(m / blockM) times. */
  readonly bytesTiled: number
}

const names: OptionTable<MatmulCostSizes> = {
  ...{ m: 'required', k: 'required', n: 'required' },
  ...{ bytes: 'optional', outBytes: 'optional', blockM: 'optional', blockN: 'optional', passes: 'optional' },
}

/** The costs of a matrix product: `kernelCost('matmul', sizes)`. */
export function matmulCost(sizes: MatmulCostSizes): MatmulCost {
  checkOptions('kernelCost', sizes, names)
  const { m, k, n, bytes = 2, outBytes = bytes, passes = 1 } = sizes
  for (const [name, count] of Object.entries({ m, k, n, bytes, outBytes })) {
    checkInteger('kernelCost', name, count)
  }
  const { blockM = Math.max(m, 1), blockN = Math.max(n, 1) } = sizes
  for (const [name, count] of Object.entries({ blockM, blockN, passes })) {
    checkInteger('kernelCost', name, count, 1)
  }
  const result = outBytes * m * n
  return {
    flops: 2 * passes * m * k * n,
    bytesIdeal: bytes * (m * k + k * n) + result,
    bytesTiled: bytes * (m * k * Math.ceil(n / blockN) + k * n * Math.ceil(m / blockM)) + result,
  }
}
