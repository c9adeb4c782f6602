import type { Operation } from '../module.js'
import { collectives } from './collectives.js'
import { control } from './control.js'
import { convolution } from './convolution.js'
import { dots } from './dot.js'
import { dynamicSlice, dynamicUpdateSlice } from './dynamicSlice.js'
import { elementwise } from './elementwise.js'
import { fft } from './fft.js'
import { gather } from './gather.js'
import { cholesky, triangularSolve } from './linearAlgebra.js'
import type { Lowering } from './lowering.js'
import { map, torchIndexSelect } from './more.js'
import { moves } from './moves.js'
import type { LoweringTable, OperationName } from './operations.js'
import { plumbing } from './plumbing.js'
import { reduce } from './reduce.js'
import { reduceWindow } from './reduceWindow.js'
import { refusals, refused } from './refused.js'
import { scatter } from './scatter.js'
import { selectAndScatter } from './selectAndScatter.js'
import { sort } from './sort.js'
import { special } from './special.js'

const lowerings: LoweringTable<OperationName> = {
  ...collectives,
  ...control,
  ...dots,
  ...elementwise,
  ...moves,
  ...plumbing,
  ...refusals,
  ...special,
  'stablehlo.cholesky': cholesky,
  'stablehlo.convolution': convolution,
  'stablehlo.dynamic_slice': dynamicSlice,
  'stablehlo.dynamic_update_slice': dynamicUpdateSlice,
  'stablehlo.einsum': refused('is of old texts, lower it to dot_general'),
  'stablehlo.fft': fft,
  'stablehlo.gather': gather,
  'stablehlo.map': map,
  'stablehlo.reduce': reduce,
  'stablehlo.reduce_window': reduceWindow,
  'stablehlo.scatter': scatter,
  'stablehlo.select_and_scatter': selectAndScatter,
  'stablehlo.sort': sort,
  'stablehlo.torch_index_select': torchIndexSelect,
  'stablehlo.triangular_solve': triangularSolve,
  'stablehlo.unary_einsum': refused('is of old texts, lower it to dot_general'),
}

const table: Readonly<Record<string, Lowering>> = lowerings

/** What makes an operation ready; throws for one that nobody knows. */
export function loweringOf({ name }: Operation): Lowering {
  if (Object.hasOwn(table, name)) return table[name]!
  throw new RangeError('is no operation that is known')
}

/** Whether an operation works element by element, so that whole tensors may go through it in place of scalars. */
export function isElementwise(name: string): boolean {
  return Object.hasOwn(elementwise, name) || name === 'stablehlo.constant'
}
