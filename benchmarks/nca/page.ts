import { cellsPng } from 'tpu-toolkit/nca'
import { escapeHtml, htmlPage, htmlTable, linePlot, type Section } from 'tpu-toolkit/report'
import type { Tensor } from 'tpu-toolkit/tensor'
import { readable } from '#text'
import { moments, type Outcome } from './arithmetics.js'
import type { Stand } from './standStill.js'

/** A training and what came of it. */
export interface Results {
  readonly target: Tensor
  readonly facts: Readonly<Record<string, string>>
  /** The loss of each step of training, averaged over the last 50. */
  readonly losses: readonly number[]
  readonly outcomes: readonly Outcome[]
  readonly stands: readonly Stand[]
}

/** The page: how the loss fell, and the same automaton in each arithmetic. */
export function pageOf({ target, facts, losses, outcomes, stands }: Results): string {
  const every = Math.max(1, Math.floor(losses.length / 400))
  const points = losses.flatMap((y, x) => (x % every === 0 ? [{ x: x + 1, y }] : []))
  const training: Section = {
    id: 'training',
    title: 'Learning to grow',
    finding: `After ${losses.length.toLocaleString('en')} steps the loss of a batch is ${losses.at(-1)!.toPrecision(2)} on average.`,
    figures: [
      {
        svg: linePlot([{ name: 'loss', points, color: 'blue', dots: false }], {
          title: 'The loss of a batch, mean of 50 steps',
          x: { label: 'step of training' },
          y: { label: 'mean square', scale: 'log10' },
        }),
        caption: 'Batches from a pool: the worst state is replaced by the seed, the two best are damaged.',
      },
      {
        svg: picturesSvg('The target', [{ name: '', states: [target] }], ['']),
        caption: 'What is to be grown, from one cell in the middle.',
      },
    ],
  }
  const [exact] = outcomes
  const narrow = outcomes.find(({ arithmetic }) => arithmetic.name === 'bfloat16')
  const comparison: Section = {
    id: 'arithmetics',
    title: 'The same automaton in other arithmetics',
    ...(exact &&
      narrow && {
        finding: `A bfloat16 state loses ${percent(narrow.lost)} of its updates, a float32 state ${percent(exact.lost)}.`,
      }),
    figures: [
      {
        svg: picturesSvg(
          'Growing, damaged, healing',
          outcomes.map(({ arithmetic, states }) => ({ name: arithmetic.name, states })),
          moments,
        ),
        caption:
          'The same weights, the same cells firing. Each row names what is computed with, and what the state is kept in where that differs; at random: rounded up or down by a draw, in the mean right.',
        wide: true,
      },
    ],
    html: htmlTable(
      [
        { key: 'name', header: 'arithmetic' },
        { key: 'lost', header: 'updates lost to nearest' },
        ...[3, 4, 7].map((i) => ({ key: `loss${i}`, header: `loss, ${moments[i]!}` })),
      ],
      outcomes.map(({ arithmetic, lost, losses: each }) => ({
        name: arithmetic.name,
        lost: percent(lost),
        ...Object.fromEntries([3, 4, 7].map((i) => [`loss${i}`, each[i]!.toPrecision(2)])),
      })),
    ),
  }
  const slowest = stands.find(({ lost }) => lost > 0.5) ?? stands.at(-1)!
  const standing: Section = {
    id: 'standing-still',
    title: 'A state that stands still',
    finding: `With last weights of ${readable(slowest.scale)}, a bfloat16 state loses ${percent(slowest.lost)} of them and ends ${percent(slowest.bfloat16)} of the way off; with a float32 state ${percent(slowest.float32)}.`,
    paragraphs: [
      'Random automata on a torus of 16 x 16 cells, 96 steps, all computed with bfloat16. An update is lost where it is at most half an ulp of what it is added to. Errors are those of the last state, over how far it moved in float64. Rounding at random has the right mean and pays with a walk of its own, so it is best where a state is only averaged.',
    ],
    html: htmlTable(
      [
        { key: 'scale', header: 'deviation of the last weights' },
        { key: 'state', header: 'rms of the state' },
        ...['lost', 'bfloat16', 'float32', 'random'].map((key) => ({
          key,
          header: {
            lost: 'updates lost',
            bfloat16: 'error, bfloat16 state',
            float32: 'float32 state',
            random: 'bfloat16 at random',
          }[key]!,
        })),
      ],
      stands.map((stand) => ({ ...stand })),
    ),
  }
  return htmlPage({
    title: 'An automaton grows a picture',
    lead: 'Cells that see their neighbours learn to grow a picture from one cell and to heal it; then the same weights run in fewer bits.',
    facts,
    sections: [training, comparison, standing],
  })
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`
}

/** States as pixels: a row for each name, a column for each moment. */
export function picturesSvg(
  title: string,
  rows: readonly { readonly name: string; readonly states: readonly Tensor[] }[],
  columns: readonly string[],
): string {
  const [side, gap, left, top] = [96, 8, 190, 24]
  const width = left + columns.length * (side + gap)
  const height = top + rows.length * (side + gap)
  const heads = columns.map(
    (name, i) =>
      `<text x="${left + i * (side + gap) + side / 2}" y="14" text-anchor="middle">${escapeHtml(name)}</text>`,
  )
  const lines = rows.map(({ name, states }, row) => {
    const y = top + row * (side + gap)
    const images = states.map((state, i) => {
      const png = Buffer.from(cellsPng(state)).toString('base64')
      return `<image x="${left + i * (side + gap)}" y="${y}" width="${side}" height="${side}" style="image-rendering: pixelated" href="data:image/png;base64,${png}"/>`
    })
    return `<text x="0" y="${y + side / 2}">${escapeHtml(name)}</text>${images.join('')}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${escapeHtml(title)}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-size="12" fill="currentColor">${heads.join('')}${lines.join('')}</svg>`
}
