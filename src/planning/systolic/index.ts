// A systolic array of multiply-adders: how many cycles a matrix product takes in it, and what every cell does in each.
// Read dataflow.ts first (what stays, what moves), then cycles.ts; trace.ts runs a small array step by step.

export { type Dataflow, dataflows } from './dataflow.js'
export { type CycleCount, type CyclesOptions, cycles } from './cycles.js'
export { type Cell, type Frame, type Trace, type TraceOptions, trace } from './trace.js'
