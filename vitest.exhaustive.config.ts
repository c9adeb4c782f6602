import { defineConfig } from 'vitest/config'
import ordinary from './vitest.config.js'

// Whole domains (all 2^32 pairs, all float32 inputs): minutes to hours, so apart from the ordinary tests.
const { projects: _, ...shared } = ordinary.test ?? {}

export default defineConfig({
  ...ordinary,
  test: {
    ...shared,
    include: ['test/exhaustive/**/*.exhaustive.ts'],
    testTimeout: 0,
    hookTimeout: 0,
  },
})
