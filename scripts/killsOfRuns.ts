import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listCheckpoints, openCheckpoints, readCheckpoint } from 'tpu-toolkit/checkpoint'
import { pathsOf } from 'tpu-toolkit/tree'
import {
  dist,
  ensure,
  filesOf,
  freePort,
  inFolder,
  killOptions,
  newFolder,
  started,
  until,
} from './harness.js'

// npm run test:kills:runs -- [--kills 20] [--seed 1] [--only hosts]
//
// Runs are killed at any moment and begun again until they come to their end: one that saves checkpoints without pause, one of
// `train`, and one of `train` on three hosts, of which one is killed. What was said to be saved is there and whole, and every
// run ends with the bytes of one that was not disturbed, in a folder without anything else. Nothing is timed, as in kills.ts.

const { values, kills, random } = killOptions('kills of runs', '20')
const fixture = new URL('../../test/hosts/trainOnHosts.mjs', import.meta.url).pathname

/** Nothing lies in the folder but whole checkpoints. */
function ensureTidy(folder: string): void {
  const strays = readdirSync(folder).filter((name) => !/^step-\d{8}$/.test(name))
  ensure(strays.length === 0, `left behind: ${strays.join(', ')}`)
  for (const { step, refused } of listCheckpoints(folder)) {
    ensure(refused === undefined, `step ${step} ${refused}`)
  }
}

/** The milliseconds from a program's first word on in which it is killed. */
const window = 2500

/** A program that is begun; killed after a while where `fate` says so. Gives what it printed. */
async function begun(args: readonly string[], fate: 'killed' | 'spared'): Promise<string> {
  const one = started(args)
  if (fate === 'killed') {
    await until(one, () => one.printed() !== '')
    await Promise.race([sleep(window * random()), one.ended])
    one.child.kill('SIGKILL')
  }
  return one.ended
}

async function checkpoints(folder: string): Promise<string> {
  const script = `${folder}.mjs`
  writeFileSync(
    script,
    `import { latest, openCheckpoints } from '${dist('checkpoint')}'
import { tensor } from '${dist('tensor')}'
const saved = openCheckpoints(process.argv[2], { keep: [latest(2)] })
let step = saved.list().at(-1)?.step ?? 0
console.log(step)
for (;;) {
  step++
  await saved.save(step, { tensors: { a: tensor(new Float32Array(50000).fill(step)), b: [tensor([step])] }, state: step })
  if (step % 3 > 0) continue
  await saved.wait()
  console.log(step)
}`,
  )
  let said = 0
  for (let i = 0; i < kills; i++) {
    const lines = (await begun([script, folder], 'killed')).trim().split('\n')
    said = Math.max(said, Number(lines.at(-1)))
    if (said === 0) continue
    const { step, state, tensors } = readCheckpoint<{
      a: { data: Float32Array }
      b: { data: Float32Array }[]
    }>(folder)
    ensure(step >= said, `${said} was said to be saved, ${step} is there`)
    ensure(state === step && tensors.b[0]?.data[0] === step, `step ${step} has another's state`)
    ensure(
      tensors.a.data.every((x) => x === step),
      `step ${step} has another's tensors`,
    )
  }
  const saved = openCheckpoints(folder)
  await saved.save(said + 1_000_000, { tensors: {} })
  await saved.close()
  ensureTidy(folder)
  return `${said} saved`
}

const steps = 400
const options = (folder: string, port: number, hosts: number, host: number): string =>
  JSON.stringify({
    folder,
    coordinator: `127.0.0.1:${port}`,
    hosts,
    host,
    steps,
    pause: 2,
    heartbeatTimeout: 60_000,
  })

/** Begins a run on hosts, one of which is killed where `fate` says so. Whether it came to its end. */
async function runOn(folder: string, hosts: number, fate: 'killed' | 'spared'): Promise<boolean> {
  const port = await freePort()
  const unlucky = Math.floor(hosts * random())
  const printed = await Promise.all(
    Array.from({ length: hosts }, (_, host) =>
      begun([fixture, options(folder, port, hosts, host)], host === unlucky ? fate : 'spared'),
    ),
  )
  return printed.every((text) => text.includes(`steps ${steps}`))
}

const trained =
  (hosts: number) =>
  async (folder: string): Promise<string> => {
    const whole = `${folder}-whole`
    mkdirSync(whole)
    ensure(await runOn(whole, hosts, 'spared'), 'a run that nobody disturbs does not come to its end')
    let runs = 0
    for (let i = 0; i < kills; i++) {
      if (!(await runOn(folder, hosts, 'killed'))) continue
      compare(folder, whole)
      runs++
      rmSync(folder, { recursive: true })
      mkdirSync(folder)
    }
    ensure(await runOn(folder, hosts, 'spared'), 'a run that was killed does not come to its end')
    compare(folder, whole)
    return `${runs + 1} runs came to their end`
  }

/**
 * The last checkpoint has the bytes of the undisturbed run's; those before it may be gone, their save having been cut off. Where the
 * kill came into the last save itself, one host has saved for all: the same content in one file.
 */
function compare(folder: string, whole: string): void {
  ensureTidy(folder)
  const last = `step-${String(steps).padStart(8, '0')}`
  ensure(existsSync(join(folder, last)), 'the last step is not saved')
  const [ours, theirs] = [folder, whole].map((top) => {
    const { tensors, state, metrics, step } = readCheckpoint(top)
    const bits = pathsOf(tensors).map(({ path, leaf }) => [
      path,
      leaf.dtype,
      leaf.shape,
      [...leaf.toBits()].map(String),
    ])
    return JSON.stringify([step, bits, state, metrics])
  })
  ensure(ours === theirs, 'another end than without a kill')
  const alone = readdirSync(join(folder, last)).length < readdirSync(join(whole, last)).length
  ensure(
    alone || filesOf(join(folder, last)) === filesOf(join(whole, last)),
    'other bytes than without a kill',
  )
}

await inFolder('kills-of-runs', async (top, attempt) => {
  console.log(`seed ${values['seed']}: ${kills} kills of each`)
  const victims = { checkpoint: checkpoints, train: trained(1), hosts: trained(3) }
  for (const [name, victim] of Object.entries(victims)) {
    if (values['only'] !== undefined && values['only'] !== name) continue
    const folder = newFolder(top, name)
    await attempt(name.padEnd(12), async () => {
      return `${kills} kills, ${await victim(folder)}; nothing lost, nothing left`
    })
  }
})
