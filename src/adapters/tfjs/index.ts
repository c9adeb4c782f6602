// TensorFlow.js beside the toolkit: tensors both ways, tf models trained by our chains, low precision emulated layer by
// layer. Read bindTfjs.ts first, which lists the functions; tfjs.ts says what of tf is used. Nothing here imports tfjs.
export { bindTfjs, type TfjsBinding } from './bindTfjs.js'
export type { Tfjs, TfModel, TfTensor } from './tfjs.js'
export type { SharedDType } from './convert.js'
export type { TfOptimizerOptions, TfOptimizerState } from './optimizer.js'
export type { EmulateOptions, Emulation } from './emulatePrecision.js'
export type { RoundingSite, RoundingRecord } from './roundingSite.js'
export type { Probe, RoundingEffect } from './roundingEffects.js'
export type { RoundingCallback, RoundingCallbackOptions, RoundingReport } from './roundingCallback.js'
