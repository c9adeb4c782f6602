import { addOp, atan2Op, divOp, maximumOp, minimumOp, mulOp, powOp, subOp } from './arithmetic.js'
import { castOp } from './cast.js'
import { concatOp } from './combine.js'
import { comparisonOps } from './comparison.js'
import { argmaxOp, argminOp, maxOp, minOp } from './extremum.js'
import { broadcastToOp, flipOp, reshapeOp, transposeOp } from './layout.js'
import { matmulOp } from './matmul.js'
import { meanOp, sumOp } from './reduce.js'
import { cumprodOp, cumsumOp } from './scan.js'
import { sliceOp } from './slice.js'
import { takeOp } from './take.js'
import type { Op } from './tensor.js'
import { trilOp, triuOp } from './triangle.js'
import { unaryOps } from './unary.js'
import { whereOp } from './where.js'

/** Every primitive operation's record by name: the keys of tables about operations, gradients for one. */
export const ops: Readonly<Record<string, Op>> = {
  ...unaryOps,
  ...comparisonOps,
  add: addOp,
  sub: subOp,
  mul: mulOp,
  div: divOp,
  minimum: minimumOp,
  maximum: maximumOp,
  pow: powOp,
  atan2: atan2Op,
  where: whereOp,
  cast: castOp as Op,
  reshape: reshapeOp as Op,
  transpose: transposeOp as Op,
  broadcastTo: broadcastToOp as Op,
  flip: flipOp as Op,
  slice: sliceOp as Op,
  take: takeOp as Op,
  concat: concatOp as Op,
  tril: trilOp as Op,
  triu: triuOp as Op,
  sum: sumOp as Op,
  mean: meanOp as Op,
  max: maxOp as Op,
  min: minOp as Op,
  argmax: argmaxOp as Op,
  argmin: argminOp as Op,
  cumsum: cumsumOp as Op,
  cumprod: cumprodOp as Op,
  matmul: matmulOp as Op,
}
