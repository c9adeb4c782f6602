import { defineConfig } from 'vitest/config'
import ordinary from './vitest.config.js'

// Against other programs that are run then and there, so apart from the ordinary tests: needs Python.
const { projects: _, ...shared } = ordinary.test ?? {}

export default defineConfig({
  ...ordinary,
  test: {
    ...shared,
    include: ['test/oracle/**/*.oracle.ts'],
    testTimeout: 600_000,
  },
})
