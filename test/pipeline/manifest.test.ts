import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadShardsFromManifest, shardFiles } from 'tpu-toolkit/pipeline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let folder = ''
const manifest = (content: unknown): string => {
  const path = join(folder, 'manifest.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'manifest-'))
  mkdirSync(join(folder, 'data'))
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'data', name), name.repeat(10))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('loadShardsFromManifest', () => {
  it('gives the files in the order listed, with what is known of them', async () => {
    const path = manifest({
      shards: [
        { path: 'data/b', records: 5, bytes: 10, split: 'val', meta: { a: 1 } },
        'data/a',
        join(folder, 'data/c'),
      ],
    })
    const shards = await loadShardsFromManifest(path)
    expect(shards).toEqual([
      { path: join(folder, 'data/b'), records: 5, bytes: 10, split: 'val', meta: { a: 1 } },
      { path: join(folder, 'data/a'), records: undefined, bytes: 10 },
      { path: join(folder, 'data/c'), records: undefined, bytes: 10 },
    ])
    expect(shardFiles(shards, { host: 1, hosts: 2 }).map((shard) => shard.path)).toEqual([
      join(folder, 'data/c'),
    ])
    expect(await loadShardsFromManifest(manifest({ shards: [] }))).toEqual([])
  })

  const wrong: readonly (readonly [string, unknown, string])[] = [
    ['no list', { files: [] }, 'a manifest has a list shards [{"files":[]}]'],
    ['null', 'null', 'a manifest has a list shards [null]'],
    ['a number as a shard', { shards: [7] }, 'not a path, or one with records and bytes [shard 0: 7]'],
    [
      'a shard without a path',
      { shards: ['data/a', { records: 1 }] },
      'not a path, or one with records and bytes [shard 1: {"records":1}]',
    ],
    [
      'a long shard, cut at 50 characters',
      { shards: [{ name: 'x'.repeat(90) }] },
      `not a path, or one with records and bytes [shard 0: {"name":"${'x'.repeat(41)}]`,
    ],
    [
      'half a record',
      { shards: [{ path: 'data/a', records: 0.5 }] },
      'not a path, or one with records and bytes [shard 0: {"path":"data/a","records":0.5}]',
    ],
    [
      'missing files',
      { shards: ['data/a', 'data/x', 'data/y'] },
      '2 of 3 shards are missing [data/x, data/y]',
    ],
    [
      'many missing files',
      { shards: ['1', '2', '3', '4', '5', '6'] },
      '6 of 6 shards are missing [1, 2, 3, 4, 5 ...]',
    ],
    ['a folder', { shards: ['data'] }, 'a folder where a shard is to be [data]'],
    ['a file twice', { shards: ['data/a', './data/a'] }, 'a shard is listed twice [./data/a]'],
    [
      'another size',
      { shards: [{ path: 'data/a', bytes: 11 }] },
      'a shard has not the 11 bytes of the manifest [data/a: 10]',
    ],
    ['a bucket', { shards: ['gs://bucket/a'] }, 'not a path of this machine [gs://bucket/a]'],
  ]
  it.each(wrong)('refuses %s', async (_, content, why) => {
    await expect(loadShardsFromManifest(manifest(content))).rejects.toThrow(
      new RangeError(`loadShardsFromManifest: ${why}`),
    )
  })

  it('refuses what is not JSON, or not there', async () => {
    await expect(loadShardsFromManifest(manifest('shards:'))).rejects.toThrow(
      /^loadShardsFromManifest: not JSON \[/,
    )
    await expect(loadShardsFromManifest(join(folder, 'none.json'))).rejects.toThrow('ENOENT')
    await expect(loadShardsFromManifest(folder)).rejects.toThrow(
      new RangeError(`loadShardsFromManifest: a folder, give the manifest in it [${folder}]`),
    )
  })
})
