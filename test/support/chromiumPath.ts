import { spawnSync } from 'node:child_process'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** Chromium's program, as `npm run check:package` finds it; an error where there is none: nothing is skipped. */
export function chromiumPath(): string {
  const named = process.env['TPU_TOOLKIT_CHROMIUM']
  for (const name of named ? [named] : names) {
    const found = String(spawnSync('which', [name]).stdout ?? '').trim()
    if (found !== '') return found
  }
  throw new Error(`no Chromium [${named ?? names.join(', ')}]; apt-get install chromium`)
}
