import { checkOptions, checkRecord, noOptions, shown } from '../../../base/options/index.js'
import type { Module, Operation, Value } from '../module.js'
import { placeOf } from '../values/sourceOf.js'
import { chosenFunction } from './chosenFunction.js'
import { inlined } from './inlined.js'
import { eachBlock } from './makers.js'
import { excess } from './rewrittenFunction.js'

/** A rounding that the text asks for and jax.jit on the CPU leaves out. */
export interface DroppedRounding {
  /** The operation whose bfloat16 result is read unrounded. */
  readonly operation: Operation
  /** The cast to float32 that reads it so. */
  readonly cast: Operation
  /** The line of the operation, `train.py:12:3`, or its place in the text. */
  readonly site: string
}

/** Options of droppedRoundings. */
export interface DroppedRoundingsOptions {
  /** Which function of the module. Default 'main', or the only public one. */
  readonly function?: string
}

/**
 * The roundings to bfloat16 that XLA's CPU backend leaves out with its default flags, calls replaced by what they call, regions first: it
 * computes bfloat16 operations in float32, and a cast to float32 of such a result takes what was computed. `programOf` with
 * `rounding: 'xla-jit'` does the same. Casts that the text has down and up again are kept.
 *
 * Throws    RangeError for a function that is not there.
 * Source    XLA, hlo/transforms/simplifiers/float_normalization.cc; measured with jax 0.10.2.
 *
 * @example const text = 'func.func @main(%x: tensor<2xbf16>) -> tensor<2xf32> { %0 = stablehlo.add %x, %x : tensor<2xbf16> %1 = stablehlo.convert %0 : (tensor<2xbf16>) -> tensor<2xf32> return %1 : tensor<2xf32> }'
 * droppedRoundings(parse(text)).map(({ operation }) => operation.name) // ['stablehlo.add']
 */
export function droppedRoundings(
  module: Module,
  options: DroppedRoundingsOptions = noOptions,
): readonly DroppedRounding[] {
  checkRecord('droppedRoundings', 'module', module, ['functions'])
  if (!(module.functions instanceof Map)) {
    throw new TypeError(
      `droppedRoundings: functions of the module are not a Map [${shown(module.functions)}]`,
    )
  }
  checkOptions('droppedRoundings', options, { function: 'optional' })
  const func = chosenFunction('droppedRoundings', module, options.function)
  const found: DroppedRounding[] = []
  eachBlock(inlined(module, func).body, (block) => {
    const makers = new Map<Value, Operation>()
    for (const op of block.operations) {
      for (const result of op.results) makers.set(result, op)
      const [operand] = op.operands
      const operation = operand && makers.get(operand)
      if (!operation || !excess.reads(op) || !excess.gives(operation)) continue
      if (operand.type.kind !== 'tensor' || !excess.elements.has(operand.type.element)) continue
      found.push({ operation, cast: op, site: placeOf(operation) })
    }
    return block
  })
  return found
}
