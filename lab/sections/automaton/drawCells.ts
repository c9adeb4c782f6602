import { side } from './automatonMessages.js'

/** Draws a pixel for each cell, as large as the canvas is wide; undefined where the canvas is not shown. */
export function drawCells(
  canvas: HTMLCanvasElement,
  color: (cell: number, pixel: Uint8ClampedArray, paint: (name: string) => string) => void,
): { context: CanvasRenderingContext2D; width: number; paint: (name: string) => string } | undefined {
  const context = canvas.getContext('2d')
  const width = canvas.clientWidth
  if (!context || width === 0) return undefined
  const ratio = devicePixelRatio || 1
  canvas.width = Math.round(width * ratio)
  canvas.height = canvas.width
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  const style = getComputedStyle(canvas)
  const paint = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  context.fillStyle = paint('panel')
  context.fillRect(0, 0, width, width)
  const small = document.createElement('canvas')
  small.width = side
  small.height = side
  const brush = small.getContext('2d')
  if (!brush) return undefined
  const image = brush.createImageData(side, side)
  for (let i = 0; i < side * side; i++) color(i, image.data.subarray(4 * i, 4 * i + 4), paint)
  brush.putImageData(image, 0, 0)
  context.imageSmoothingEnabled = false
  context.drawImage(small, 0, 0, width, width)
  return { context, width, paint }
}
