import { processTerminal, runCommand } from 'tpu-toolkit/io'
import { compileCommand } from './cli.js'

process.exitCode = await runCommand(compileCommand(), process.argv.slice(2), processTerminal())
