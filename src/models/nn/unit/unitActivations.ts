import { checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import {
  checkTensor,
  type DType,
  div,
  gelu,
  mul,
  sigmoid,
  type Tensor,
} from '../../../tensors/tensor/index.js'
import { rescale } from './rescale.js'
import { between, checkMultiplier, constrained, type UnitConstraint } from './unitFactors.js'

/** Options of unitGelu and unitSilu. */
export interface UnitActivationOptions {
  /** What inputs are multiplied by inside: u-muP's alpha. Large ones approach a ReLU. Default 1. */
  readonly mult?: number
  /** Default 'output'. */
  readonly constraint?: UnitConstraint
}

/** Options of unitSiluGlu. */
export interface UnitSiluGluOptions {
  /** What the gate is multiplied by inside its sigmoid. Default 1. */
  readonly mult?: number
}

const names: OptionTable<UnitActivationOptions> = { mult: 'optional', constraint: 'optional' }
const gluNames: OptionTable<UnitSiluGluOptions> = { mult: 'optional' }

/** What a ReLU of normal numbers is multiplied by for a standard deviation of 1. */
const afterRelu = Math.sqrt(2 / (1 - 1 / Math.PI))

/**
 * GELU of normal numbers with a standard deviation of 1: gelu(mult x) / mult times a factor between 2, that of a small `mult`, and that of a
 * ReLU.
 *
 * Shape, Dtype kept; a float.
 * Rounding  each step, then the factor.
 * Source    arXiv 2407.17465, appendix B; the package unit-scaling 0.3.5
 *
 * @example unitGelu(tensor([0, 1])).toNested() // [0, 1.4864736795425415]
 */
export function unitGelu<D extends DType>(
  x: Tensor<D>,
  options: UnitActivationOptions = noOptions,
): Tensor<D> {
  return activation('unitGelu', x, options, { share: 4, f: geluOf }) as Tensor<D>
}

/**
 * SiLU of normal numbers with a standard deviation of 1: x sigmoid(mult x) times a factor, as `unitGelu`.
 *
 * Shape, Dtype kept; a float.
 * Rounding  each step, then the factor.
 * Source    arXiv 2407.17465, appendix B; the package unit-scaling 0.3.5
 *
 * @example unitSilu(tensor([0, 1])).toNested() // [0, 1.2916219234466553]
 */
export function unitSilu<D extends DType>(
  x: Tensor<D>,
  options: UnitActivationOptions = noOptions,
): Tensor<D> {
  return activation('unitSilu', x, options, { share: 1, f: siluOf }) as Tensor<D>
}

/**
 * The gated unit x silu(gate) of two normal inputs with a standard deviation of 1, one factor for the result and both gradients.
 *
 * Shape, Dtype those of both, alike; a float.
 * Rounding  each step, then the factor.
 * Source    arXiv 2407.17465, appendix B; the package unit-scaling 0.3.5
 *
 * @example unitSiluGlu(tensor([1]), tensor([1])).toNested() // [1.2294890880584717]
 */
export function unitSiluGlu<D extends DType>(
  x: Tensor<D>,
  gate: Tensor<D>,
  options: UnitSiluGluOptions = noOptions,
): Tensor<D> {
  checkTensor('unitSiluGlu', x)
  checkTensor('unitSiluGlu', gate)
  checkOptions('unitSiluGlu', options, gluNames)
  const { mult = 1 } = options
  checkMultiplier('unitSiluGlu', 'mult', mult)
  const factor = between(1 / (1 + 1 / mult ** 2), 2, Math.SQRT2)
  const [a, b] = [x, gate].map((one): Tensor => rescale(one, { backward: factor })) as [Tensor, Tensor]
  return rescale(mul(a, siluOf(b, mult)), { forward: factor }) as Tensor<D>
}

function activation(
  op: string,
  x: Tensor,
  options: UnitActivationOptions,
  { share, f }: { readonly share: number; readonly f: (x: Tensor, mult: number) => Tensor },
): Tensor {
  checkTensor(op, x)
  checkOptions(op, options, names)
  const { mult = 1, constraint = 'output' } = options
  checkMultiplier(op, 'mult', mult)
  const [forward, backward] = constrained(op, constraint, [
    between(1 / (1 + 0.25 / mult ** 2), 2, afterRelu),
    between(1 / (1 + 1 / (share * mult ** 2)), 2, Math.SQRT2),
  ])
  return rescale(f(rescale(x, { backward: backward! }), mult), { forward: forward! })
}

function geluOf(x: Tensor, mult: number): Tensor {
  return mult === 1 ? gelu(x) : div(gelu(mul(x, mult)), mult)
}

function siluOf(x: Tensor, mult: number): Tensor {
  return mul(x, sigmoid(mult === 1 ? x : mul(x, mult)))
}
