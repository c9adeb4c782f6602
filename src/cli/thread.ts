import { runThread } from '../io/index.js'
import { runTpuToolkit } from './program.js'

await runThread(runTpuToolkit)
