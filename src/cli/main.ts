#!/usr/bin/env node
import { runInThread } from './io/runInThread.js'

process.exitCode = await runInThread(new URL('./thread.js', import.meta.url), process.argv.slice(2))
