import type { Torus } from './torus.js'

// Orders in which the devices of one or two hosts make a ring, as indices into lists of devices. By kind, because jax gives
// them by kind; v4 and v5p have none. Source: jax 0.10.2, mesh_utils; test/golden/planning/mesh_order_more.json holds them.
const ringOf4 = [0, 1, 3, 2]
const ringOf8 = [0, 1, 2, 3, 7, 6, 5, 4]
const ringOf4x4 = [0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4]
/** Four chips in a ring, the two devices of each together. */
const ringOfPairs = [0, 1, 2, 3, 6, 7, 4, 5]

/** The order that jax gives a small slice of some kinds, as indices into `devices`; undefined for all others. */
export function ringOrder(torus: Torus, shape: readonly number[]): number[] | undefined {
  switch (torus.kind) {
    case 'TPU v2':
    case 'TPU v3':
      return oldOrder(torus, shape)
    case 'TPU v5 lite':
    case 'TPU v6 lite':
      return liteOrder(torus, shape)
    case 'TPU7x':
      return pairedOrder(torus)
    default:
      return undefined
  }
}

/** v2, v3: rings of the eight devices of a host, where there is one or the last axis has eight; else as numbered. */
function oldOrder({ devices }: Torus, shape: readonly number[]): number[] {
  const rings = devices.length === 8 || shape.at(-1) === 8
  return devices.map((_, i) => (rings ? i - (i % 8) + ringOfPairs[i % 8]! : i))
}

/** v5e, v6e: rings of 2x2 and of eight chips; of 4x4 where one axis has them all. */
function liteOrder({ sides, devices }: Torus, shape: readonly number[]): number[] | undefined {
  const [x = 1, y = 1] = sides
  const ring =
    x === 2 && y === 2
      ? ringOf4
      : devices.length === 8
        ? ringOf8
        : x === 4 && y === 4 && Math.max(...shape) === 16
          ? ringOf4x4
          : undefined
  if (!ring) return undefined
  // The rings count x fastest, whatever the hosts.
  const byRows = devices
    .map((_, i) => i)
    .sort((a, b) => devices[a]![1] - devices[b]![1] || devices[a]![0] - devices[b]![0])
  return ring.map((i) => byRows[i]!)
}

/** tpu7x: one ring for each layer of 2x2 chips, up to four layers. */
function pairedOrder({ sides, devices }: Torus): number[] | undefined {
  const [x = 1, y = 1] = sides
  if (devices.length % 8 !== 0 || devices.length > 32 || x > 2 || y > 2) return undefined
  return devices.map((_, i) => i - (i % 8) + ringOfPairs[i % 8]!)
}
