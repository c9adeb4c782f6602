import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import {
  type DataSource,
  fromModule,
  openArrow,
  openCsv,
  openJsonl,
  openRecords,
  pipeline,
  timelineText,
  toDeviceAsync,
  writeRecords,
} from 'tpu-toolkit/pipeline'
import { csv, type Row, textTable, timelinePlot } from 'tpu-toolkit/report'
import { processTerminal, runCommand, type Subcommand } from '#cli'
import { flightsFile } from './flightsFile.js'
import { type Flight, features } from './transforms.js'

// 200,000 flights read and batched through the pipeline: `npm run bench:pipeline`.

const about = `Reads flights-200k.arrow (vega-datasets 3.2.1) through the pipeline in batches of 1,024 and prints the rates: from
Arrow, JSONL, CSV and a record file, in order and shuffled, with workers; then what overlapping with a device saves.`
const batchSize = 1024

interface Options {
  readonly file?: string
  readonly out?: string
}

const command: Subcommand = () =>
  new Command('bench:pipeline')
    .description(about)
    .option(
      '--file <path>',
      'flights-200k.arrow; without it the package is installed into a temporary folder',
    )
    .option('--out <path>', 'write the timeline there, as SVG')
    .action(({ file, out }: Options) => benchmark(flightsFile(file), out))

process.exitCode = await runCommand(command, process.argv.slice(2), processTerminal())

async function benchmark(path: string, out: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-pipeline-'))
  const sources: DataSource<unknown>[] = []
  const kept = <T>(source: DataSource<T>): DataSource<T> => {
    sources.push(source)
    return source
  }
  try {
    const arrow = kept(await openArrow<Flight>(path))
    const flights = await arrow.range!(0, arrow.length)
    const expected = { rows: flights.length, delay: flights.reduce((sum, { delay }) => sum + delay, 0) }
    const jsonl = join(folder, 'flights.jsonl')
    writeFileSync(jsonl, flights.map((flight) => `${JSON.stringify(flight)}\n`).join(''))
    const table = join(folder, 'flights.csv')
    const names = ['delay', 'distance', 'time']
    writeFileSync(table, csv(names, flights as unknown as readonly Row[]))
    const records = join(folder, 'flights.records')
    writeRecords(
      records,
      flights.map((flight) => JSON.stringify(flight)),
    )

    const rows: Row[] = []
    const add = async (name: string, run: () => Promise<{ rows: number; delay: number }>): Promise<void> => {
      const times: number[] = []
      for (let i = 0; i < 3; i++) {
        const begin = performance.now()
        const result = await run()
        times.push(performance.now() - begin)
        if (result.rows !== expected.rows || result.delay !== expected.delay) {
          throw new Error(`bench:pipeline: ${name} gave other records [${result.rows} ${result.delay}]`)
        }
      }
      const least = Math.min(...times.slice(1))
      rows.push({
        way: name,
        ms: Number(least.toFixed(0)),
        'rows/s': Math.round((1000 * expected.rows) / least),
      })
    }

    await add('read the file and sum a column, with the library alone', async () => {
      const { tableFromIPC } = await import('apache-arrow')
      const column = tableFromIPC(readFileSync(path)).getChild('delay')!
      let delay = 0
      for (const value of column) delay += value as number
      return { rows: column.length, delay }
    })
    await add('open Arrow, in order, batches', async () => total(await openArrow<Flight>(path), {}))
    await add('Arrow, in order, batches', () => total(arrow, {}))
    await add('Arrow, shuffled, batches', () => total(arrow, { shuffle: true, seed: 1 }))
    await add('Arrow, shuffled, features, batches', () =>
      drained(pipeline(arrow, { shuffle: true, seed: 1 }).map(features).batch(batchSize).load()),
    )
    const module = new URL('transforms.js', import.meta.url)
    const heavy = pipeline(arrow, { shuffle: true, seed: 1 })
      .map(fromModule<Flight, ReturnType<typeof features>>(module, 'heavy'))
      .batch(batchSize)
    for (const workers of [0, 1, 2]) {
      await add(`Arrow, shuffled, 100 x features, ${workers} workers`, () => drained(heavy.load({ workers })))
    }
    const inOrder = async (source: DataSource<Flight>) => total(kept(source), {})
    await add('open JSONL, in order, batches', async () => inOrder(await openJsonl<Flight>(jsonl)))
    await add('open CSV, in order, batches', async () =>
      inOrder(await openCsv<Flight>(table, { numbers: names })),
    )
    const decode = (bytes: Uint8Array): Flight => JSON.parse(Buffer.from(bytes).toString()) as Flight
    for (const shuffle of [false, true]) {
      await add(`open records of JSON, ${shuffle ? 'shuffled' : 'in order'}, batches`, async () => {
        const source = kept(await openRecords(records))
        return drained(pipeline(source, { shuffle, seed: 1 }).map(decode).batch(batchSize).load())
      })
    }

    console.log(
      `flights-200k.arrow, ${expected.rows} rows, batches of ${batchSize}, node ${process.version} ${process.arch}, ${availableParallelism()} cores; least of 2, after one\n`,
    )
    console.log(textTable([{ key: 'way' }, { key: 'ms' }, { key: 'rows/s' }], rows))
    await overlap(arrow, out)
  } finally {
    for (const source of sources) await source.close?.()
    rmSync(folder, { recursive: true, force: true })
  }
}

function total(source: DataSource<Flight>, order: { shuffle?: boolean; seed?: number }) {
  return drained(pipeline(source, order).batch(batchSize).load())
}

/** Takes all batches: how many rows, and the sum of a column. */
async function drained(
  batches: AsyncIterable<{ delay: Float64Array }>,
): Promise<{ rows: number; delay: number }> {
  let rows = 0
  let delay = 0
  for await (const batch of batches) {
    rows += batch.delay.length
    for (const value of batch.delay) delay += value
  }
  return { rows, delay }
}

/** A device that computes 4 ms on a batch and takes 3 ms to copy one. Nothing is prefetched: host time is seen as such. */
async function overlap(arrow: DataSource<Flight>, out: string | undefined): Promise<void> {
  for (const buffers of [1, 3]) {
    const batches = pipeline(arrow, { shuffle: true, seed: 1 })
      .map(features)
      .batch(8 * batchSize)
      .prefetch(0)
      .load()
    const device = toDeviceAsync(batches, { bytesPerSecond: (8 * batchSize * 4 * 8) / 3e-3, buffers })
    for await (const _ of device) await new Promise((resolve) => setTimeout(resolve, 4))
    console.log(
      `\nhost, copy and compute with ${buffers} buffer${buffers > 1 ? 's' : ''}, 8,192 rows a batch`,
    )
    console.log(timelineText(device.timeline(), { width: 80 }))
    if (out === undefined || buffers === 1) continue
    const stretches = device
      .timeline()
      .map(({ lane, batch, start, end }) => ({ lane, start, end, label: String(batch) }))
    const lanes = ['host', 'copy', 'compute']
    writeFileSync(
      out,
      timelinePlot(stretches, { title: 'host, copy and compute', x: { label: 'ms' }, lanes, width: 900 }),
    )
    console.log(`\nWritten: ${out}`)
  }
}
