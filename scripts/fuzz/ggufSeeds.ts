/** Text of a GGUF file: its length in 8 bytes, then UTF-8. */
const text = (value: string): number[] => [...u64(Buffer.byteLength(value)), ...Buffer.from(value)]
const u32 = (value: number): number[] => [...new Uint8Array(Uint32Array.of(value).buffer)]
const u64 = (value: number): number[] => [...u32(value % 2 ** 32), ...u32(Math.floor(value / 2 ** 32))]

/** A tensor of a file: its lengths as ggml has them, its type's number, and bytes. */
interface Seed {
  readonly name: string
  readonly lengths: readonly number[]
  readonly type: number
  readonly bytes: number
}

/** A GGUF file of version 3 with these tensors, and metadata of some types. */
function file(tensors: readonly Seed[]): Uint8Array {
  const metadata = [
    [...text('general.architecture'), ...u32(8), ...text('llama')],
    [...text('general.alignment'), ...u32(4), ...u32(32)],
    [...text('a.list'), ...u32(9), ...u32(5), ...u64(2), ...u32(1), ...u32(2)],
  ]
  let offset = 0
  const infos = tensors.map(({ name, lengths, type, bytes }) => {
    const info = [
      ...text(name),
      ...u32(lengths.length),
      ...lengths.flatMap(u64),
      ...u32(type),
      ...u64(offset),
    ]
    offset += Math.ceil(bytes / 32) * 32
    return info
  })
  const head = [...u32(0x46554747), ...u32(3), ...u64(tensors.length), ...u64(metadata.length)]
  const header = [...head, ...metadata.flat(), ...infos.flat()]
  const data = Math.ceil(header.length / 32) * 32
  const whole = new Uint8Array(data + offset)
  whole.set(header)
  for (let i = data; i < whole.length; i++) whole[i] = (i * 37) % 251
  return whole
}

/** Files that are as they should be. */
export const ggufSeeds: readonly Uint8Array[] = [
  file([]),
  file([
    { name: 'f32', lengths: [3, 2], type: 0, bytes: 24 },
    { name: 'q4_0', lengths: [32, 2], type: 2, bytes: 36 },
  ]),
  file([
    { name: 'q4_k', lengths: [256], type: 12, bytes: 144 },
    { name: 'iq2_xxs', lengths: [256], type: 16, bytes: 66 },
    { name: 'i64', lengths: [2], type: 27, bytes: 16 },
  ]),
]
