import { checkArray, checkName, type OptionTable, shown } from '../../base/options/index.js'
import { type Shape, Tensor } from '../../tensors/tensor/index.js'
import { checkSameTree, pathsOf, type Tree } from '../../tensors/tree/index.js'

/** Parameters, or only their shapes: lists of whole numbers. */
export type Shapes = Tree<Tensor | Shape>

/** What muP asks which model is the small one, and how its weights lie. */
export interface MupShapes {
  /** The model for which the hyper-parameters were found. */
  readonly base: Shapes
  /** The model that is to be trained with them. */
  readonly target: Shapes
  /** A model of a second width: dimensions in which it differs from `base` grow. Default: those where `target` does. */
  readonly delta?: Shapes
  /** Paths of the readout layers or their weights, such as 'head': what a model says of itself, shapes do not. */
  readonly readout: readonly string[]
  /** Whether matrices are x W, 'in-out', or W x, 'out-in' as torch has them. Default: 'in-out'. */
  readonly layout?: 'in-out' | 'out-in'
  /** The readout's own multiplier, a hyper-parameter. Default: 1. */
  readonly outputMult?: number
}

/** The names of `MupShapes`. */
export const mupNames: OptionTable<MupShapes> = {
  base: 'required',
  target: 'required',
  readout: 'required',
  delta: 'optional',
  layout: 'optional',
  outputMult: 'optional',
}

/** What muP says of one parameter. Multipliers are those of the values that the base model has. */
export interface MupParameter {
  readonly path: string
  /** 'input' has embeddings, 'vector' biases and gains, 'finite' what does not grow, such as the readout's bias. */
  readonly kind: 'input' | 'vector' | 'hidden' | 'readout' | 'finite'
  readonly shape: Shape
  /** The base model's, null where a dimension does not grow. */
  readonly baseShape: readonly (number | null)[]
  /** How many dimensions grow. */
  readonly growing: number
  /** How much wider than the base: by the fan-in where it grows. */
  readonly widthMult: number
  /** Learning rate and weight decay under Adam and AdamW. */
  readonly adamLrMult: number
  readonly adamWdMult: number
  /** Learning rate and weight decay under SGD. */
  readonly sgdLrMult: number
  readonly sgdWdMult: number
  /** The standard deviation of the initial values, beside the one that the same rule gives in the base model. */
  readonly initMult: number
  /** What the layer's input is multiplied by. */
  readonly forwardMult: number
}

/** The table of `mup`, in the order of `leavesOf`. */
export function mupTable(options: MupShapes): MupParameter[] {
  const { base, target, delta, readout, layout = 'in-out', outputMult = 1 } = options
  checkName('mup', 'layout', layout, ['in-out', 'out-in'])
  if (!Number.isFinite(outputMult)) throw new RangeError(`mup: outputMult is not a number [${outputMult}]`)
  const [targets, bases, deltas] = [target, base, delta ?? target].map((shapes) => column(target, shapes))
  checkArray('mup', 'readout', readout)
  for (const path of readout) {
    if (!targets!.some((row) => isUnder(row.path, path))) {
      throw new RangeError(`mup: no parameter of the readout [${shown(path)}]`)
    }
  }
  return targets!.map(({ path, leaf: shape }, i) => {
    const baseShape = growth(path, shape, bases![i]!.leaf, deltas![i]!.leaf, delta !== undefined)
    const isReadout = readout.some((prefix) => isUnder(path, prefix))
    return describe(path, shape, baseShape, isReadout ? outputMult : undefined, layout)
  })
}

function column(target: Shapes, shapes: Shapes): { path: string; leaf: Shape }[] {
  const options = { op: 'mup', isLeaf: isShape }
  checkSameTree<Tensor | Shape>('mup', target, shapes, options)
  return pathsOf<Tensor | Shape>(shapes, options).map(({ path, leaf }) => {
    const shape: Shape = leaf instanceof Tensor ? leaf.shape : leaf
    if (!shape.every((length) => Number.isSafeInteger(length) && length > 0)) {
      throw new RangeError(`mup: not a shape at ${path || 'the root'} [${shape.join(', ')}]`)
    }
    return { path, leaf: shape }
  })
}

function isShape(value: unknown): value is Tensor | Shape {
  return value instanceof Tensor || (Array.isArray(value) && value.every((x) => typeof x === 'number'))
}

function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`)
}

/** The base model's dimensions, null where they do not grow. */
function growth(path: string, shape: Shape, base: Shape, delta: Shape, named: boolean): (number | null)[] {
  const at = path || 'the root'
  if (base.length !== shape.length || delta.length !== shape.length) {
    throw new RangeError(
      `mup: ranks differ at ${at} [${[base, delta, shape].map((x) => x.length).join(', ')}]`,
    )
  }
  return shape.map((length, axis) => {
    const grows = base[axis] !== delta[axis]
    if (!grows && named && length !== base[axis]) {
      throw new RangeError(
        `mup: a dimension that is the same in base and delta is another in target at ${at} [${base[axis]}, ${length}]`,
      )
    }
    return grows ? base[axis]! : null
  })
}

function describe(
  path: string,
  shape: Shape,
  baseShape: readonly (number | null)[],
  outputMult: number | undefined,
  layout: 'in-out' | 'out-in',
): MupParameter {
  const ratios = baseShape.map((base, axis) => (base === null ? undefined : shape[axis]! / base))
  const growing = ratios.filter((ratio) => ratio !== undefined).length
  const rank = shape.length
  if (growing > 2) {
    throw new RangeError(`mup: more than two dimensions grow at ${path || 'the root'} [${shape.join(', ')}]`)
  }
  const [fanIn, fanOut] = layout === 'in-out' ? [ratios[rank - 2], ratios[rank - 1]] : [ratios[1], ratios[0]]
  // A vector has no fan-in: its one dimension counts.
  const widthMult =
    (rank > 1 ? fanIn : undefined) ?? [...ratios].reverse().find((ratio) => ratio !== undefined) ?? 1
  const isReadout = outputMult !== undefined && rank > 1
  if (isReadout && growing > 1) {
    throw new RangeError(`mup: the outputs of a readout grow at ${path || 'the root'} [${shape.join(', ')}]`)
  }
  const matrix = growing === 2
  const sgd = matrix ? (fanOut ?? 1) / (fanIn ?? 1) : widthMult
  return {
    path,
    kind: isReadout
      ? 'readout'
      : matrix
        ? 'hidden'
        : growing === 0
          ? 'finite'
          : rank > 1
            ? 'input'
            : 'vector',
    shape,
    baseShape,
    growing,
    widthMult,
    adamLrMult: matrix ? 1 / widthMult : 1,
    adamWdMult: matrix ? widthMult : 1,
    sgdLrMult: sgd,
    sgdWdMult: 1 / sgd,
    initMult: matrix ? 1 / Math.sqrt(widthMult) : 1,
    forwardMult: isReadout ? outputMult / widthMult : 1,
  }
}
