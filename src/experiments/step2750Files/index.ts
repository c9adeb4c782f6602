// The files of the step-2750 experiment: data that were drawn elsewhere, a run that is kept and goes on, a sweep's rows.
// Needs Node. Read checkpointFile.ts first; the experiment itself is in step2750, which runs anywhere.
export { readData } from './readData.js'
export { checkpointFile } from './checkpointFile.js'
export { sweep, type SweepOptions } from './sweep.js'
