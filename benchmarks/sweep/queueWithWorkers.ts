import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { queueRunner } from 'tpu-toolkit/queue'
import { makeTrial, type Runner } from 'tpu-toolkit/sweep'
import { startPostgres, type TestPostgres } from '../../scripts/startPostgres.js'

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

let server: TestPostgres | undefined
let opened = 0

/** A runner over a PostgreSQL of our own, with so many workers, processes of one thread, that have all run something. */
export async function queueWithWorkers(experiment: string, count: number): Promise<Runner> {
  server ??= await startPostgres()
  const { url } = server
  const workers = Array.from({ length: count }, () =>
    spawn(process.execPath, [main, 'worker', url, '--workers', '1'], { stdio: 'ignore' }),
  )
  const runner = await queueRunner({ url, experiment, name: `bench ${++opened}` })
  // Workers come one after the other; each takes its share of these once it is there.
  for (let i = 0; i < 20; i++) {
    await Promise.all(Array.from({ length: 4 * count }, (_, k) => runner.run(makeTrial({ i: -k, warm: i }))))
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return {
    run: runner.run,
    close: async () => {
      await runner.close()
      for (const worker of workers) {
        const ended = once(worker, 'exit')
        worker.kill('SIGINT')
        await ended
      }
    },
  }
}

/** Ends the server, where one was started. */
export async function stopQueue(): Promise<void> {
  await server?.remove()
}
