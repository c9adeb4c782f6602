// The edge of a command, for the benchmarks, which are commands too: terminals, options read from text, Ctrl-C, other processes.
// Read io/subcommand.ts first.
export { BadInput } from './io/badInput.js'
export type { Subcommand } from './io/subcommand.js'
export { runCommand } from './io/runProgram.js'
export { processTerminal } from './io/processTerminal.js'
export { readCount, readInteger } from './io/readNumber.js'
export { openFloatTensors, type FloatTensors } from './io/openFloatTensors.js'
export { jsonText } from './io/jsonText.js'
export { askPython, type PythonAnswer } from './io/askPython.js'
