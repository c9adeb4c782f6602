// Flags of libtpu and of XLA: which exist, which variable each belongs to, what MaxText sets for each generation, and what is
// wrong with those that are set. Read flagTable.ts first (the facts), then xlaFlags.ts and lintFlags.ts.

export { type FlagAssignments, xlaFlags, type XlaFlagsOptions } from './xlaFlags.js'
export { type FlagLevel, flagLevels, type FlagSet, flagSets } from './flagSets.js'
export { type Environment, type FlagFinding, lintFlags, type LintFlagsOptions } from './lintFlags.js'
export { explainFlags, type FlagExplanation } from './explainFlags.js'
export { type Flag, flag, flagNames, nearestFlag } from './flag.js'
export { type FlagKind, type FlagVariable, type ScriptCounts, toolkitNames, wrongNames } from './flagTable.js'
export { type DebuggingTip, debuggingTips } from './debuggingTips.js'
