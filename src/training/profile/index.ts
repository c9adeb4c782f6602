// Where the time of a run goes: each operation, group and source line, as a table, a trace for Perfetto, a flame table and a page; what
// bounds it on this machine and on a TPU; what is wrong with a run, from what it wrote. Needs Node for reading a run's folder.
// Read profile.ts first, then measureRun.ts, which times everything that runs.
export { profile, type ProfileRunOptions } from './profile.js'
export type { ProfiledOperation, RunProfile } from './runProfile.js'
export { type GroupBy, type ProfileGroup, profileBy } from './profileBy.js'
export { type FlameRow, flameTable } from './flameTable.js'
export { type ChromeTrace, chromeTrace, type TraceEvent } from './chromeTrace.js'
export { profileText } from './profileText.js'
export { profilePage, type ProfilePageOptions } from './profilePage.js'
export { chipRoofline, measureRoofline, type MeasureRooflineOptions, type Roofline } from './roofline.js'
export type { Bound } from './adviceFor.js'
export {
  type Bottleneck,
  type BottleneckOptions,
  type BottleneckReport,
  bottlenecks,
} from './bottlenecks.js'
export { type Diagnosis, diagnose } from './diagnose.js'
export type { Problem, ProblemName, RunCheckpoint, RunProduct, RunRecord } from './runRecord.js'
export { productsOf } from './checkHardware.js'
export { readRun } from './readRun.js'
