import { useDrawn } from '../../parts/useDrawn.js'
import type { Grown } from './automatonMessages.js'
import { differenceOf, shadeOf } from './difference.js'
import { drawCells } from './drawCells.js'

/** How far the cells are off those of another field, in shades of red on a scale of decades. */
export function DifferencePicture(props: {
  readonly grown: Grown
  readonly from: Grown
  readonly says: string
}) {
  const { grown, from, says } = props
  const canvas = useDrawn((target) => draw(target, differenceOf(grown, from)))
  return <canvas ref={canvas} class="difference" role="img" aria-label={says} />
}

function draw(canvas: HTMLCanvasElement, differences: Float64Array): void {
  drawCells(canvas, (i, pixel, paint) => {
    const color = paint('series-red')
    for (let k = 0; k < 3; k++) pixel[k] = Number.parseInt(color.slice(1 + 2 * k, 3 + 2 * k), 16)
    pixel[3] = 255 * shadeOf(differences[i]!)
  })
}
