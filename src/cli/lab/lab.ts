import { once } from 'node:events'
import { Command } from 'commander'
import { CannotWrite } from '../io/openReport.js'
import { readInteger } from '../io/readNumber.js'
import type { Subcommand } from '../io/subcommand.js'
import { pageFolder } from './pageFolder.js'
import { type Served, serveFolder } from './serveFolder.js'

/** `lab`: serves the page on which all of it can be touched, until it is stopped. */
export const labCommand: Subcommand = (terminal) =>
  new Command('lab')
    .description(
      'Serves the lab, an interactive page for runs, sums, numbers and programs. Nothing leaves this machine.',
    )
    .option('--port <n>', 'port on 127.0.0.1; 0 is any free port', '0')
    .addHelpText('after', '\nExamples:\n  tpu-toolkit lab\n  tpu-toolkit lab --port 8080')
    .action(async (given: { readonly port: string }) => {
      const port = readInteger('port', given.port, 0, 65535)
      const folder = pageFolder(import.meta.url, process.cwd())
      if (folder === undefined) {
        throw new CannotWrite(
          'the page is a package of its own: npm install tpu-toolkit-lab; in a checkout `npm run lab` builds it',
        )
      }
      const { url, server } = await served(folder, port)
      terminal.ifStopped?.('the page is no longer served')
      terminal.out(`The lab is at ${url} until you press Ctrl-C.\n`)
      await once(server, 'close')
    })

async function served(folder: string, port: number): Promise<Served> {
  try {
    return await serveFolder(folder, port, 'index.html')
  } catch (thrown) {
    throw new CannotWrite(`cannot serve at port ${port} [${(thrown as Error).message.slice(0, 100)}]`)
  }
}
