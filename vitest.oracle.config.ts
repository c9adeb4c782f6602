import { defineConfig } from 'vitest/config'
import ordinary from './vitest.config.js'

// Against other programs that are run then and there, so apart from the ordinary tests: needs Python.
export default defineConfig({
  ...ordinary,
  test: {
    ...ordinary.test,
    include: ['test/oracle/**/*.oracle.ts'],
    testTimeout: 600_000,
  },
})
