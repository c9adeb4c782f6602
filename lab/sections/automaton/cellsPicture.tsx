import { useDrawn } from '../../parts/useDrawn.js'
import { type Grown, side } from './automatonMessages.js'
import { drawCells } from './drawCells.js'

/** The place where the next wound is, in units of half the field. */
export interface Place {
  readonly x: number
  readonly y: number
}

/** A field of cells; a press hurts it, the arrow keys move where. */
export function CellsPicture(props: {
  readonly grown: Grown
  readonly place: Place
  readonly radius: number
  /** What is seen, in words. */
  readonly says: string
  readonly onMove: (place: Place) => void
  readonly onHurt: (place: Place) => void
}) {
  const { grown, says, place, radius, onMove, onHurt } = props
  const canvas = useDrawn((target) => draw(target, grown, place, radius))
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowUp: [0, -0.1],
    ArrowDown: [0, 0.1],
    ArrowLeft: [-0.1, 0],
    ArrowRight: [0.1, 0],
  }
  return (
    <button
      type="button"
      class="picture cells"
      aria-label={`${says} Arrow keys move the place of the wound, Enter inflicts it.`}
      onClick={({ offsetX, offsetY, currentTarget, detail }) => {
        // A press of a key has no place of its own.
        onHurt(detail === 0 ? place : placeAt(offsetX, offsetY, currentTarget))
      }}
      onPointerMove={({ offsetX, offsetY, currentTarget, pointerType }) => {
        // A finger that scrolls the page is not to move anything.
        if (pointerType === 'mouse') onMove(placeAt(offsetX, offsetY, currentTarget))
      }}
      onKeyDown={(event) => {
        const by = moves[event.key]
        if (by === undefined) return
        event.preventDefault()
        onMove({ x: kept(place.x + by[0]), y: kept(place.y + by[1]) })
      }}
    >
      <canvas ref={canvas} />
    </button>
  )
}

function placeAt(x: number, y: number, { clientWidth, clientHeight }: HTMLElement): Place {
  return { x: kept((2 * x) / clientWidth - 1), y: kept((2 * y) / clientHeight - 1) }
}

const kept = (at: number): number => Number(Math.min(1, Math.max(-1, at)).toFixed(2))

function draw(canvas: HTMLCanvasElement, { cells }: Grown, place: Place, radius: number): void {
  const drawn = drawCells(canvas, (i, pixel) => {
    const opacity = share(cells[4 * i + 3]!)
    for (let k = 0; k < 3; k++) {
      pixel[k] = opacity === 0 ? 0 : 255 * share(cells[4 * i + k]! / opacity)
    }
    pixel[3] = 255 * opacity
  })
  if (!drawn) return
  const { context, width, paint } = drawn
  // Where the next wound is.
  context.strokeStyle = paint('ink')
  context.setLineDash([3, 3])
  context.lineWidth = 1
  context.beginPath()
  const half = (width - width / side) / 2
  context.arc(width / 2 + place.x * half, width / 2 + place.y * half, radius * half, 0, 2 * Math.PI)
  context.stroke()
  context.setLineDash([])
}

/** NaN is 0. */
const share = (value: number): number => (value > 0 ? Math.min(1, value) : 0)
