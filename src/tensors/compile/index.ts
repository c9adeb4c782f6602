// A function of tensors as one program: recorded once, replayed with the same bits and without its JavaScript. Read
// compile.ts first, then graph.ts (what was recorded), schedule.ts (in which order it runs), emit.ts (its words) and
// wasm/program (what runs them).
export {
  type Compiled,
  type CompileOptions,
  compile,
  type ProfileOptions,
  recordedPrograms,
} from './compile.js'
export type { Plan, PlannedStep, Profile } from './plan.js'
export { castTo, evaluate, type Expression, leaf } from './expression.js'
export { withArithmetic } from './withArithmetic.js'
