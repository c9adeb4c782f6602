import { convolution } from '../algebra/convolution.js'
import { dots } from '../algebra/dot.js'
import { einsum } from '../algebra/einsum.js'
import { fft } from '../algebra/fft.js'
import { cholesky, triangularSolve } from '../algebra/linearAlgebra.js'
import { raggedDot } from '../algebra/raggedDot.js'
import { elementwise } from '../elements/elementwise.js'
import { special } from '../elements/special.js'
import type { Operation } from '../module.js'
import { dynamicSlice, dynamicUpdateSlice } from '../moving/dynamicSlice.js'
import { gather } from '../moving/gather.js'
import { map } from '../moving/map.js'
import { moves } from '../moving/moves.js'
import { scatter } from '../moving/scatter.js'
import { torchIndexSelect } from '../moving/torchIndexSelect.js'
import { reduce } from '../reducing/reduce.js'
import { reduceWindow } from '../reducing/reduceWindow.js'
import { selectAndScatter } from '../reducing/selectAndScatter.js'
import { sort } from '../reducing/sort.js'
import { collectives } from '../running/collectives.js'
import { control } from '../running/control.js'
import { dynamicShapes } from '../running/dynamicShapes.js'
import { parallel } from '../running/parallel.js'
import { plumbing } from '../running/plumbing.js'
import type { Lowering } from '../values/lowering.js'
import type { LoweringTable, OperationName } from '../values/operations.js'
import { refusals } from '../values/refused.js'

const lowerings: LoweringTable<OperationName> = {
  ...collectives,
  ...control,
  ...dots,
  ...dynamicShapes,
  ...elementwise,
  ...moves,
  ...parallel,
  ...plumbing,
  ...refusals,
  ...special,
  'chlo.ragged_dot': raggedDot,
  'stablehlo.cholesky': cholesky,
  'stablehlo.convolution': convolution,
  'stablehlo.dynamic_slice': dynamicSlice,
  'stablehlo.dynamic_update_slice': dynamicUpdateSlice,
  'stablehlo.einsum': einsum,
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
  'stablehlo.unary_einsum': einsum,
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
