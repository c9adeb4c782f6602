import { checkInteger, checkName, checkOptions, type OptionTable } from '../../../base/options/index.js'
import { type MatmulCost, type MatmulCostSizes, matmulCost } from './matmulCost.js'

/** Sizes of an attention. */
export interface AttentionSizes {
  /** Default 1. */
  readonly batch?: number
  /** Query heads. */
  readonly heads: number
  /** Heads of keys and values. Default: `heads`. */
  readonly kvHeads?: number
  /** Queries. */
  readonly tq: number
  /** Keys. */
  readonly tk: number
  /** Length of a head. */
  readonly d: number
  /** Bytes of an element. Default 2, bfloat16. */
  readonly bytes?: number
  /** Default 128. */
  readonly blockQ?: number
  /** Default 128. */
  readonly blockK?: number
  /** How many blocks a head computes, `partial` and `full` of a `blockMap` together. Default: every pair, no blocks. */
  readonly blocks?: number
}

const attentionNames: OptionTable<AttentionSizes> = {
  batch: 'optional',
  heads: 'required',
  kvHeads: 'optional',
  tq: 'required',
  tk: 'required',
  d: 'required',
  bytes: 'optional',
  blockQ: 'optional',
  blockK: 'optional',
  blocks: 'optional',
}

/** What an attention costs; bytes are those of HBM, forward. */
export interface AttentionCost {
  /** Of the two products. */
  readonly flops: number
  readonly exps: number
  /** With the backward pass, 5 products more. */
  readonly trainFlops: number
  /** Operands, result and logsumexp once each. */
  readonly bytesIdeal: number
  /** Keys and values read once for each block of queries. */
  readonly bytesTiled: number
  /** Logits and probabilities written and read. */
  readonly bytesMaterialised: number
}

/**
 * What a kernel does and moves: FLOPs, exponentials, and bytes of HBM in three ways of writing it.
 *
 * 'attention'  4 d FLOPs a pair and head, backward 2.5 times as many; `bytesTiled` reads keys and values ceil(tq / blockQ)
 *              times, or one block of each for each of `blocks`.
 *
 * 'matmul'     2 m k n FLOPs a pass; `bytesTiled` reads a ceil(n / blockN) times and b ceil(m / blockM) times.
 *
 * Rounding  none: whole numbers, exact below 2^53.
 * Source    Dao et al., FlashAttention, arXiv:2205.14135, for the order of the bytes
 *
 * @example kernelCost('matmul', { m: 1024, k: 4096, n: 4096, blockM: 256, blockN: 256 }).bytesTiled // 276824064
 * @example kernelCost('attention', { heads: 16, tq: 4096, tk: 4096, d: 128 }).bytesTiled // 1107558400
 */
export function kernelCost(op: 'attention', sizes: AttentionSizes): AttentionCost
export function kernelCost(op: 'matmul', sizes: MatmulCostSizes): MatmulCost
export function kernelCost(
  op: 'attention' | 'matmul',
  sizes: AttentionSizes | MatmulCostSizes,
): AttentionCost | MatmulCost {
  checkName('kernelCost', 'operation', op, ['attention', 'matmul'])
  return op === 'attention' ? attentionCost(sizes as AttentionSizes) : matmulCost(sizes as MatmulCostSizes)
}

function attentionCost(sizes: AttentionSizes): AttentionCost {
  checkOptions('kernelCost', sizes, attentionNames)
  const {
    batch = 1,
    heads,
    kvHeads = heads,
    tq,
    tk,
    d,
    bytes = 2,
    blockQ = 128,
    blockK = 128,
    blocks,
  } = sizes
  const counts = { batch, heads, kvHeads, tq, tk, d, bytes, blocks: blocks ?? 0 }
  for (const [name, count] of Object.entries(counts)) checkInteger('kernelCost', name, count)
  checkInteger('kernelCost', 'blockQ', blockQ, 1)
  checkInteger('kernelCost', 'blockK', blockK, 1)
  const rows = batch * heads
  const pairs = blocks === undefined ? tq * tk : blocks * blockQ * blockK
  const flops = 4 * rows * pairs * d
  const operands = bytes * (2 * rows * tq * d + 2 * batch * kvHeads * tk * d)
  // Of keys and values together, for each head of queries.
  const read = blocks === undefined ? Math.ceil(tq / blockQ) * tk : blocks * blockK
  const residual = 4 * rows * tq
  return {
    flops,
    exps: rows * pairs,
    trainFlops: 3.5 * flops,
    bytesIdeal: operands + residual,
    bytesTiled: 2 * bytes * rows * tq * d + 2 * bytes * rows * d * read + residual,
    bytesMaterialised: operands + 4 * bytes * rows * tq * tk,
  }
}
