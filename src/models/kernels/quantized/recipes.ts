import {
  checkInteger,
  checkName,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../../base/options/index.js'
import type { Key } from '../../../tensors/random/index.js'
import { key } from '../../../tensors/random/index.js'
import { checkOperandQuantization, isDrawn, type OperandQuantization } from './operand.js'

/** A Hadamard transform of both operands of a product along the dimension that is summed over: it cancels, but for the rounding. */
export interface ProductHadamard {
  /** Length of a block, a power of two. Default 16. */
  readonly size?: number
  /** Signs of a block as `hadamard` takes them. Default: none. */
  readonly signs?: Key | readonly number[]
}

/** The forward product y = x w. Operands without a quantisation go into it as they are. */
export interface ForwardProduct {
  readonly x?: OperandQuantization
  readonly w?: OperandQuantization
  readonly hadamard?: ProductHadamard
}

/** The product dx = g w'. */
export interface DgradProduct {
  readonly g?: OperandQuantization
  readonly w?: OperandQuantization
  readonly hadamard?: ProductHadamard
}

/** The product dw = x' g. */
export interface WgradProduct {
  readonly x?: OperandQuantization
  readonly g?: OperandQuantization
  readonly hadamard?: ProductHadamard
}

/** How the three products of a layer quantise their operands, each along the dimension that it sums over. */
export interface MatmulRecipe {
  readonly forward?: ForwardProduct
  readonly dgrad?: DgradProduct
  readonly wgrad?: WgradProduct
  /** What the forward pass keeps of x for dw: x itself, or what its codes stand for. Default 'input'. */
  readonly saved?: 'input' | 'codes'
}

/** A recipe by its name. */
export type RecipeName =
  | 'nvfp4'
  | 'mxfp8'
  | 'mxfp4'
  | 'deepseek-fp8'
  | 'fp8-row'
  | 'fp8-row-wgrad-high'
  | 'fp8-tensor'

const nvfp4: OperandQuantization = { scheme: 'nvfp4', tensorScale: 'amax' }
const nvfp4Weight: OperandQuantization = { ...nvfp4, blockRows: 16 }
const nvfp4Drawn: OperandQuantization = { ...nvfp4, rounding: 'stochastic' }
const mxfp8: OperandQuantization = { scheme: 'mxfp8_e4m3', scale: 'rceil' }
const mxfp4: OperandQuantization = { scheme: 'mxfp4', scale: 'rceil' }
const mxfp4Drawn: OperandQuantization = { ...mxfp4, rounding: 'stochastic' }
const tile: OperandQuantization = { tile: [1, 128] }
const square: OperandQuantization = { tile: [128, 128] }
const row: OperandQuantization = { tile: [1, 'all'] }
const whole: OperandQuantization = { tile: ['all', 'all'] }
const wholeGradient: OperandQuantization = { ...whole, format: 'float8_e5m2' }

/**
 * The recipes that have a name: what `quantizedMatmul`, and with it a layer's policy, takes as one word.
 *
 * 'nvfp4'      arXiv 2509.25149: blocks 1 x 16 of activations and gradients, 16 x 16 of weights, each with the float32 second level; gradients
 *              rounded at random; both operands of dw through a Hadamard transform of 16 with one vector of signs.
 * 'mxfp8'      arXiv 2506.08027: MXFP8 e4m3 throughout, scales rounded up.
 * 'mxfp4'      arXiv 2502.20586: MXFP4, in the backward pass rounded at random after a Hadamard transform of 32.
 * 'deepseek-fp8'  arXiv 2412.19437: tiles 1 x 128 of activations and gradients, 128 x 128 of weights; dw from the codes of x. The bits of
 *              `blockScaledMatmul`.
 * 'fp8-row'    one float32 scale a row of each operand; 'fp8-row-wgrad-high': dw from operands as they are (torchao's
 *              rowwise_with_gw_hp).
 * 'fp8-tensor' one float32 scale a tensor, gradients in float8_e5m2.
 *
 * @example matmulRecipes.nvfp4.forward.w // { scheme: 'nvfp4', tensorScale: 'amax', blockRows: 16 }
 */
export const matmulRecipes: Readonly<Record<RecipeName, MatmulRecipe>> = Object.freeze({
  nvfp4: {
    forward: { x: nvfp4, w: nvfp4Weight },
    dgrad: { g: nvfp4Drawn, w: nvfp4Weight },
    wgrad: { x: nvfp4, g: nvfp4Drawn, hadamard: { size: 16, signs: key(0) } },
  },
  mxfp8: {
    forward: { x: mxfp8, w: mxfp8 },
    dgrad: { g: mxfp8, w: mxfp8 },
    wgrad: { x: mxfp8, g: mxfp8 },
  },
  mxfp4: {
    forward: { x: mxfp4, w: mxfp4 },
    dgrad: { g: mxfp4Drawn, w: mxfp4Drawn, hadamard: { size: 32, signs: key(0) } },
    wgrad: { x: mxfp4Drawn, g: mxfp4Drawn, hadamard: { size: 32, signs: key(0) } },
  },
  'deepseek-fp8': {
    forward: { x: tile, w: square },
    dgrad: { g: tile, w: square },
    wgrad: { x: tile, g: tile },
    saved: 'codes',
  },
  'fp8-row': { forward: { x: row, w: row }, dgrad: { g: row, w: row }, wgrad: { x: row, g: row } },
  'fp8-row-wgrad-high': { forward: { x: row, w: row }, dgrad: { g: row, w: row } },
  'fp8-tensor': {
    forward: { x: whole, w: whole },
    dgrad: { g: wholeGradient, w: whole },
    wgrad: { x: whole, g: wholeGradient },
  },
})

const recipeNames: OptionTable<MatmulRecipe> = {
  ...{ forward: 'optional', dgrad: 'optional', wgrad: 'optional', saved: 'optional' },
}
const forwardNames: OptionTable<ForwardProduct> = { x: 'optional', w: 'optional', hadamard: 'optional' }
const dgradNames: OptionTable<DgradProduct> = { g: 'optional', w: 'optional', hadamard: 'optional' }
const wgradNames: OptionTable<WgradProduct> = { x: 'optional', g: 'optional', hadamard: 'optional' }
const hadamardNames: OptionTable<ProductHadamard> = { size: 'optional', signs: 'optional' }

/**
 * The recipe that a name stands for, or the one given, checked; errors are in the name of `op`.
 *
 * @example matmulRecipe('f', 'mxfp8').forward.x // { scheme: 'mxfp8_e4m3', scale: 'rceil' }
 */
export function matmulRecipe(op: string, given: RecipeName | MatmulRecipe): MatmulRecipe {
  if (typeof given === 'string') {
    checkName(op, 'recipe', given, Object.keys(matmulRecipes))
    return matmulRecipes[given]
  }
  checkRecord(op, 'recipe', given)
  checkOptions(`${op}: recipe`, given, recipeNames, { positional: 'forward' })
  checkName(op, 'saved', given.saved ?? 'input', ['input', 'codes'])
  const products = [
    ['forward', given.forward, forwardNames],
    ['dgrad', given.dgrad, dgradNames],
    ['wgrad', given.wgrad, wgradNames],
  ] as const
  for (const [name, product, known] of products) {
    if (product === undefined) continue
    checkOptions(`${op}: ${name}`, product, known)
    const { hadamard, ...operands } = product
    for (const operand of Object.values(operands)) {
      if (operand !== undefined) checkOperandQuantization(`${op}: ${name}`, operand)
    }
    if (hadamard === undefined) continue
    checkOptions(`${op}: ${name} hadamard`, hadamard, hadamardNames)
    const { size = 16 } = hadamard
    checkInteger(`${op}: ${name} hadamard`, 'size', size, 1, 32768)
    if (!Number.isInteger(Math.log2(size))) {
      throw new RangeError(`${op}: ${name} hadamard: size is no power of two [${size}]`)
    }
  }
  return given
}

/** Whether any operand of a recipe is rounded at random, for which it needs a key. */
export function recipeDraws({ forward, dgrad, wgrad }: MatmulRecipe): boolean {
  return [forward?.x, forward?.w, dgrad?.g, dgrad?.w, wgrad?.x, wgrad?.g].some(isDrawn)
}
