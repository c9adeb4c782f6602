import { runThread } from './io/runInThread.js'
import { runTpuToolkit } from './program.js'

await runThread(runTpuToolkit)
