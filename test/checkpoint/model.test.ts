import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readModel, writeModel } from 'tpu-toolkit/checkpoint'
import { openSafetensors } from 'tpu-toolkit/files'
import { arange, reshape, tensor, zeros } from 'tpu-toolkit/tensor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let top = ''
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'model-'))
})
afterAll(() => rmSync(top, { recursive: true }))

const tree = {
  model: {
    embed: { weight: reshape(arange(0, 12), [6, 2]) },
    layers: [{ w: tensor([1, 2], { dtype: 'bfloat16' }) }, { w: tensor([3, 4], { dtype: 'bfloat16' }) }],
    norm: { weight: zeros([3]) },
  },
}

describe('writeModel and readModel', () => {
  it('readModel refuses an index that names no tensor', () => {
    const empty = mkdtempSync(join(tmpdir(), 'model-'))
    writeFileSync(join(empty, 'model.safetensors.index.json'), '{"weight_map":{}}')
    expect(() => readModel(empty)).toThrow(/^readModel: the index names no tensor \[/)
    rmSync(empty, { recursive: true })
  })

  it('one file where all fits, with the metadata that transformers asks for', () => {
    const folder = join(top, 'one')
    expect(writeModel(folder, tree)).toEqual(['model.safetensors'])
    expect(readModel(folder)).toEqual(tree)
    const file = openSafetensors(join(folder, 'model.safetensors'))
    expect(file.metadata).toEqual({ format: 'pt' })
    file.close()
    expect(() => writeModel(folder, tree)).toThrow(/writeModel: a model is there already/)
  })

  it('shards by bytes in the order of the paths, a large tensor by itself, the index last', () => {
    const folder = join(top, 'shards')
    const files = [
      'model-00001-of-00003.safetensors',
      'model-00002-of-00003.safetensors',
      'model-00003-of-00003.safetensors',
    ]
    expect(writeModel(folder, tree, { maxShardBytes: 8 })).toEqual(files)
    expect(JSON.parse(readFileSync(join(folder, 'model.safetensors.index.json'), 'utf8'))).toEqual({
      metadata: { total_size: 48 + 4 + 4 + 12 },
      weight_map: {
        'model.embed.weight': files[0],
        'model.layers.0.w': files[1],
        'model.layers.1.w': files[1],
        'model.norm.weight': files[2],
      },
    })
    expect(readModel(folder)).toEqual(tree)
    expect(readModel(folder, { filter: (name) => name.startsWith('model.norm') })).toEqual({
      model: { norm: tree.model.norm },
    })
    const second = openSafetensors(join(folder, files[1]!))
    expect([second.names, second.metadata]).toEqual([
      ['model.layers.0.w', 'model.layers.1.w'],
      { format: 'pt' },
    ])
    second.close()
  })

  it('an index that does not fit its files is refused', () => {
    const folder = join(top, 'broken')
    writeModel(folder, tree, { maxShardBytes: 8 })
    const path = join(folder, 'model.safetensors.index.json')
    const index = readFileSync(path, 'utf8')
    const refused = (text: string): void => {
      writeFileSync(path, text)
      readModel(folder)
    }
    expect(() => refused('{')).toThrow(/the index is no JSON/)
    expect(() => refused('[]')).toThrow(/the index has no weight_map/)
    expect(() => refused(index.replace('model-00001-of', '../model-00001-of'))).toThrow(
      /names no file beside it/,
    )
    expect(() => refused(index.replace('00001-of-00003', '00009-of-00003'))).toThrow(
      /a file of the index is not there/,
    )
    expect(() => refused(index.replace('model.norm.weight', 'model.norm.bias'))).toThrow(
      /00003\.safetensors has a tensor that the index does not place there \[model\.norm\.weight\]/,
    )
    expect(existsSync(folder) && readdirSync(folder).length).toBe(4)
    expect(() => readModel(top)).toThrow(/neither model\.safetensors nor its index is there/)
  })
})
