import { defineConfig } from 'vitest/config'
import ordinary from './vitest.config.js'

// Against Prometheus, PostgreSQL and TensorBoard as they are: needs the Debian packages prometheus and postgresql, and a Python with
// tensorboard in TPU_TOOLKIT_PYTHON.
const { projects: _, ...shared } = ordinary.test ?? {}

export default defineConfig({
  ...ordinary,
  test: {
    ...shared,
    include: ['test/services/**/*.service.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
