import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as files from 'tpu-toolkit/files'
import * as flow from 'tpu-toolkit/pipeline'
import * as replay from 'tpu-toolkit/replay'
import { tensor } from 'tpu-toolkit/tensor'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'options-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'file')
writeFileSync(path, '')
const x = tensor([1])
const buffer = new replay.ReplayBuffer({ capacity: 2, obsDim: 1, actionDim: 1, prefetch: 'in-process' })
const source = flow.arraySource([1])

/** Every function of these doors that takes options, called with them. */
const calls: Readonly<Record<string, (options: never) => unknown>> = {
  lockFile: (o) => files.lockFile(path, o),
  waitForLock: (o) => files.waitForLock(path, o),
  encodeSafetensors: (o) => files.encodeSafetensors({ x }, o),
  safetensorsPieces: (o) => files.safetensorsPieces({ x }, o),
  writeSafetensors: (o) => files.writeSafetensors(path, { x }, o),
  decodeSafetensors: (o) => files.decodeSafetensors(new Uint8Array(8), o),
  readSafetensors: (o) => files.readSafetensors(path, o),
  decodeNpy: (o) => files.decodeNpy(files.encodeNpy(x), o),
  openNpy: (o) => files.openNpy(path, o),
  npyOver: (o) => files.npyOver({ size: 9, read: (_, n) => new Uint8Array(n) }, o),
  readNpy: (o) => files.readNpy(path, o),
  encodeNpz: (o) => files.encodeNpz({ x }, o),
  writeNpz: (o) => files.writeNpz(path, { x }, o),
  decodeNpz: (o) => files.decodeNpz(files.encodeNpz({ x }), o),
  readNpz: (o) => files.readNpz(path, o),
  treeToJson: (o) => files.treeToJson({ x }, o),
  hashSplit: (o) => flow.hashSplit('a', o),
  shardRange: (o) => flow.shardRange(1, o),
  shardFiles: (o) => flow.shardFiles([1], o),
  shardRecords: (o) => flow.shardRecords([1], o),
  indexSampler: (o) => flow.indexSampler(1, o),
  pipeline: (o) => flow.pipeline(source, o),
  batch: (o) => flow.pipeline(source).batch(1, o),
  load: (o) => flow.pipeline(source).load(o),
  joinStates: (o) => flow.joinStates([], o),
  openCsv: (o) => flow.openCsv(path, o),
  writeRecords: (o) => flow.writeRecords(path, [], o),
  appendRecords: (o) => flow.appendRecords(path, [], o),
  openRecords: (o) => flow.openRecords(path, o),
  toDeviceAsync: (o) => flow.toDeviceAsync((async function* () {})(), o),
  timelineText: (o) => flow.timelineText([], o),
  ReplayBuffer: (o) => new replay.ReplayBuffer(o),
  RateLimiter: (o) => new replay.RateLimiter(o),
  sample: (o) => buffer.sample(1, o),
  sampleAsync: (o) => buffer.sampleAsync(1, o),
  sampleSequences: (o) => buffer.sampleSequences(1, o),
}
/** Exported functions that take no options: positional arguments, or free records. */
const without = new Set(
  'writeFileAtomic writeFully draftFolder removeFolder openSafetensors safetensorsOver encodeNpy writeNpy treeFromJson ggufOver openGguf indexPermutation arraySource concatSources sliceSource BaseTransform fromModule collate openJsonl openArrow npyRows safetensorsRows tensorRows loadShardsFromManifest timelineSummary threadFile packageVersion jsonObject'.split(
    ' ',
  ),
)

const refusal = async (call: () => unknown): Promise<unknown> => {
  try {
    await call()
    return 'taken'
  } catch (error) {
    return error
  }
}

describe('options of files, pipeline and replay', () => {
  it('every exported function is known here, with options or without', () => {
    const exported = Object.keys({ ...files, ...flow, ...replay })
    expect(exported.filter((name) => !(name in calls) && !without.has(name))).toEqual([])
  })

  it.each(Object.entries(calls))(
    '%s refuses an option that there is not, by its name',
    async (name, call) => {
      const error = await refusal(() => call({ strnage: 1 } as never))
      expect(error).toBeInstanceOf(RangeError)
      expect((error as Error).message).toMatch(new RegExp(`^${name}: unknown option, .*\\[strnage\\]$`))
    },
  )

  it.each(Object.entries(calls))('%s refuses what is no record of options', async (name, call) => {
    for (const options of [7, 'x', null, [], x]) {
      const error = await refusal(() => call(options as never))
      expect(error).toBeInstanceOf(TypeError)
      expect((error as Error).message).toMatch(new RegExp(`^${name}: options are not an object`))
    }
  })
})
