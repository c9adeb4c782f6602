import { checkArray, checkInteger } from '../../../base/options/index.js'
import { Tensor } from '../../../tensors/tensor/index.js'
import type { Codes } from '../families/packCodes.js'
import { checkCodes } from '../rows/rowsOf.js'

/** How evenly codes are used. All of it depends on how many codes were looked at: 64 show no perplexity above 64. */
export interface CodebookUsage {
  /** How often each code occurs, [k]. */
  readonly counts: Int32Array
  /** -sum p log2 p in bits: what a coder of these codes could reach. */
  readonly entropyBits: number
  /** 2^entropy: that many codes used evenly would have it. */
  readonly perplexity: number
  /** Codes that occur. */
  readonly used: number
  /** Codes that do not. */
  readonly dead: number
  /** used / k. */
  readonly usage: number
}

/**
 * How evenly the codes of a codebook are used.
 *
 * Rounding  float64; 0 log 0 is 0.
 * Special   no codes: entropy 0, perplexity 1, none used.
 * Throws    RangeError for a code outside the codebook.
 *
 * @example codebookUsage([0, 1, 2, 3], 8).perplexity // 4
 * @example codebookUsage([0, 0], 4).dead // 3
 */
export function codebookUsage(codes: Codes, k: number): CodebookUsage {
  const list = codes instanceof Tensor ? codes.data : codes
  checkArray('codebookUsage', 'codes', list)
  checkInteger('codebookUsage', 'k', k, 1, 2 ** 28)
  checkCodes('codebookUsage', list, k)
  const counts = new Int32Array(k)
  for (let i = 0; i < list.length; i++) counts[list[i]!]!++
  let [entropyBits, used] = [0, 0]
  for (const count of counts) {
    if (count === 0) continue
    used++
    const p = count / list.length
    if (p < 1) entropyBits -= p * Math.log2(p)
  }
  return { counts, entropyBits, perplexity: 2 ** entropyBits, used, dead: k - used, usage: used / k }
}
