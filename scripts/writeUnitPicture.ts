import { writeFileSync } from 'node:fs'
import { shownLengths, shownWays, unitErrors } from './unitErrors.js'
import { pictureErrors, unitPicture } from './unitPicture.js'

// Writes the picture of docs/kernels.md for light and for dark pages, and prints its table: `npm run picture:units`.
const errors = pictureErrors()
for (const scheme of ['light', 'dark'] as const) {
  writeFileSync(`docs/pictures/units-${scheme}.svg`, unitPicture(errors, scheme))
}
console.log(
  `| products | ${shownLengths.map((k) => `k = ${k.toLocaleString('en-US')}`).join(' | ')} | both signs |`,
)
console.log(`|---|${'---|'.repeat(shownLengths.length + 1)}`)
for (const way of shownWays) {
  const cells = shownLengths.map((k) => unitErrors(way, k, true).error.toPrecision(2))
  const both = unitErrors(way, shownLengths.at(-1)!, false).error.toPrecision(2)
  console.log(`| ${way.label} | ${cells.join(' | ')} | ${both} |`)
}
