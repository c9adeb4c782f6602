import { Arrow, Box, Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'

/** Python, the program that JAX makes of it, and the way back from the NaN to a line. */
function draw() {
  return (
    <>
      <Box x={6} y={12} width={92} height={36}>
        step.py
      </Box>
      <Arrow from={[100, 30]} to={[128, 30]} />
      <Box x={130} y={12} width={92} height={36}>
        step.mlir
      </Box>
      <Arrow from={[224, 30]} to={[252, 30]} />
      <Box x={254} y={12} width={100} height={36}>
        run here
      </Box>
      <Box x={6} y={88} width={92} color="red">
        ssm.py:14
      </Box>
      <Box x={130} y={88} width={92} color="orange">
        exponential
      </Box>
      <Box x={254} y={88} width={100} color="red">
        first NaN
      </Box>
      <Arrow from={[304, 50]} to={[304, 84]} color="red" />
      <Arrow from={[252, 103]} to={[226, 103]} color="red" />
      <Arrow from={[128, 103]} to={[102, 103]} color="red" />
      <Words x={180} y={142}>
        every operation has its line of source
      </Words>
    </>
  )
}

export const jaxOpening: Opening = {
  question: 'Which line of my Python loses the bits, or makes the NaN?',
  draw,
  says: 'JAX lowers a step to a program of operations; it is run here, and the first value that is not finite is followed back to its operation and the line of Python that wrote it.',
  formula: 'jax.jit(step).lower(*args).as_text(debug_info=True)',
  symbols: [
    [
      '.mlir',
      'the program as StableHLO, which XLA compiles: one operation a line, with the place in the source',
    ],
    ['.safetensors', 'its inputs; without them they are drawn at random'],
    [
      'carried',
      'results that are the inputs of the next step, so that the program is run as training runs it',
    ],
    [
      'bits',
      'how many of the significant bits of the dtype are right, against the same program without rounding',
    ],
  ],
  experiments: [
    {
      name: 'A layer that becomes NaN',
      watch:
        'The verdict names the line of the first value that is not finite, and the table below the lines that lose the bits.',
      values: { example: 'ssm', steps: '20' },
    },
    {
      name: 'The same, one step',
      watch: 'With a single step every result is finite: the NaN needs the state that earlier steps make.',
      values: { example: 'ssm', steps: '1' },
    },
    {
      name: 'A transformer step',
      watch:
        'No NaN here; the table ranks the lines by how many bits each would gain if it alone were not rounded.',
      values: { example: 'transformer', steps: '1' },
    },
  ],
  prediction: {
    asks: 'A running sum s goes through exp(s) and exp(-s) on its way to the loss, in bfloat16. Where is the first value that is not finite?',
    answers: ['in the running sum', 'in an exponential', 'in the loss'],
    right: 1,
    because:
      's reaches 90, which is finite. exp passes the largest bfloat16 number at 88.72, so the first is its Inf, in ssm.py:14; the loss is NaN later, from Inf times 0.',
    values: { example: 'ssm', steps: '20' },
  },
  guide: 'A step written in JAX',
}
