import { runTpuToolkit } from '../../src/cli/program.js'

/** Runs the command `tpu-toolkit` in this process and returns what it printed and its exit status. */
export async function runCli(...args: string[]): Promise<{ status: number; out: string; error: string }> {
  let out = ''
  let error = ''
  const status = await runTpuToolkit(args, {
    out: (text) => (out += text),
    error: (text) => (error += text),
  })
  return { status, out, error }
}
