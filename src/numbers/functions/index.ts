// Unary functions: evaluated in float64, and as tables over every code of a format, correctly rounded from the real
// value. Read unary.ts first, then unaryTable.ts; decide.ts and real.ts settle what float64 cannot. float32/ has those of
// float32, which WebAssembly gets too: float32Unary.ts.
export { reals, roundedToOdd } from './decide.js'
export { decidedAtan2 } from './decidedAtan2.js'
export { decidedPow, ieeePow } from './decidedPow.js'
export { float32Atan2 } from './float32Atan2.js'
export { float32Hypot } from './float32Hypot.js'
export { float32LogAddExp } from './float32LogAddExp.js'
export { float32Pow } from './float32Pow.js'
export { float32Unary } from './float32Unary.js'
export { fmaFloat32 } from './fmaFloat32.js'
export { hypot } from './hypot.js'
export type { UnaryName } from './unary.js'
export { unary, unaryNames } from './unary.js'
export { unaryTable } from './unaryTable.js'
