import { processTerminal, runCommand } from '#cli'
import { compileCommand } from '../compile/cli.js'
import { kernelPrograms } from './kernelPrograms.js'

const about = `Times kernels eager and compiled, one thread: attention, products, norms, RoPE, routing. Least times.
Compiled results are compared with eager ones, bit for bit, before anything is timed. Beside them, in the same run,
JAX with jit and operation by operation and NumPy (TPU_TOOLKIT_PYTHON: a Python that has them).`

const command = compileCommand({
  ...{ command: 'bench:kernels:speed', about },
  ...{ programs: kernelPrograms, peer: 'kernels' },
})
process.exitCode = await runCommand(command, process.argv.slice(2), processTerminal())
