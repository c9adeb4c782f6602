/**
 * The required part of a TensorFlow.js namespace. `@tensorflow/tfjs` and `@tensorflow/tfjs-node` have all of it,
 * `@tensorflow/tfjs-core` with a backend too. The types are structural: no declaration of tfjs is needed to read them.
 */
export type Tfjs = Readonly<
  Record<
    'tensor' | 'tidy' | 'keep' | 'engine' | 'customGrad' | 'variableGrads' | 'mean' | 'add',
    (...args: never[]) => unknown
  >
> & {
  /** The base of tf's optimizers. */
  readonly Optimizer: abstract new (
    ...args: never[]
  ) => object
}

/** The required part of a tf.Tensor. */
export interface TfTensor {
  readonly shape: readonly number[]
  readonly dtype: string
  /** The elements in a typed array. */
  dataSync(): unknown
}

/** A tensor under a name, as tf's optimizers give and take their weights. */
export interface TfNamed<X = TfTensor> {
  readonly name: string
  readonly tensor: X
}

/** The required part of a tf.LayersModel or tf.Sequential. */
export interface TfModel {
  readonly name: string
  readonly layers: readonly object[]
  readonly trainableWeights: readonly object[]
}

/** A tf.Tensor as this folder handles it. */
export interface Inner extends TfTensor {
  clone(): Inner
  dispose(): void
}

/** A tf.Variable. */
export interface InnerVariable extends Inner {
  readonly name: string
  assign(value: Inner): void
}

/** The base class of tf's optimizers, with its protected members. */
export interface InnerOptimizer {
  readonly iterations: number
  incrementIterations(): void
  saveIterations(): Promise<TfNamed<Inner>>
  extractIterations(weights: readonly TfNamed<Inner>[]): Promise<readonly TfNamed<Inner>[]>
}

/** A tf.LayerVariable. */
export interface InnerWeight {
  readonly name: string
  readonly originalName: string
  read: () => InnerVariable
}

/** A tf.layers.Layer; a model has `layers` too. */
export interface InnerLayer {
  readonly name: string
  readonly weights: readonly InnerWeight[]
  readonly layers?: readonly InnerLayer[]
  readonly inboundNodes: readonly { readonly inboundLayers: readonly InnerLayer[] }[]
  getClassName(): string
  call: (inputs: Inner | readonly Inner[], kwargs: unknown) => Inner | readonly Inner[]
}

/** A tf.LayersModel. */
export interface InnerModel {
  readonly name: string
  readonly layers: readonly InnerLayer[]
  readonly trainableWeights: readonly InnerWeight[]
  /** Only of a compiled model. */
  readonly lossFunctions?: readonly TfLoss[]
  /** What a tf.Sequential keeps its losses in. */
  readonly model?: { readonly lossFunctions?: readonly TfLoss[] }
  apply(inputs: Inner | readonly Inner[], kwargs: unknown): Inner | readonly Inner[]
}

/** A loss as tf.LayersModel calls it; the mean of what it gives is the number. */
export type TfLoss = (target: Inner, output: Inner) => Inner

/** The namespace as this folder calls it. */
export interface Tf {
  tensor(values: ArrayLike<number>, shape: readonly number[], dtype: 'float32' | 'int32' | 'bool'): Inner
  tidy<R>(f: () => R): R
  keep(x: Inner): Inner
  engine(): { readonly registeredVariables: Readonly<Record<string, InnerVariable>> }
  customGrad(f: (x: Inner) => { value: Inner; gradFunc: (dy: Inner) => Inner }): (x: Inner) => Inner
  variableGrads(
    f: () => Inner,
    variables: readonly InnerVariable[],
  ): { readonly value: Inner; readonly grads: Readonly<Record<string, Inner | undefined>> }
  mean(x: Inner): Inner
  add(a: Inner, b: Inner): Inner
  readonly Optimizer: new () => InnerOptimizer
}

const members = [
  'tensor',
  'tidy',
  'keep',
  'engine',
  'customGrad',
  'variableGrads',
  'mean',
  'add',
  'Optimizer',
]

/** The namespace under the types of this folder; a TypeError names what it lacks. */
export function checkTfjs(tf: unknown): Tf {
  const given = tf as Readonly<Record<string, unknown>> | null | undefined
  const missing = members.filter((name) => typeof given?.[name] !== 'function')
  if (missing.length > 0) {
    throw new TypeError(
      `bindTfjs: not a TensorFlow.js namespace, pass the tf that makes the model; it lacks [${missing.join(', ')}]`,
    )
  }
  return given as unknown as Tf
}
