import { checkInteger, checkName } from '../../../base/options/index.js'
import { argmax, type Tensor } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'
import { byLoad, fixedSchedule, type Schedule } from '../served/schedule.js'
import { drawnPrompt, drawnWeights, operations, served } from '../served/servedModel.js'

/** How the prompt is run the second time; the first time it is alone. `dtype` is bfloat16 or float16. */
export interface BatchChangesRowOptions extends DTypeOption {
  /**
   * 'batch': among others; 'chunked': its tokens in chunks, keys of the chunks before kept; 'split-k': products cut into four parts; 'tiles': tiles
   * of half the size. Default: 'batch'.
   */
  readonly way?: ServedWay
  /** Whether kernels divide sums by the load, or always alike. Default: 'by load'. */
  readonly kernels?: 'by load' | 'fixed'
  /** Tokens of the prompt. Default: 32. */
  readonly tokens?: number
  /** Prompts of the batch. Default: 8. */
  readonly batch?: number
  /** Tokens of a chunk. Default: 8. */
  readonly chunk?: number
}

/** What differs between the two runs of the prompt. */
export type ServedWay = 'batch' | 'chunked' | 'split-k' | 'tiles'
const ways: readonly ServedWay[] = ['batch', 'chunked', 'split-k', 'tiles']

/** The chip, scaled down with the model. */
const chip = { cores: 16, tile: 16, splitK: undefined }

/**
 * One prompt through a decoder block, alone and in other company: kernels that divide their sums by the load give other bits.
 *
 * Readings  `rows` of the logits that differ; `differing` rows of each of eight operations, in the order in which they run; `first`, the number of the
 *           first one with such a row (null: none); `otherTokens`, rows whose most probable token is another; `largest` difference of two
 *           logits. The stable form is kernels that never divide a sum.
 *
 * @example batchChangesRow.run().stable.rows // 0
 */
export const batchChangesRow: Failure<BatchChangesRowOptions> = failure<BatchChangesRowOptions>({
  id: 'batch-changes-row',
  title: 'The same prompt gets other logits in another batch',
  story:
    'A server runs the same prompt alone, among others, or in chunks, and the logits differ though every run is repeatable. Additions are not what is random: the number of rows is. A library fills idle cores by dividing a sum among them, along k in a product of few rows (split-k, whose parts PyTorch lets be rounded to bfloat16), along the keys in attention of few queries, and joins the parts; with more rows it does not. Parts that are rounded apart add up to other last bits, which the next operations read. Here each such choice is a small rule of the load, products are those of an H100, and rows are compared operation by operation. Kernels whose order depends on the row alone give the same bits in any company, at the price of idle cores.',
  source: 'https://github.com/thinking-machines-lab/batch_invariant_ops',
  reported:
    'Defeating nondeterminism in LLM inference (He and others, 2025): kernels that are not batch-invariant, and not atomic additions, are why an endpoint at temperature 0 answers differently; of 1,000 completions of one prompt by Qwen3-235B 80 were distinct, with batch-invariant norms, products and attention one.',
  repairs: [
    { change: 'one order of sums for every load', options: { kernels: 'fixed' } },
    { change: 'the same, in chunks', options: { kernels: 'fixed', way: 'chunked' } },
    { change: 'a batch of one', options: { batch: 1 } },
  ],
  cure: {
    none: 'two runs of one program are compared, and neither is wrong. Wider sums make fewer rows differ; only an order that does not depend on the load makes it none.',
  },
  options: {
    ...{ dtype: 'optional', way: 'optional', kernels: 'optional' },
    ...{ tokens: 'optional', batch: 'optional', chunk: 'optional' },
  },
  run({ dtype = 'bfloat16', way = 'batch', kernels = 'by load', tokens = 32, batch = 8, chunk = 8 }) {
    if (dtype !== 'bfloat16' && dtype !== 'float16') {
      throw new RangeError(`${this.id}: the unit's dtype is bfloat16 or float16 [${dtype}]`)
    }
    checkName(this.id, 'way', way, ways)
    checkName(this.id, 'kernels', kernels, ['by load', 'fixed'])
    checkInteger(this.id, 'tokens', tokens, 2, 128)
    checkInteger(this.id, 'batch', batch, 1, 32)
    checkInteger(this.id, 'chunk', chunk, 1, tokens)
    const weights = drawnWeights(dtype)
    const prompts = Array.from({ length: batch }, (_, i) => drawnPrompt(i, tokens, dtype))
    const compare = (how: typeof kernels) => {
      const choose = (tiles: Parameters<typeof byLoad>[0]): Schedule =>
        how === 'fixed' ? fixedSchedule : byLoad(tiles)
      const alone = served([prompts[0]!], weights, choose(chip), tokens)
      const other = served(
        way === 'batch' ? prompts : [prompts[0]!],
        weights,
        choose({
          ...chip,
          ...(way === 'split-k' && { splitK: 4 }),
          ...(way === 'tiles' && { tile: chip.tile / 2 }),
        }),
        way === 'chunked' ? chunk : tokens,
      )
      return readingsOf(alone, other)
    }
    const [naive, stable] = [compare(kernels), compare('fixed')]
    const holds = naive.rows > 0
    const where = naive.first === null ? '' : operations[naive.first - 1]!
    const company = {
      batch: `among ${batch}`,
      chunked: `in chunks of ${chunk}`,
      'split-k': 'by split-k',
      tiles: 'by smaller tiles',
    }
    return {
      naive,
      stable,
      holds,
      text: holds
        ? `Of ${say(tokens)} rows of logits ${say(naive.rows)} differ between the prompt alone and the prompt ${company[way]}, first in ${say(naive.differing[naive.first! - 1]!)} rows of operation ${say(naive.first!)} (${where}); ${say(naive.otherTokens)} times another token is the most probable. With one order of sums ${say(stable.rows)} rows differ.`
        : `The prompt alone and ${company[way]}: no row of any operation differs (${kernels} kernels).`,
      figure: {
        caption: `Rows that differ, by operation: ${operations.map((name, i) => `${i + 1} ${name}`).join(', ')}.`,
        axes: ['operation', 'rows that differ'],
        series: [
          blue(
            'fixed order',
            naive.differing.map((_, i) => ({ x: i + 1, y: stable.differing[i]! })),
          ),
          red(
            `${kernels}, ${way}`,
            naive.differing.map((y, i) => ({ x: i + 1, y })),
          ),
        ],
      },
    }
  },
})

interface Rows {
  readonly [name: string]: number | null | readonly number[]
  readonly rows: number
  readonly differing: readonly number[]
  readonly first: number | null
  readonly otherTokens: number
  readonly largest: number
}

function readingsOf(one: readonly Tensor[], other: readonly Tensor[]): Rows {
  const differing = one.map((x, i) => rowsThatDiffer(x, other[i]!))
  const [a, b] = [one.at(-1)!, other.at(-1)!]
  const first = differing.findIndex((count) => count > 0)
  const [mine, theirs] = [argmax(a, { axis: -1 }).toNumbers(), argmax(b, { axis: -1 }).toNumbers()]
  const logits = b.toNumbers()
  return {
    rows: differing.at(-1)!,
    differing,
    first: first < 0 ? null : first + 1,
    otherTokens: mine.filter((token, i) => token !== theirs[i]).length,
    largest: a.toNumbers().reduce((most, x, i) => Math.max(most, Math.abs(x - logits[i]!)), 0),
  }
}

function rowsThatDiffer(x: Tensor, y: Tensor): number {
  const [a, b] = [x.toBits() as Uint16Array, y.toBits() as Uint16Array]
  const columns = x.shape.at(-1)!
  let count = 0
  for (let row = 0; row * columns < a.length; row++) {
    const isOther = (e: number): boolean => a[row * columns + e] !== b[row * columns + e]
    if (Array.from({ length: columns }, (_, e) => e).some(isOther)) count += 1
  }
  return count
}
