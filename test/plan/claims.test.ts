import { chip, slice } from 'tpu-toolkit/hardware'
import { parameterCount } from 'tpu-toolkit/model'
import { claims } from 'tpu-toolkit/plan'
import { describe, expect, it } from 'vitest'

const all = claims()
const about = (name: string) => all.filter((one) => one.about === name)

describe('claims', () => {
  it('has the verdicts that the facts with sources have', () => {
    const verdicts = Object.fromEntries(
      all.map(({ about: name, published, verdict }) => [`${name}: ${published}`, verdict]),
    )
    expect(verdicts).toMatchObject({
      'slice v5e-64: 64 chips of 16 GB, 12,600 TFLOPS, int8 25,200': 'holds',
      'slice v4-32: 32 chips of 16 GB, 2,200 TFLOPS, int8 4,400': 'does not hold',
      'slice v6e-256: 256 chips of 32 GB, 84,000 TFLOPS, int8 168,000': 'does not hold',
      'v5e: 40 % more efficient than v4': 'cannot be checked',
      '1B parameters on v4-8: 125,000 tokens a second, 850 TFLOPS, 77 %': 'cannot be checked',
      '1B parameters on v6e-64: 1,800,000 tokens a second, 15,000 TFLOPS, 88 %': 'does not hold',
      'memory of 2.7B, bfloat16: weights 10.8 GB, activations 14, in all 24.8': 'does not hold',
      'checkpoint_every_n_layers=2: memory -50 %, compute +20 %': 'does not hold',
      'VQ of 8 bits on v6e: MatMul 3.3x, attention 3.1x, MLP 3.0x, inference 3.0x': 'does not hold',
      'flash attention: O(1) memory': 'does not hold',
      'HBM of v5p: 2.8 TB/s': 'holds',
      'HBM of v5p: 2.5 TB/s': 'does not hold',
      'peak of v6e: 920 TFLOP/s': 'holds',
    })
  })

  it('names what differs, and the figure that is right', () => {
    expect(about('slice v4-8')[0]).toMatchObject({
      computed: '4 chips of 32 GiB, 1,100 TFLOP/s, int8 1,100',
      why: 'not memory, bfloat16, int8',
    })
    const { chips } = slice('v6e-64')
    const peak = (chips * chip('v6e').bfloat16FlopsPerSecond) / 1e12
    expect(about('1B parameters on v6e-64')[0]?.computed).toContain(
      `15,000 are ${((100 * 15000) / peak).toFixed(0)} % of 58,752`,
    )
    expect(about('checkpoint_every_n_layers=2')[0]?.computed).toContain('compute +33.3 %')
    expect(about('flash attention')[0]?.computed).toContain(`${(32768 * 260).toLocaleString('en')} at 32768`)
  })

  it('computes throughput on a model of 1e9 parameters', () => {
    const count = parameterCount({ family: 'gpt2', D: 2048, L: 19, V: 32000, T: 2048 })
    expect(Math.abs(count - 1e9)).toBeLessThan(0.05e9)
    // 6 N a token, and attention on top: 6 x 1.02e9 x 125e3 is 768 TFLOP/s.
    const [, least, most] =
      /are (\d+) to (\d+) TFLOP/.exec(about('1B parameters on v4-8')[0]?.computed ?? '') ?? []
    expect(Number(least)).toBeGreaterThan(768)
    expect(Number(most)).toBeGreaterThan(Number(least))
  })
})
