import { encodeNpy, encodeNpz } from 'tpu-toolkit/files'
import { tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { zipEntries } from '../../lab/sections/jax/zipEntries.js'

describe('the files of an .npz', () => {
  const arrays = { a: tensor([1, 2, 3]), b: tensor([4], { dtype: 'int32' }) }

  it.each([false, true])('are those that were written, compressed: %s', async (compress) => {
    const entries = await zipEntries(new Uint8Array(encodeNpz(arrays, { compress })))
    expect(entries.map(({ name }) => name)).toEqual(['a.npy', 'b.npy'])
    expect(entries.map(({ bytes }) => Buffer.from(bytes))).toEqual(
      Object.values(arrays).map((array) => Buffer.from(encodeNpy(array))),
    )
  })

  it('are refused where the archive is cut off, or its list damaged', async () => {
    const archive = new Uint8Array(encodeNpz(arrays))
    await expect(zipEntries(archive.slice(0, -30))).rejects.toThrow('npz: it is no zip archive')
    const damaged = archive.slice()
    const at = new DataView(archive.buffer).getUint32(archive.length - 6, true)
    damaged[at] = 0
    await expect(zipEntries(damaged)).rejects.toThrow('npz: the list of its files is damaged [entry 0]')
  })
})
