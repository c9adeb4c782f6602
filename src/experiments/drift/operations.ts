import { allReduceCase } from './cases/allReduce.js'
import { covarianceCase } from './cases/covariance.js'
import { cumsumCase } from './cases/cumsum.js'
import { decayCase } from './cases/decay.js'
import { emaCase } from './cases/ema.js'
import { fusedCase } from './cases/fused.js'
import { matmulCase } from './cases/matmul.js'
import { optimizerCase } from './cases/optimizer.js'
import { softmaxCase } from './cases/softmax.js'
import { sumCase } from './cases/sum.js'
import { targetCase } from './cases/target.js'
import { varianceCase } from './cases/variance.js'
import type { Operation } from './lab/operation.js'

/** Every operation that the drift bench measures, in the order of the report; `model.operations` are those of an architecture. */
export const operations: readonly Operation[] = [
  cumsumCase,
  sumCase,
  decayCase,
  covarianceCase,
  matmulCase,
  varianceCase,
  emaCase,
  softmaxCase,
  optimizerCase,
  targetCase,
  allReduceCase,
  fusedCase,
]
