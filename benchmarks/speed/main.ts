import { processTerminal, runCommand } from 'tpu-toolkit/io'
import { speedCommand } from './cli.js'

process.exitCode = await runCommand(speedCommand(), process.argv.slice(2), processTerminal())
