// The one checker of what a public function was given: options records, and how errors name what was wrong. Imported by
// every folder, imports none. Read checkOptions.ts first.
export {
  checkOptions,
  noOptions,
  type OptionHints,
  type OptionNames,
  type OptionTable,
} from './checkOptions.js'
export { checkArray, checkIterable, checkPath, checkRecord, checkText } from './checkKinds.js'
export { checkFlag, checkFunction, checkInteger, checkName, checkNumber, nameAdvice } from './checkValues.js'
export { nearestName } from './nearestName.js'
export { shown } from './shown.js'
