// Unary functions: evaluated in float64, and as tables over every code of a format, correctly rounded from the real
// value. Read unary.ts first, then unaryTable.ts; decide.ts and real.ts settle what float64 cannot.
export { reals, roundedToOdd } from './decide.js'
export { decidedAtan2 } from './decidedAtan2.js'
export { decidedPow, ieeePow } from './decidedPow.js'
export type { UnaryName } from './unary.js'
export { unary, unaryNames } from './unary.js'
export { unaryTable } from './unaryTable.js'
