/** Colours of series by name; each has a shade for light pages and one for dark pages. */
export type SeriesColor = 'red' | 'blue' | 'green' | 'orange' | 'purple' | 'teal' | 'pink' | 'grey'

// Six to one contrast or better against the page on the side each is for; the first is also the fallback where a
// plot stands outside of a page (then on white).
const shades: Readonly<Record<SeriesColor, readonly [light: string, dark: string]>> = {
  red: ['#c0272d', '#ff7b72'],
  blue: ['#1f5fbf', '#79b0ff'],
  green: ['#2a7534', '#6fcf7c'],
  orange: ['#a8540a', '#f2a65a'],
  purple: ['#7a3fb0', '#c79bf2'],
  teal: ['#0b7077', '#56c8cf'],
  pink: ['#b02a7c', '#f28bc4'],
  grey: ['#5f6670', '#a6adb8'],
}

/** The order in which series without a colour of their own are coloured. */
export const seriesColors: readonly SeriesColor[] = Object.keys(shades) as SeriesColor[]

/** A colour as SVG uses it: the page's variable, or the light shade where there is no page. */
export function seriesPaint(color: SeriesColor): string {
  return `var(--series-${color}, ${shades[color][0]})`
}

/** The declarations of the page's variables, for light or for dark. */
export function seriesVariables(scheme: 'light' | 'dark'): string {
  const shade = scheme === 'light' ? 0 : 1
  return seriesColors.map((color) => `--series-${color}: ${shades[color][shade]};`).join(' ')
}
