import { speedCommand } from './cli.js'

process.exitCode = speedCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
})
