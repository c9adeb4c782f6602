import type { Slice } from '../hardware/index.js'
import type { Coordinates } from './mesh.js'

/** The devices of a slice, and the torus they are on. */
export interface Torus {
  /** What libtpu calls the devices: some kinds have orders of their own. */
  readonly kind: string
  /** The sides along which devices may be grouped. */
  readonly sides: readonly number[]
  /** Which coordinate each side is about: 0 to 2 for x, y, z, and 3 for the device within the chip. */
  readonly about: readonly number[]
  /** The devices in the order of their numbers. */
  readonly devices: readonly Coordinates[]
}

/**
 * The devices of a slice as libtpu numbers them: hosts by z, y, x, and within each z, y, x, device. v2 and v3 show two devices
 * a chip and have them as a side in the place of z, tpu7x beside z.
 *
 * Source    jax.devices() of libtpu 0.0.51 (process-tiled z, y, x, core); jax 0.10.2, mesh_utils
 */
export function torusOf({ chip, topology, chipsPerHost }: Slice): Torus {
  const [x = 1, y = 1, z = 1] = topology
  const cores = chip.jaxDevices
  const [wide, high] = chipsPerHost === 8 ? [2, 4] : chipsPerHost === 1 ? [1, 1] : [2, 2]
  const [hostX, hostY] = [Math.min(wide, x), Math.min(high, y)]
  const devices: Coordinates[] = []
  for (let k = 0; k < z; k++) {
    for (let hostJ = 0; hostJ < y; hostJ += hostY) {
      for (let hostI = 0; hostI < x; hostI += hostX) {
        for (let j = hostJ; j < hostJ + hostY; j++) {
          for (let i = hostI; i < hostI + hostX; i++) {
            for (let core = 0; core < cores; core++) devices.push([i, j, k, core])
          }
        }
      }
    }
  }
  const about = cores === 1 ? [0, 1, 2] : topology.length === 2 ? [0, 1, 3] : [0, 1, 2, 3]
  return { kind: chip.deviceKind, sides: about.map((i) => [x, y, z, cores][i]!), about, devices }
}
