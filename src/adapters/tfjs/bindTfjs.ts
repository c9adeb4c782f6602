import { checkOptions } from '../../base/options/index.js'
import type { FormatName } from '../../numbers/formats/index.js'
import type { GradientTransformation } from '../../optimizer/index.js'
import type { DType, Tensor } from '../../tensors/tensor/index.js'
import { fromTf, type SharedDType, toTf } from './convert.js'
import { type EmulateOptions, type Emulation, emulatePrecision } from './emulatePrecision.js'
import { optimizerClass, type TfOptimizerOptions, type TfOptimizerState } from './optimizer.js'
import { type RoundingCallback, type RoundingCallbackOptions, roundingCallback } from './roundingCallback.js'
import { checkTfjs, type Tfjs, type TfModel, type TfTensor } from './tfjs.js'

/** The functions over one TensorFlow.js. Its own types come through: `toTf` gives its tf.Tensor. */
export interface TfjsBinding<T extends Tfjs> {
  /**
   * A tensor as a tf.Tensor on tf's current backend; the elements are copied.
   *
   * Shape     kept, also [] and empty ones.
   * Dtype     float32, int32, bool to the same; a low-precision format to float32.
   * Rounding  none: float32 holds every value of every low-precision format.
   * Special   -0, Inf, subnormals, NaN as they are.
   * Throws    TypeError for float64 and uint32, which tfjs does not have: cast first, there is where rounding is chosen.
   */
  toTf(x: Tensor): ReturnType<T['tensor']>
  /**
   * A tf.Tensor as a tensor; the elements are copied, and waited for where the backend has them elsewhere.
   *
   * Dtype     float32, int32, bool as they are, or `dtype`.
   * Rounding  into `dtype` once, nearest even, as `cast` does: what `toTf` made of a tensor comes back to its dtype in
   *           every bit, but for a NaN of another payload than the format's usual one.
   * Throws    TypeError for strings and complex64.
   */
  fromTf(x: TfTensor): Tensor<SharedDType>
  /** The same, rounded to `dtype`. */
  fromTf<D extends DType>(x: TfTensor, options: { readonly dtype: D }): Tensor<D>
  /**
   * A tf.Optimizer that steps by a gradient transformation: for `model.compile`, `minimize`, `applyGradients`.
   *
   * Shape     the transformation sees { [path]: Tensor }, see `pathOf`; a variable without a gradient has zeros.
   * Dtype     float32 variables.
   * Rounding  that of `applyGradients` in `tpu-toolkit/optimizer`, bit for bit, whatever the backend.
   * Special   `state` is plain data, to be saved with `stateToTree`; `getWeights` and `setWeights` as of any
   *           tf.Optimizer.
   * Throws    TypeError for variables of another dtype, and out of `model.save` with `includeOptimizer`: a chain is functions.
   */
  tfOptimizer(
    transformation: GradientTransformation,
    options?: TfOptimizerOptions,
  ): InstanceType<T['Optimizer']> & TfOptimizerState
  /**
   * Makes a tf.LayersModel compute as if it were kept in a low-precision format: weights, what each layer gives, and
   * the gradients with respect to both are rounded to the format, until `restore`.
   *
   * Rounding  once after each layer: inside of it (products, sums, its activation function, the steps of a recurrent
   *           one) arithmetic is the backend's float32. Weights stay float32, layers read them rounded. `gradients` says
   *           how rounding is differentiated: its true derivative, 0 almost everywhere, would train nothing.
   * Dtype     float32 tensors; integers pass, and what an embedding is asked for. BatchNormalization's running statistics stay float32.
   * Throws    RangeError for a model that is emulated already or not built yet, and a format without a sign.
   * Cost      every rounded tensor is read from the backend and written back.
   */
  emulatePrecision(model: TfModel, format: FormatName, options?: EmulateOptions): Emulation
  /** A callback for `model.fit` that reports where rounding changed the result. It resets the emulation's records. */
  roundingCallback(emulation: Emulation, options: RoundingCallbackOptions): RoundingCallback
}

/**
 * The bridge to the TensorFlow.js that is passed: `import * as tf from '@tensorflow/tfjs'`, or tfjs-node, or tfjs-core.
 * Nothing of tfjs is imported here, so it is always the instance, with the backend, that makes the model.
 *
 * @example bindTfjs({}) // throws bindTfjs: not a TensorFlow.js namespace, pass the tf that makes the model; it lacks [tensor, tidy, keep, engine, customGrad, variableGrads, mean, add, Optimizer]
 */
export function bindTfjs<T extends Tfjs>(tf: T): TfjsBinding<T> {
  const inner = checkTfjs(tf)
  const Optimizer = optimizerClass(inner)
  return {
    toTf: (x: Tensor) => toTf(inner, x),
    fromTf: (x: TfTensor, options: { readonly dtype?: DType } = {}) => {
      checkOptions('fromTf', options, { dtype: 'optional' })
      return fromTf(x, options.dtype)
    },
    tfOptimizer: (transformation: GradientTransformation, options?: TfOptimizerOptions) =>
      new Optimizer(transformation, options),
    emulatePrecision: (model: TfModel, format: FormatName, options?: EmulateOptions) =>
      emulatePrecision(inner, model, format, options),
    roundingCallback,
    // The caller's own types of tensors and optimizers cannot be named from in here.
  } as unknown as TfjsBinding<T>
}
