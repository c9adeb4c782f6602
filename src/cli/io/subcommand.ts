import type { Command } from 'commander'
import type { Terminal } from './terminal.js'

/** Makes one command. Its action prints on the terminal and reports its exit status; 0 if it reports none. */
export type Subcommand = (terminal: Terminal, exit: (status: number) => void) => Command
