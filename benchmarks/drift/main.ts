import { runCommand } from '../cli/terminal.js'
import { driftCommand } from './cli.js'

runCommand(driftCommand)
