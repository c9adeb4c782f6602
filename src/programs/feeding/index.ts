// What a program is run on: its arguments from named arrays, its own results carried into the next step, and the first value that is not
// finite with its history. Read inputsFrom.ts first.
export { carriedText, carriedOf, type Carried } from './carried.js'
export { type FedInputs, inputsFrom, type StoredArray } from './inputsFrom.js'
export { type NanOrigin, nanOrigin } from './nanOrigin.js'
export { onnxProgram, openAxis } from './onnxProgram.js'
export { type Stepped, stepping } from './stepping.js'
