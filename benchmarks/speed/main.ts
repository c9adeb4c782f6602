import { runCommand } from '../cli/terminal.js'
import { speedCommand } from './cli.js'

runCommand(speedCommand)
