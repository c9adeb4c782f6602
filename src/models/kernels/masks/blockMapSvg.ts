import { checkInteger, checkRecord } from '../../../base/options/index.js'
import { percentText, readable } from '../../../base/text/index.js'
import type { BlockMap } from './blockMap.js'

/** What the kinds of blocks are drawn in, and called: skipped, partial, full. */
const kinds = [
  { name: 'skipped', fill: '#f1f1ee' },
  { name: 'partial', fill: '#e0a458' },
  { name: 'full', fill: '#2f6690' },
] as const

/** The longest side of the drawing, in pixels. */
const side = 420

/** A drawing of more cells than this, or of longer sides, is none. */
const mostCells = 2 ** 24

/**
 * A block map as an SVG drawing: queries down, keys to the right, a cell for each block, counts and what is saved below.
 *
 * Shape     none. Dtype none. Rounding to a hundredth of a pixel.
 * Cost      a rectangle for each run of like blocks in a row.
 *
 * @example blockMapSvg(blockMap(causalMask(), { tq: 512, tk: 512 })).startsWith('<svg') // true
 */
export function blockMapSvg(map: BlockMap): string {
  checkRecord('blockMapSvg', 'map', map, ['blocks', 'rows', 'columns', 'tq', 'tk', 'blockQ', 'blockK'])
  const { tq, tk, blockQ, blockK, rows, columns, blocks } = map
  for (const [name, count] of Object.entries({ tq, tk, rows, columns })) {
    checkInteger('blockMapSvg', name, count, 0, mostCells)
  }
  checkInteger('blockMapSvg', 'rows times columns', rows * columns, 0, mostCells)
  for (const [name, size] of Object.entries({ blockQ, blockK })) checkInteger('blockMapSvg', name, size, 1)
  if (blocks?.length !== rows * columns || [...blocks].some((kind) => kinds[kind] === undefined)) {
    throw new RangeError(`blockMapSvg: blocks are not ${rows * columns} kinds [${String(blocks?.length)}]`)
  }
  const unit = side / Math.max(tq, tk, 1)
  const [width, height] = [tk * unit, tq * unit]
  const [left, top] = [34, 26]
  const px = (value: number): string => String(Math.round(value * 100) / 100)
  const cells: string[] = []
  for (let row = 0; row < rows; row++) {
    const tall = (Math.min(tq, (row + 1) * blockQ) - row * blockQ) * unit
    for (let column = 0, end = 0; column < columns; column = end) {
      const kind = blocks[row * columns + column]!
      end = column + 1
      while (end < columns && blocks[row * columns + end] === kind) end++
      const [from, to] = [column * blockK * unit, Math.min(tk, end * blockK) * unit]
      cells.push(
        `<rect x="${px(left + from)}" y="${px(top + row * blockQ * unit)}" width="${px(to - from)}" height="${px(tall)}" fill="${kinds[kind]!.fill}"/>`,
      )
    }
  }
  const lines = [
    ...Array.from({ length: columns + 1 }, (_, k) => Math.min(tk, k * blockK) * unit).map(
      (x) => `M${px(left + x)} ${top}v${px(height)}`,
    ),
    ...Array.from({ length: rows + 1 }, (_, k) => Math.min(tq, k * blockQ) * unit).map(
      (y) => `M${left} ${px(top + y)}h${px(width)}`,
    ),
  ].join('')
  const below = top + height + 20
  const legend = kinds.map(({ name, fill }, k) => {
    const x = left + k * 130
    return `<rect x="${x}" y="${px(below - 10)}" width="12" height="12" fill="${fill}" stroke="#888"/><text x="${x + 18}" y="${px(below)}">${map[name]} ${name}</text>`
  })
  const saved = `${percentText(map.saved)} of ${readable(tq * tk)} pairs not computed; of those computed ${percentText(map.wasted)} masked`
  const total = { width: Math.max(left + width + 10, 430), height: below + 34 }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${px(total.width)} ${px(total.height)}" width="${px(total.width)}" height="${px(total.height)}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="blocks of an attention mask">`,
    `<text x="${left}" y="16">keys, ${tk} in blocks of ${blockK}</text>`,
    `<text transform="translate(20 ${px(top + height)}) rotate(-90)">queries, ${tq} in blocks of ${blockQ}</text>`,
    ...cells,
    `<path d="${lines}" stroke="white" stroke-width="${px(Math.min(1, (unit * Math.min(blockQ, blockK)) / 8))}" fill="none"/>`,
    ...legend,
    `<text x="${left}" y="${px(below + 22)}">${saved}</text>`,
    '</svg>',
  ].join('\n')
}
