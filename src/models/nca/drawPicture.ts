import {
  checkInteger,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { type Tensor, tensor } from '../../tensors/tensor/index.js'

/** The names of the pictures. */
export type PictureName = 'flower' | 'face'

/** Options of `drawPicture`. */
export interface PictureOptions {
  /** Cells along each side, the margin included. Default 24. */
  readonly size?: number
  /** Cells of nothing on each side. Default 3. */
  readonly margin?: number
}

const names: OptionTable<PictureOptions> = { size: 'optional', margin: 'optional' }

type Color = readonly [red: number, green: number, blue: number]

/** A part of a picture: whether it covers a point of [-1, 1] x [-1, 1], y downward. Later parts cover earlier ones. */
interface Part {
  readonly color: Color
  covers(x: number, y: number): boolean
}

const disc = (color: Color, cx: number, cy: number, rx: number, ry = rx): Part => ({
  color,
  covers: (x, y) => ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 < 1,
})

const petals = [0, 1, 2, 3, 4].map((i) => {
  const angle = ((2 * i - 0.5) * Math.PI) / 5
  return disc([0.86, 0.2, 0.35], 0.38 * Math.sin(angle), -0.38 - 0.38 * Math.cos(angle), 0.27)
})

const pictures: Readonly<Record<PictureName, readonly Part[]>> = {
  flower: [
    {
      color: [0.15, 0.5, 0.2],
      covers: (x, y) => Math.abs(x - 0.12 * (y + 0.4) ** 2) < 0.09 && y > -0.4 && y < 1,
    },
    disc([0.25, 0.65, 0.25], 0.45, 0.55, 0.36, 0.17),
    ...petals,
    disc([0.98, 0.8, 0.2], 0, -0.38, 0.22),
  ],
  face: [
    disc([0.85, 0.6, 0.1], 0, 0, 1),
    disc([0.99, 0.82, 0.25], 0, 0, 0.9),
    disc([0.3, 0.18, 0.1], -0.34, -0.25, 0.13, 0.2),
    disc([0.3, 0.18, 0.1], 0.34, -0.25, 0.13, 0.2),
    {
      color: [0.75, 0.2, 0.15],
      covers: (x, y) => y > 0.15 && (x / 0.58) ** 2 + ((y - 0.15) / 0.5) ** 2 < 1,
    },
  ],
}

/** Points along each side of a cell that are looked at. */
const points = 4

/**
 * A small picture to grow: red, green and blue times opacity, and opacity, from 0 to 1, each cell the mean of 16 points.
 *
 * Shape     [size, size, 4], float32.
 *
 * @example drawPicture('flower').shape // [24, 24, 4]
 */
export function drawPicture(name: PictureName, options: PictureOptions = noOptions): Tensor<'float32'> {
  checkName('drawPicture', 'picture', name, Object.keys(pictures))
  checkOptions('drawPicture', options, names, { positional: 'size' })
  const { size = 24, margin = 3 } = options
  checkInteger('drawPicture', 'size', size, 1)
  checkInteger('drawPicture', 'margin', margin, 0, (size - 1) / 2)
  const inside = size - 2 * margin
  const place = (i: number): number => (2 * ((i + 0.5) / points - margin)) / inside - 1
  const values = new Float32Array(size * size * 4)
  for (let i = 0; i < size * points; i++) {
    for (let j = 0; j < size * points; j++) {
      const color = pictures[name].filter((part) => part.covers(place(j), place(i))).at(-1)?.color
      if (!color) continue
      const cell = (Math.floor(i / points) * size + Math.floor(j / points)) * 4
      color.forEach((value, k) => {
        values[cell + k]! += value / points ** 2
      })
      values[cell + 3]! += 1 / points ** 2
    }
  }
  return tensor(values, { shape: [size, size, 4], dtype: 'float32' })
}
