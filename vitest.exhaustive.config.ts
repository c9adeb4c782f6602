import { defineConfig } from 'vitest/config'
import { inBrowsers } from './test/browsers/inBrowsers.js'
import ordinary from './vitest.config.js'

// Whole domains (all 2^32 pairs, all float32 inputs): minutes to hours, so apart from the ordinary tests. With ENGINE=chromium or
// firefox the float32 functions run in that browser.
const { projects: _, ...shared } = ordinary.test ?? {}
const { ENGINE = '', FUNCTIONS = '', BLOCKS = '' } = process.env
const browser = ENGINE === 'chromium' || ENGINE === 'firefox' ? ENGINE : undefined
const inside = browser && inBrowsers([browser], { ENGINE, FUNCTIONS, BLOCKS })

export default defineConfig({
  ...(inside ?? ordinary),
  test: {
    ...shared,
    ...inside?.test,
    include: [`test/exhaustive/**/${browser ? 'functions' : '*'}.exhaustive.ts`],
    testTimeout: 0,
    hookTimeout: 0,
  },
})
