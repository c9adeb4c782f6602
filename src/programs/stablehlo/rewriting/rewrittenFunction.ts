import type { Block, Func, Module } from '../module.js'
import type { SemanticsOptions } from '../values/semantics.js'
import { inlined } from './inlined.js'
import { eachBlock } from './makers.js'
import { withJoinedProducts } from './products.js'
import { withReciprocals } from './reciprocals.js'
import { withReducedShapes } from './reducedShapes.js'
import { isChained, isRounding, type Widening, widened } from './widened.js'

/** XLA computes bfloat16 in float32; a cast to float32 that follows takes the result before it is rounded. */
export const excess: Widening = {
  elements: new Set(['bf16']),
  gives: isRounding,
  reads: ({ name, results: [result] }) =>
    name === 'stablehlo.convert' && result?.type.kind === 'tensor' && result.type.element === 'f32',
}

/** Formats of up to 16 bits stay float32 along a chain of operations on elements. */
const chains: Widening = {
  elements: new Set(['bf16', 'f16']),
  gives: isChained,
  reads: isChained,
}

/** A function of a module as the options have it computed; the function itself where they ask for nothing else. */
export function rewrittenFunction(module: Module, func: Func, options: Required<SemanticsOptions>): Func {
  const changes = changesOf(options)
  if (changes.length === 0) return func
  const flat = inlined(module, func)
  const change = (block: Block): Block => changes.reduce((now, each) => each(now), block)
  return { ...flat, body: eachBlock(flat.body, change) }
}

function changesOf({ rounding, reduce }: Required<SemanticsOptions>): readonly ((block: Block) => Block)[] {
  const shapes = reduce === 'xla-cpu' ? [withReducedShapes] : []
  switch (rounding) {
    case 'each':
      return shapes
    case 'fused':
      return [(block) => widened(block, chains), ...shapes]
    case 'xla-jit':
      return [(block) => widened(block, excess), withReciprocals, withJoinedProducts, ...shapes]
    default:
      return rounding satisfies never
  }
}
