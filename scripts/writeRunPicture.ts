import { writeFileSync } from 'node:fs'
import { drawnRun, runPicture } from './runPicture.js'

// Writes README's picture for light and for dark pages: `npm run picture`, some ten seconds.
const [naive, cured] = [drawnRun({}), drawnRun({ cumsum: 'stable' })]
for (const scheme of ['light', 'dark'] as const) {
  writeFileSync(`docs/pictures/run-to-nan-${scheme}.svg`, runPicture(naive, cured, scheme))
}
console.log(`picture: NaN at step ${naive.end}`)
