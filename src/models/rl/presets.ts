/** Everything that is chosen about PPO, by the names of the published details. */
export interface PpoSettings {
  /** Environments stepped together. */
  readonly environments: number
  /** Steps of each between two updates. */
  readonly rollout: number
  readonly epochs: number
  /** Rows of a minibatch; the last of an epoch has what is left. */
  readonly minibatch: number
  /** Rows whose gradients are computed at once; their weighted sum is the minibatch's. Default: all. */
  readonly microBatch?: number
  readonly learningRate: number
  /** Whether the rate goes linearly to 0 over the updates. */
  readonly rateSchedule: 'constant' | 'linear'
  readonly clip: number
  /** Whether the clip does. */
  readonly clipSchedule: 'constant' | 'linear'
  readonly gamma: number
  readonly lambda: number
  readonly entropyCoefficient: number
  readonly valueCoefficient: number
  readonly valueLoss: 'half' | 'whole'
  readonly clipValue: boolean
  /** Advantages of each minibatch: divided by the deviation with n - 1 or n, or left. */
  readonly normalize: 'n-1' | 'n' | 'none'
  /** Whether the value of the state counts in which an episode was cut off. */
  readonly truncation: 'bootstrap' | 'end'
  readonly maxGradNorm: number
  /** Adam's. */
  readonly eps: number
}

/** Which of the known sets. */
export type PresetName = 'cleanrl' | 'sb3' | 'zoo-cartpole'

const shared = { normalize: 'n-1', maxGradNorm: 0.5, eps: 1e-5 } as const
/** The losses of Stable-Baselines3. */
const wholeLoss = { ...shared, valueLoss: 'whole', clipValue: false, truncation: 'bootstrap' } as const

/**
 * The three sets of settings that people start from: CleanRL's ppo.py (and PureJaxRL), Stable-Baselines3's defaults, and those
 * that rl-zoo has for CartPole-v1. Their "value coefficient 0.5" is twice as strong where the loss is the whole mean square.
 */
export const presets: Readonly<Record<PresetName, PpoSettings>> = {
  cleanrl: {
    ...{ environments: 4, rollout: 128, epochs: 4, minibatch: 128 },
    ...{ learningRate: 2.5e-4, rateSchedule: 'linear', clip: 0.2, clipSchedule: 'constant' },
    ...{ gamma: 0.99, lambda: 0.95, entropyCoefficient: 0.01, valueCoefficient: 0.5 },
    ...{ ...shared, valueLoss: 'half', clipValue: true, truncation: 'end' },
  },
  sb3: {
    ...{ environments: 1, rollout: 2048, epochs: 10, minibatch: 64 },
    ...{ learningRate: 3e-4, rateSchedule: 'constant', clip: 0.2, clipSchedule: 'constant' },
    ...{ gamma: 0.99, lambda: 0.95, entropyCoefficient: 0, valueCoefficient: 0.5 },
    ...wholeLoss,
  },
  'zoo-cartpole': {
    ...{ environments: 8, rollout: 32, epochs: 20, minibatch: 256 },
    ...{ learningRate: 1e-3, rateSchedule: 'linear', clip: 0.2, clipSchedule: 'linear' },
    ...{ gamma: 0.98, lambda: 0.8, entropyCoefficient: 0, valueCoefficient: 0.5 },
    ...wholeLoss,
  },
}
