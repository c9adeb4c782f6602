import { foldIn, type Key, key, normal, uniform } from '../../tensors/random/index.js'
import { type DataSet, inMemory } from './dataSet.js'

const rows = 64
const channels = 4096
const values = rows * channels

/** One outlier channel in so many. */
const channelsPerOutlier = 1024

/** Data by name, each from a stream of its own: what it is made of, and how. */
const kinds: readonly {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly draw: (key: Key) => Float32Array
}[] = [
  {
    name: 'normal',
    title: 'Normal',
    about: 'standard normal numbers',
    draw: (stream) => normal(stream, values),
  },
  {
    name: 'student-t',
    title: 'Student t',
    about: 'heavy tails, 3 degrees of freedom: one value in a thousand is beyond 12.9',
    draw: studentT,
  },
  {
    name: 'lognormal',
    title: 'Lognormal',
    about: 'a long tail on one side: exp(2 z), z standard normal, positive, median 1, mean 7.4',
    draw: (stream) => normal(stream, values).map((z) => Math.exp(2 * z)),
  },
  {
    name: 'outliers',
    title: 'Outlier channels',
    about: `standard normal numbers in rows of ${channels} channels, where one channel in ${channelsPerOutlier}, the same in every row, is 50 to 100 times as large`,
    draw: outliers,
  },
]

/** The names of the made data. */
export const madeNames: readonly string[] = kinds.map(({ name }) => name)

/** Made data of this name, [64, 4096], from the seed. */
export function madeData(name: string, seed: number): DataSet {
  const place = kinds.findIndex((kind) => kind.name === name)
  const { title, about, draw } = kinds[place]!
  const tensor = inMemory('', [rows, channels], draw(foldIn(key(seed), place)))
  return { name, title, about, tensors: [tensor] }
}

/** z / sqrt((a^2 + b^2 + c^2) / 3), all standard normal. */
function studentT(stream: Key): Float32Array {
  const draws = normal(stream, 4 * values)
  return Float32Array.from({ length: values }, (_, i) => {
    const [z, a, b, c] = draws.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number]
    return z / Math.sqrt((a * a + b * b + c * c) / 3)
  })
}

function outliers(stream: Key): Float32Array {
  const drawn = normal(foldIn(stream, 0), values)
  const count = channels / channelsPerOutlier
  const places = uniform(foldIn(stream, 1), count)
  const factors = uniform(foldIn(stream, 2), count, { minval: 50, maxval: 100 })
  for (let k = 0; k < count; k++) {
    const channel = Math.floor((k + places[k]!) * channelsPerOutlier)
    for (let row = 0; row < rows; row++) drawn[row * channels + channel]! *= factors[k]!
  }
  return drawn
}
