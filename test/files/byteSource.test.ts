import { build } from 'esbuild'
import { random, tensor } from 'tpu-toolkit'
import { type ByteSource, encodeNpy, encodeSafetensors, npyOver, safetensorsOver } from 'tpu-toolkit/files'
import { describe, expect, it } from 'vitest'
import { sourceFolders } from '../../scripts/folders.js'
import { nodeModulesIn, withoutNode } from '../../scripts/withoutNode.js'
import { root } from '../support/project.js'
import { seed } from '../support/seed.js'

/** Bytes as a source that says what was read of it. */
function recorded(bytes: Uint8Array): ByteSource & { readonly reads: [number, number][]; closed: number } {
  const source = {
    size: bytes.length,
    reads: [] as [number, number][],
    closed: 0,
    read: (position: number, n: number) => {
      source.reads.push([position, n])
      // A view into more, as a Buffer of a pool is: whoever takes it over would hold on to all of it.
      return bytes.subarray(position, position + n)
    },
    close: () => {
      source.closed++
    },
  }
  return source
}

const draws = random.normal(random.key(seed), 24)
const x = tensor(draws, { shape: [4, 6], dtype: 'float32' })

describe('safetensorsOver(source)', () => {
  it('reads the header, then nothing but the bytes that are asked for', () => {
    const bytes = encodeSafetensors({ a: tensor([1, 2, 3], { dtype: 'bfloat16' }), x })
    const source = recorded(bytes)
    const file = safetensorsOver(source)
    const header = source.reads.map(([position, n]) => position + n).at(-1)!
    expect(source.reads.map(([position]) => position)).toEqual([0, 8])
    source.reads.length = 0
    const part = file.readElements('x', 5, 9)
    expect(part.toBits()).toEqual(x.toBits().slice(5, 9))
    expect(source.reads).toEqual([[header + 5 * 4, 16]])
    expect(file.readRows('x', 1, 3).toBits()).toEqual(x.toBits().slice(6, 18))
    part.data[0] = 7
    expect(file.read('x').toBits()).toEqual(x.toBits())
    file.close()
    expect(source.closed).toBe(1)
  })

  it('refuses what is no source, and sources that give less than was asked for or something else', () => {
    const bytes = encodeSafetensors({ x })
    const given = recorded(bytes)
    expect(() => safetensorsOver('x.safetensors' as never)).toThrow(
      new TypeError('safetensorsOver: source is not an object [x.safetensors]'),
    )
    expect(() => safetensorsOver({ size: 3 } as never)).toThrow('safetensorsOver: source has no read')
    expect(() => safetensorsOver({ ...given, size: -1 })).toThrow(RangeError)
    expect(() => safetensorsOver({ ...given, read: () => 'text' as never })).toThrow(
      new TypeError('safetensorsOver: what read gave is no Uint8Array [string]'),
    )
    const cut = safetensorsOver({
      ...given,
      read: (position, n) => given.read(position, position > 8 ? n - 1 : n),
    })
    expect(() => cut.read('x')).toThrow(/^safetensorsOver: read gave 95 of the 96 bytes from \d+ on \[96\]$/)
  })

  it('closes the source where the header is refused', () => {
    const source = recorded(new Uint8Array(20).fill(255))
    expect(() => safetensorsOver(source)).toThrow('the header is longer than 100000000 bytes')
    expect(source.closed).toBe(1)
  })
})

describe('npyOver(source)', () => {
  it('reads elements and rows where they lie, in either byte order', () => {
    const bytes = encodeNpy(x)
    const source = recorded(bytes)
    const file = npyOver(source)
    expect([file.dtype, file.shape]).toEqual(['float32', [4, 6]])
    source.reads.length = 0
    expect(file.readElements(7, 11).toBits()).toEqual(x.toBits().slice(7, 11))
    expect(source.reads).toEqual([[bytes.length - 96 + 28, 16]])
    expect(file.readRows(2, 3).toBits()).toEqual(x.toBits().slice(12, 18))
    expect(() => file.readElements(20, 25)).toThrow(
      new RangeError('readElements: not elements of the 24 of the array [20, 25]'),
    )
    const swapped = Uint8Array.from(bytes)
    swapped[Buffer.from(bytes).indexOf('<f4')] = '>'.charCodeAt(0)
    for (let at = bytes.length - 96; at < bytes.length; at += 4) swapped.subarray(at, at + 4).reverse()
    expect(npyOver(recorded(swapped)).readElements(7, 11).toBits()).toEqual(x.toBits().slice(7, 11))
  })

  it('says that elements of an array in Fortran order lie apart', () => {
    const bytes = encodeNpy(x)
    const text = Buffer.from(bytes)
      .toString('latin1')
      .replace("'fortran_order': False, ", "'fortran_order': True,  ")
    const file = npyOver(recorded(Buffer.from(text, 'latin1')))
    expect(() => file.readElements(0, 1)).toThrow(
      new RangeError('readElements: elements of an array in Fortran order lie apart [4, 6]'),
    )
    expect(file.readRows(0, 1).toBits()[1]).toBe(x.toBits()[4])
    expect(() => npyOver(recorded(bytes.subarray(1)))).toThrow('npyOver: not an npy file [4e554d505901]')
  })
})

it('a page takes both readers, and the bytes that are written, without anything of Node', async () => {
  const bundled = (names: string) =>
    build({
      stdin: {
        contents: `import { ${names} } from 'tpu-toolkit/files'\nconsole.log(${names})`,
        resolveDir: root,
      },
      ...{ alias: sourceFolders(`${root}/src`), bundle: true, write: false, metafile: true },
      ...{ platform: 'browser', format: 'esm', target: 'es2022', plugins: [withoutNode] },
    })
  const { outputFiles, metafile } = await bundled('encodeSafetensors, npyOver, safetensorsOver')
  expect(nodeModulesIn(metafile.outputs)).toEqual([])
  expect(outputFiles[0]!.text).not.toMatch(/\bBuffer\b/)
  expect(nodeModulesIn((await bundled('openSafetensors')).metafile.outputs).length).toBeGreaterThan(0)
})
