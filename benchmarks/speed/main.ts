import { processTerminal, runCommand } from '#cli'
import { speedCommand } from './cli.js'

process.exitCode = await runCommand(speedCommand(), process.argv.slice(2), processTerminal())
