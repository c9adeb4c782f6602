/** A pod of the published toolkits' tables, as printed there and as it really is. */
export interface ToolkitPod {
  readonly pod: string
  /** Chips by the toolkit's table, where it has the pod. */
  readonly claimedChips: number | null
  /** The mesh of its table. */
  readonly claimedMesh: readonly number[] | null
  /** What jax.devices() counts. */
  readonly devices: number
  /** Devices on the axis fsdp of the mesh that `createMesh` makes by default; the others are on data. */
  readonly fsdp: number
}

/**
 * The pods of the published tables with the number of devices that they have: names of v4 and v5p count TensorCores, two a
 * chip, so that the tables' meshes do not fit. fsdp of 4 is the four chips of a host: a 2x2 ring like any other.
 */
export const toolkitPods: readonly ToolkitPod[] = [
  { pod: 'v5p-8', claimedChips: 8, claimedMesh: [8, 1], devices: 4, fsdp: 1 },
  { pod: 'v5p-32', claimedChips: 32, claimedMesh: [8, 4], devices: 16, fsdp: 4 },
  { pod: 'v5p-128', claimedChips: 128, claimedMesh: null, devices: 64, fsdp: 4 },
  { pod: 'v5p-768', claimedChips: 768, claimedMesh: null, devices: 384, fsdp: 4 },
  { pod: 'v4-8', claimedChips: 4, claimedMesh: null, devices: 4, fsdp: 1 },
  { pod: 'v4-32', claimedChips: 32, claimedMesh: null, devices: 16, fsdp: 1 },
  { pod: 'v5e-8', claimedChips: 8, claimedMesh: [1, 8], devices: 8, fsdp: 1 },
  { pod: 'v5e-64', claimedChips: 64, claimedMesh: [64, 1], devices: 64, fsdp: 1 },
  { pod: 'v5e-256', claimedChips: 256, claimedMesh: null, devices: 256, fsdp: 1 },
  { pod: 'v6e-64', claimedChips: 64, claimedMesh: null, devices: 64, fsdp: 1 },
  { pod: 'v6e-256', claimedChips: 256, claimedMesh: null, devices: 256, fsdp: 1 },
]
