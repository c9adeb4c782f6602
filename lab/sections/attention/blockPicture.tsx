import { useDrawn } from '../../parts/useDrawn.js'
import type { MapAnswer } from './attentionMessages.js'
import { state } from './attentionState.js'

const kinds = ['skipped', 'partial', 'full'] as const

/** A mask and its blocks as a picture; the block that is chosen is framed, a click or the arrow keys choose another. */
export function BlockPicture({ shown, says }: { readonly shown: MapAnswer; readonly says: string }) {
  const { rows, columns, blocks, blockQ, blockK, tq, tk } = shown.map
  const row = Math.min(state.row.value, rows - 1)
  const column = Math.min(state.column.value, columns - 1)
  const canvas = useDrawn((target) => draw(target, shown, row, column))
  const move = (down: number, right: number): void => {
    state.row.value = Math.min(rows - 1, Math.max(0, row + down))
    state.column.value = Math.min(columns - 1, Math.max(0, column + right))
  }
  const moves: Readonly<Record<string, () => void>> = {
    ArrowUp: () => move(-1, 0),
    ArrowDown: () => move(1, 0),
    ArrowLeft: () => move(0, -1),
    ArrowRight: () => move(0, 1),
    Home: () => move(0, -columns),
    End: () => move(0, columns),
  }
  const kind = kinds[blocks[row * columns + column] ?? 0]
  const last = (block: number, size: number, length: number): number =>
    Math.min(length, (block + 1) * size) - 1
  const chosen = `Block ${row}, ${column}: queries ${row * blockQ} to ${last(row, blockQ, tq)}, keys ${column * blockK} to ${last(column, blockK, tk)}, ${kind}.`
  return (
    <figure>
      <ul class="legend">
        <Swatch name={`skipped: ${shown.map.skipped}`} color="var(--panel)" />
        <Swatch name={`partial: ${shown.map.partial}`} color="var(--series-orange)" />
        <Swatch name={`full: ${shown.map.full}`} color="var(--series-blue)" />
      </ul>
      <button
        type="button"
        class="picture"
        aria-label={`${says} ${chosen} Arrow keys choose a block.`}
        onClick={({ offsetX, offsetY, currentTarget, detail }) => {
          // A press of a key has no place.
          if (detail === 0) return
          const { clientWidth, clientHeight } = currentTarget
          state.row.value = Math.min(rows - 1, Math.floor((offsetY / clientHeight) * (tq / blockQ)))
          state.column.value = Math.min(columns - 1, Math.floor((offsetX / clientWidth) * (tk / blockK)))
        }}
        onKeyDown={(event) => {
          const make = moves[event.key]
          if (make === undefined) return
          event.preventDefault()
          make()
        }}
      >
        <canvas ref={canvas} class="map" />
      </button>
      <figcaption>
        Queries downwards, keys to the right. A partial block is computed under its mask: its pale part for
        nothing. <span role="status">{chosen}</span>
      </figcaption>
    </figure>
  )
}

function Swatch({ name, color }: { readonly name: string; readonly color: string }) {
  return (
    <li>
      <svg viewBox="0 0 28 8" aria-hidden="true">
        <rect width="12" height="8" x="8" fill={color} stroke="var(--edge)" stroke-width="0.8" />
      </svg>
      {name}
    </li>
  )
}

function draw(canvas: HTMLCanvasElement, { map, fine }: MapAnswer, row: number, column: number): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const ratio = devicePixelRatio || 1
  const side = Math.floor(Math.min(canvas.closest('figure')?.clientWidth ?? 480, 480))
  canvas.style.width = `${side}px`
  canvas.style.height = `${side}px`
  canvas.width = side * ratio
  canvas.height = side * ratio
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  const style = getComputedStyle(canvas)
  const paint = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  const { tq, tk, blockQ, blockK, rows, columns, blocks } = map
  const [high, wide] = [(side * blockQ) / tq, (side * blockK) / tk]
  context.fillStyle = paint('panel')
  context.fillRect(0, 0, side, side)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const kind = blocks[i * columns + j]
      if (kind === 0) continue
      context.globalAlpha = kind === 2 ? 1 : 0.3
      context.fillStyle = paint(kind === 2 ? 'series-blue' : 'series-orange')
      context.fillRect(j * wide, i * high, wide, high)
    }
  }
  // The pairs of partial blocks that attend, cell by cell, on whole pixels: what overlaps would be seen as a pattern.
  const edge = (at: number): number => Math.round((at * side * ratio) / fine.side) / ratio
  const perCell = tq / fine.side
  context.fillStyle = paint('series-orange')
  for (let i = 0; i < fine.side; i++) {
    const blockRow = Math.floor((i * perCell) / blockQ)
    for (let j = 0; j < fine.side; j++) {
      const here = fine.cells[i * fine.side + j]!
      if (here === 0) continue
      const blockColumn = Math.floor((j * perCell) / blockK)
      if (blocks[blockRow * columns + blockColumn] === 2) continue
      context.globalAlpha = here === 2 ? 1 : 0.65
      context.fillRect(edge(j), edge(i), edge(j + 1) - edge(j), edge(i + 1) - edge(i))
    }
  }
  context.globalAlpha = 1
  context.strokeStyle = paint('page')
  context.lineWidth = 1
  context.beginPath()
  if (wide >= 5) {
    for (let j = 1; j < columns; j++) {
      context.moveTo(Math.round(j * wide) + 0.5, 0)
      context.lineTo(Math.round(j * wide) + 0.5, side)
    }
  }
  if (high >= 5) {
    for (let i = 1; i < rows; i++) {
      context.moveTo(0, Math.round(i * high) + 0.5)
      context.lineTo(side, Math.round(i * high) + 0.5)
    }
  }
  context.stroke()
  context.strokeStyle = paint('ink')
  context.lineWidth = 2
  context.strokeRect(column * wide + 1, row * high + 1, Math.max(2, wide - 2), Math.max(2, high - 2))
}
