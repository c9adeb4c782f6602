import type { Policy } from 'tpu-toolkit/nn'
import type { PpoPrecision, PpoSettings } from 'tpu-toolkit/rl'

/** One place after the other at which PPO rounds. */
export interface Switch {
  readonly name: string
  /** What is rounded, in words. */
  readonly what: string
  /** Of the network, in rollouts and updates. */
  readonly policy?: Policy
  /** Of the network in rollouts alone. */
  readonly rollout?: Policy
  readonly precision?: PpoPrecision
  readonly settings?: Partial<PpoSettings>
}

const compute = 'bfloat16'

/** The switches of the table, named as in test/golden/rl/learning.json. */
export const switches: readonly Switch[] = [
  { name: 'f32', what: 'nothing: float32' },
  { name: 'bf16-net', what: 'networks in bfloat16; parameters, Adam and loss float32', policy: { compute } },
  {
    name: 'f16-net',
    what: 'networks in float16; parameters, Adam and loss float32',
    policy: { compute: 'float16' },
  },
  { name: 'bf16-logp', what: 'log-probabilities', precision: { logProbs: 'bfloat16' } },
  { name: 'bf16-loss', what: 'logits, values and the loss', precision: { loss: 'bfloat16' } },
  { name: 'bf16-obs', what: 'observations', precision: { observations: 'bfloat16' } },
  { name: 'bf16-rollout', what: 'the network in rollouts alone', rollout: { compute } },
  { name: 'bf16-gae', what: 'rewards, values and advantages', precision: { gae: 'bfloat16' } },
  {
    name: 'bf16-net-bf16-loss',
    what: 'networks and loss',
    policy: { compute },
    precision: { loss: 'bfloat16' },
  },
  { name: 'bf16-params', what: 'networks, parameters and Adam', policy: { params: 'bfloat16' } },
  {
    name: 'bf16-everything',
    what: 'everything: networks, parameters, Adam, loss, advantages',
    policy: { params: 'bfloat16' },
    precision: { loss: 'bfloat16', gae: 'bfloat16' },
  },
  {
    name: 'f32-no-bootstrap',
    what: 'nothing, but truncation counted as an end',
    settings: { truncation: 'end' },
  },
]
