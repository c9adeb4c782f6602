import { runCommand } from '../cli/terminal.js'
import { formatsCommand } from './cli.js'

runCommand(formatsCommand)
