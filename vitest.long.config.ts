import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { filesUnder } from './test/support/project.js'
import ordinary from './vitest.config.js'

// The files that draw more, or have more cases, where TPU_TOOLKIT_LONG is set.
process.env['TPU_TOOLKIT_LONG'] = '1'
const { projects: _, ...shared } = ordinary.test ?? {}
const include = filesUnder('test', '.test.ts').filter((path) =>
  readFileSync(path, 'utf8').includes("support/long.js'"),
)

export default defineConfig({ ...ordinary, test: { ...shared, include, isolate: false } })
