import { processTerminal, runCommand } from '#cli'
import { compileCommand } from './cli.js'

process.exitCode = await runCommand(compileCommand(), process.argv.slice(2), processTerminal())
