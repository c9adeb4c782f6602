import { type BlockOptions, dequantizeBlocks, quantizeBlocks } from 'tpu-toolkit/formats'
import { Chart } from '../../parts/chart.js'
import { Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import { fixed } from '../../parts/fixed.js'
import { state } from './numberState.js'

const schemes: readonly (readonly [string, BlockOptions, 'blue' | 'orange' | 'purple'])[] = [
  ['MXFP8', { element: 'float8_e4m3fn' }, 'blue'],
  ['MXFP4', { element: 'float4_e2m1fn' }, 'orange'],
  ['NVFP4', { element: 'float4_e2m1fn', scheme: 'nvfp4', blockSize: 16 }, 'purple'],
]

/** 32 values that share a scale, one of them drawn out: what that does to the others. */
export function Blocks() {
  const values = block(2 ** state.outlier.value)
  const results = schemes.map(([name, options, color]) => {
    const quantized = dequantizeBlocks(quantizeBlocks(values, options))
    return { name, color, quantized, ...lossOf(values, quantized) }
  })
  const places = values.map((_, i) => i)
  return (
    <section aria-labelledby="blocks">
      <h2 id="blocks">Blocks: one outlier among 32 values that share a scale</h2>
      <div class="controls">
        <Slider
          label="the outlier"
          value={state.outlier}
          min={0}
          max={12}
          step={0.1}
          said={(power) => `${(2 ** power).toPrecision(3)} times the largest of the others`}
        />
      </div>
      <Chart
        xTitle="place in the block"
        yTitle="value"
        yRange={[-1.1, 1.1]}
        height={210}
        says={`The values of a block and what three schemes make of them. ${results.map(({ name, zeros }) => `${name} makes ${zeros} of the 31 others 0.`).join(' ')}`}
        series={[
          { name: 'the values', color: 'grey', x: places, y: values },
          ...results.map(({ name, color, quantized }) => ({
            name,
            color,
            dashed: true,
            x: places,
            y: quantized,
          })),
        ]}
      >
        The others; the outlier, at place 7, is beyond the axis as soon as it is more than 1.1.
      </Chart>
      <DataTable
        name="What is lost"
        head={[
          'scheme',
          'bits a value',
          'others that became 0',
          'signal to noise of the others, dB',
          'the outlier becomes',
        ]}
        rows={results.map(({ name, zeros, decibels, quantized }) => [
          name,
          { MXFP8: '8.25', MXFP4: '4.25', NVFP4: '4.5' }[name] ?? '',
          String(zeros),
          fixed(decibels, 1),
          String(Number(quantized[outlierAt]!.toPrecision(5))),
        ])}
      />
    </section>
  )
}

const outlierAt = 7

/** A wave from -1 to 1 that repeats in no block, with the outlier at its place. */
function block(outlier: number): Float32Array {
  return Float32Array.from({ length: 32 }, (_, i) =>
    i === outlierAt ? outlier : Math.sin(0.7 * i + 0.3) * 0.98,
  )
}

function lossOf(values: Float32Array, quantized: Float32Array): { zeros: number; decibels: number } {
  let [signal, noise, zeros] = [0, 0, 0]
  for (const [i, value] of values.entries()) {
    if (i === outlierAt) continue
    signal += value ** 2
    noise += (value - quantized[i]!) ** 2
    if (quantized[i] === 0) zeros++
  }
  return { zeros, decibels: 10 * Math.log10(signal / noise) }
}
