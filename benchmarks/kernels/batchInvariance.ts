import { parseArgs } from 'node:util'
import { batchChangesRow } from 'tpu-toolkit/failures'

// One prompt alone and in other company: `npm run bench:batch-invariance`, `-- --full` with longer prompts and float16. Which rows of the
// logits differ, which operation is the first with such a row, and what one order of sums leaves.

const { values } = parseArgs({
  options: { full: { type: 'boolean', default: false }, help: { type: 'boolean' } },
})
if (values.help) {
  console.log(
    'Usage: npm run bench:batch-invariance [-- --full]\n\n--full  prompts of 32, 64 and 128 tokens, in bfloat16 and float16',
  )
  process.exit(0)
}

const operations = [
  'norm',
  'q, k, v',
  'attention',
  'output projection',
  'second norm',
  'up',
  'down',
  'logits',
]
const company = {
  batch: 'among 8 prompts',
  chunked: 'prefill in chunks of 8',
  'split-k': 'split-k of 4',
  tiles: 'tiles of 8, not 16',
} as const
const columns = [9, 7, 23, 8, 19, 12, 12, 6]
const line = (cells: readonly (string | number)[]): void =>
  console.log(
    cells
      .map((cell, i) => String(cell).padEnd(columns[i]!))
      .join(' ')
      .trimEnd(),
  )

console.log(
  'a decoder block (width 64, 4 heads), products of an H100; rows of the logits against the prompt alone',
)
line(['dtype', 'tokens', 'run', 'differ', 'first operation', 'other token', 'largest', 'fixed'])
for (const dtype of values.full ? (['bfloat16', 'float16'] as const) : (['bfloat16'] as const)) {
  for (const tokens of values.full ? [32, 64, 128] : [32]) {
    for (const way of Object.keys(company) as (keyof typeof company)[]) {
      const { naive, stable } = batchChangesRow.run({ way, dtype, tokens })
      const first = naive['first'] as number | null
      const where = first === null ? '-' : operations[first - 1]!
      const [rows, others, largest] = [naive['rows'], naive['otherTokens'], naive['largest']] as number[]
      line([dtype, tokens, company[way], rows!, where, others!, largest!, stable['rows'] as number])
    }
  }
}
