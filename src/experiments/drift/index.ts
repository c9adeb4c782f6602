// The drift bench: operations of training computed the naive way and the stable way in a narrow format, each result measured
// against the exact one; and the kernels, form beside form. Runs anywhere. Read lab/measurement.ts and lab/operation.ts first,
// then a file of cases; of kernels kernels/kernelRow.ts.
export {
  longestLength,
  type DriftResults,
  type OpResults,
  runDrift,
  type RunDriftOptions,
} from './runDrift.js'
export { operations } from './operations.js'
export type { FigureChoice, Operation } from './lab/operation.js'
export type { Lab, Measurement, Role, Trial, Way } from './lab/measurement.js'
export { asSteps, type DriftInput, driftInputs, type RecordedGaps, stepRange } from './lab/driftInputs.js'
export {
  type KernelFindings,
  type KernelResults,
  kernelCases,
  longestKernel,
  runKernels,
  type RunKernelsOptions,
} from './kernels/runKernels.js'
export type {
  KernelCase,
  KernelInput,
  KernelName,
  KernelRow,
  KernelSetup,
  KernelTrial,
  KernelWay,
} from './kernels/kernelRow.js'
