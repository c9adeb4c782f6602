import { parseArgs } from 'node:util'
import { type SeededStream, seeded } from 'tpu-toolkit/random'
import { attackHosts } from './hosts.js'
import { attackLab, attackMonitor } from './http.js'
import { attackQueue } from './queue.js'

// npm run test:attack [-- --only hosts,lab,monitor,queue] [--seed 1] [--attempts 300]
//
// What others on the network can send: to hosts that wait for each other, to the servers of the lab and of metrics, and to sweeps and workers
// through their database. Each victim is a process of its own on 127.0.0.1, and has to do its work in the end. An error where one does not.

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'hosts,lab,monitor,queue' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    attempts: { type: 'string', default: '300' },
  },
})
const attacks: Readonly<Record<string, (random: SeededStream, attempts: number) => Promise<string>>> = {
  hosts: attackHosts,
  lab: attackLab,
  monitor: attackMonitor,
  queue: attackQueue,
}
console.log(`attack: seed ${values.seed}, ${values.attempts} attempts`)
for (const name of values.only.split(',')) {
  const attack = attacks[name]
  if (!attack) throw new RangeError(`attack: no such victim [${name}]`)
  console.log(`${name}: ${await attack(seeded(`${name} ${values.seed}`), Number(values.attempts))}`)
}
