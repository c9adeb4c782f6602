import { Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'

const [size, side] = [16, 8]

/** A causal window of 3 blocks over 8 x 8 blocks. */
function draw() {
  const kind = (row: number, column: number): string =>
    column > row || column < row - 2 ? 'none' : column === row || column === row - 2 ? 'some' : 'all'
  const fills: Readonly<Record<string, string>> = {
    none: 'var(--panel)',
    some: 'var(--series-orange)',
    all: 'var(--series-blue)',
  }
  const legend = [
    ['none', 'skipped'],
    ['some', 'partial: some masked'],
    ['all', 'full'],
  ] as const
  return (
    <>
      {Array.from({ length: side * side }, (_, i) => {
        const [row, column] = [Math.floor(i / side), i % side]
        return (
          <rect
            key={i}
            x={14 + column * size}
            y={6 + row * size}
            width={size - 2}
            height={size - 2}
            fill={fills[kind(row, column)]}
            fill-opacity="0.75"
            stroke="var(--rule)"
          />
        )
      })}
      <Words x={78} y={146}>
        keys
      </Words>
      {legend.map(([name, words], i) => (
        <g key={name}>
          <rect
            x="160"
            y={26 + 34 * i}
            width="14"
            height="14"
            fill={fills[name]}
            fill-opacity="0.75"
            stroke="var(--edge)"
          />
          <Words x={182} y={38 + 34 * i} from="start">
            {words}
          </Words>
        </g>
      ))}
    </>
  )
}

export const attentionOpening: Opening = {
  question: 'What does a kernel that goes block by block save, and what do its blocks cost in bits?',
  draw,
  says: 'The pairs of queries and keys in 8 by 8 blocks under a causal window: most blocks are skipped, those on the edges are partial, those within are full.',
  formula: (
    <>
      out = softmax(q k<sup>T</sup> / √d + mask) v, with a running maximum and a running sum per block
    </>
  ),
  symbols: [
    ['q, k, v', 'queries, keys and values: one vector of d numbers per token each'],
    ['mask', 'which key a query may see'],
    [
      'block',
      'rows of queries by columns of keys that are computed at once; one in which nothing is seen is skipped',
    ],
    ['partial', 'a block of which some pairs are seen: all of it is computed, then masked'],
  ],
  experiments: [
    {
      name: 'Small blocks',
      watch:
        'A causal mask in blocks of 8 saves 49.6 % of the pairs, and 0.7 % of those computed are masked.',
      values: { mask: 'causal', powerQ: '3', powerK: '3' },
      at: 'blocks-of-masks',
    },
    {
      name: 'Large blocks',
      watch:
        'A window of 256 keys in blocks of 512: one block of four is skipped, and 70.8 % of what is computed is masked.',
      values: { powerQ: '9', powerK: '9' },
      at: 'blocks-of-masks',
    },
    {
      name: 'Longer rows',
      watch:
        'Where sums are float32 the lines are level; where everything is bfloat16, the red one, small blocks have the largest error.',
      values: { rows: '512' },
      at: 'errors-of-kernels',
    },
  ],
  prediction: {
    asks: 'In a strided mask a query sees itself and every 128th key before. How much more than a causal mask does it save, in blocks of 128 x 128?',
    answers: ['nearly everything', 'about half', 'nothing'],
    right: 2,
    because:
      'Every block at or below the diagonal holds pairs that are seen, so 28 of 64 are skipped, as with the causal mask; 99.2 % of what is computed is masked.',
    values: { mask: 'strided' },
    at: 'blocks-of-masks',
  },
  guide: 'Kernels as they round',
}
