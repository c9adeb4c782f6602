// The arithmetic of the IEEE working group P3109, exact: its 504 formats of 3 to 16 bits whatever their range, its
// projections, its operations. Read p3109Type.ts first, then project.ts, the one rounding, then operate.ts.
export {
  classify,
  compareValues,
  nextGreaterThan,
  nextLessThan,
  type P3109Class,
  totalOrder,
} from './classify.js'
export { decodeExact } from './decodeExact.js'
export { decodeP3109, valueTable } from './decodeP3109.js'
export { type Exact, exactOf } from './exact.js'
export { operate, type P3109Operation, p3109Operations, type P3109Value } from './operate.js'
export { type P3109Type, p3109Type, p3109Types } from './p3109Type.js'
export { project } from './project.js'
export {
  type P3109Rounding,
  type P3109Saturation,
  type ProjectionOptions,
  p3109Roundings,
  p3109Saturations,
} from './projection.js'
