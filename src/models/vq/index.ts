// Vector quantisation: vectors as codes of a codebook, where each way of comparing them rounds, and what that costs.
// Read rows/assign.ts first (the code of a vector), then rows/distances.ts (where it rounds). Rooms: rows, train (codebooks),
// families (products, residuals, digits, signs), gradients, model (a model's weights in few bits).
export { type AssignOptions, assign } from './rows/assign.js'
export { type DistanceForm, type DistanceOptions, distances } from './rows/distances.js'
export type { Metric } from './rows/nearest.js'
export { type AssignmentComparison, compareAssignments } from './rows/compareAssignments.js'
export { type Kmeans, type KmeansOptions, kmeans } from './train/kmeans.js'
export type { EmptyRule } from './train/emptyClusters.js'
export { type KmeansPlusPlus, type KmeansPlusPlusOptions, kmeansPlusPlus } from './train/kmeansPlusPlus.js'
export {
  type MiniBatchKmeans,
  type MiniBatchKmeansOptions,
  type MiniBatchKmeansState,
  miniBatchKmeans,
} from './train/miniBatchKmeans.js'
export {
  type EmaCodebook,
  type EmaCodebookOptions,
  type EmaCodebookState,
  type EmaCodebookStep,
  type EmaUpdateOptions,
  emaCodebook,
} from './train/emaCodebook.js'
export {
  type ProductQuantizer,
  type ProductQuantizerOptions,
  productQuantizer,
} from './families/productQuantizer.js'
export {
  optimizedRotation,
  type TrainedProductQuantizer,
  type TrainProductQuantizerOptions,
  trainProductQuantizer,
} from './families/trainProductQuantizer.js'
export {
  type ResidualCodes,
  type ResidualQuantizer,
  type ResidualQuantizerOptions,
  residualQuantizer,
  type TrainResidualQuantizerOptions,
  trainResidualQuantizer,
} from './families/residualQuantizer.js'
export { type Fsq, type FsqCodes, type FsqIndexOptions, type FsqOptions, fsq } from './families/fsq.js'
export { type Lfq, type LfqCodes, type LfqEntropies, type LfqEntropyOptions, lfq } from './families/lfq.js'
export { type Codes, packCodes, unpackCodes } from './families/packCodes.js'
export { type QuantizedVectors, type QuantizeVectorsOptions, quantizeVectors } from './gradients/quantize.js'
export { straightThrough } from './gradients/straightThrough.js'
export { rotationTrick } from './gradients/rotationTrick.js'
export { type CommitmentOptions, codebookLoss, commitmentLoss } from './gradients/losses.js'
export { type CodebookUsage, codebookUsage } from './model/codebookUsage.js'
export { type BitsAccounting, type BitsOptions, bitsAccounting } from './model/bitsAccounting.js'
export {
  type CodedTensor,
  codeTensor,
  decodeTensor,
  loadCodes,
  type StoredCodes,
  storeCodes,
} from './model/codedTensor.js'
export type { QuantizeModelOptions } from './model/modelOptions.js'
export {
  type LayerRow,
  type ModelMetrics,
  type QuantizedModel,
  quantizeModel,
  type TotalRow,
  type WayRow,
} from './model/quantizeModel.js'
