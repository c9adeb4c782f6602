// Training with parameters in few bits: how they are stored between steps (nearest, master copy, Kahan, stochastic), how
// the loss is scaled for formats of narrow range, and how many updates are lost. Read stepper.ts first, then
// storedParams.ts.

export type { Stepper } from './stepper.js'
export { storedParams, type StoredParamsOptions, type StoredState } from './storedParams.js'
export type { StorageMode } from './storage.js'
export type { RandomWords } from './randomWords.js'
export { dynamicLossScale, type LossScaleOptions, type LossScaleState } from './dynamicLossScale.js'
export { type StallCount, stalledUpdates } from './stalledUpdates.js'
