import { textWidth } from './textWidth.js'

/** A text beside a point: where the point is, in pixels, and on which side of it the text stands. */
export interface LabelPlace {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly before: boolean
}

const bold = 1.1
const line = 14
/** How far the middle of a label may stand below its point, the first the usual one. */
const offsets = [-6, 8, -20, 22, -34, 36]

/** How far each label stands below its point, so that it lies on none of those before it; as usual where there is no such place. */
export function labelOffsets(labels: readonly LabelPlace[]): number[] {
  const taken: { readonly from: number; readonly to: number; readonly at: number }[] = []
  return labels.map(({ text, x, y, before }) => {
    const wide = bold * textWidth(text)
    const [from, to] = before ? [x - 6 - wide, x - 6] : [x + 6, x + 6 + wide]
    const free = (offset: number): boolean =>
      taken.every((other) => to <= other.from || other.to <= from || Math.abs(y + offset - other.at) >= line)
    const offset = offsets.find(free) ?? offsets[0]!
    taken.push({ from, to, at: y + offset })
    return offset
  })
}
