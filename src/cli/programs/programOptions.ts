import type { Command } from 'commander'

/** Adds the options that say what a program of a file is run on, and what is taken where its specification leaves it open. */
export function programOptions(command: Command, of: string = ''): Command {
  return command
    .option('--inputs <file>', `${of}its arguments by name: .safetensors, .npz, or .npy of a single one`)
    .option(
      '--random <key>',
      `${of}draw the arguments that no file gives: floats standard normal, integers 0 or 1`,
    )
    .option('--function <name>', `${of}a function of the module; default main`)
    .option(
      '--dot <which>',
      `${of}what matrix products add in: float32, or operands, the dtype of their result; default float32`,
    )
    .option('--reduce <which>', `${of}the order of sums: sequential, xla-cpu; default sequential`)
    .option(
      '--rounding <where>',
      `${of}where operations round: each, xla-jit (as jax.jit on the CPU), fused (once a chain); default each`,
    )
}
