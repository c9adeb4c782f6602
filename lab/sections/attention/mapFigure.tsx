import type { ComponentChild } from 'preact'
import { kernelCost } from 'tpu-toolkit/kernels'
import { percentText } from '#text'
import { answered } from '../../parts/answered.js'
import { Chart } from '../../parts/chart.js'
import { Check, Choice, Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import type { MapAnswer, MapAsked } from './attentionMessages.js'
import { type MaskName, maskNames, state } from './attentionState.js'
import { BlockPicture } from './blockPicture.js'
import { maskChoice, mayBeCausal } from './maskChoice.js'

const { answer, failure, useQuestion } = answered<MapAsked, MapAnswer>('attention')

/** A mask in blocks: which are skipped, which computed, and what that saves. */
export function MapFigure() {
  useQuestion(question)
  const shown = answer.value
  return (
    <section aria-labelledby="blocks-of-masks">
      <h2 id="blocks-of-masks">A mask in blocks</h2>
      <div class="controls">
        <Choice label="mask" value={state.mask} names={maskNames} />
        {options[state.mask.value].map((option) => option())}
        {mayBeCausal() && <Check label="and causal" value={state.causal} />}
      </div>
      <div class="controls">
        <Slider label="tokens" value={state.tokens} min={64} max={2048} step={64} said={grouped} />
        <Slider label="rows of a block" value={state.powerQ} min={3} max={9} said={power} />
        <Slider label="columns of a block" value={state.powerK} min={3} max={9} said={power} />
      </div>
      {failure.value !== '' && <Failed what="No such mask" why={failure.value} />}
      {shown ? <Shown shown={shown} /> : <p class="said">Looking at every block …</p>}
      <ShowCode code={program()} />
    </section>
  )
}

function question(): MapAsked | Error {
  const { tokens, powerQ, powerK } = state
  try {
    return {
      kind: 'map',
      ...{ mask: maskChoice(tokens.value).mask, tokens: tokens.value },
      ...{ blockQ: 2 ** powerQ.value, blockK: 2 ** powerK.value },
    }
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown))
  }
}

function Shown({ shown }: { readonly shown: MapAnswer }) {
  const { map, sizes } = shown
  const all = map.rows * map.columns
  const sentence = `${grouped(map.skipped)} of ${grouped(all)} blocks are skipped: ${percentText(map.saved)} of the pairs are not computed. Of those that are, ${percentText(map.wasted)} are masked.`
  const pairs = map.tq * map.tk
  const sizesOf = { heads: 1, tq: map.tq, tk: map.tk, d: 64, blockQ: map.blockQ, blockK: map.blockK }
  const tiled = kernelCost('attention', { ...sizesOf, blocks: map.partial + map.full })
  const whole = kernelCost('attention', sizesOf)
  return (
    <>
      <p class="said" role="status">
        {sentence}
      </p>
      <div class="two">
        <BlockPicture shown={shown} says={sentence} />
        <div>
          <DataTable
            name="The blocks"
            head={['of a head', 'this mask', 'every pair']}
            rows={[
              ['blocks computed', grouped(map.partial + map.full), grouped(all)],
              ['masks to keep, unlike partial blocks', grouped(map.distinctPartial), '0'],
              ['most blocks in a row, the grid', grouped(map.steps), grouped(map.columns)],
              ['pairs that attend', grouped(map.allowed), grouped(pairs)],
              ['pairs computed', grouped(map.computed), grouped(pairs)],
              ['MFLOP, heads of 64', mega(tiled.flops), mega(whole.flops)],
              ['kB of HBM, tile by tile', kilo(tiled.bytesTiled), kilo(whole.bytesTiled)],
            ]}
          />
          <Chart
            {...{ xTitle: 'rows and columns of a block', yTitle: '% of all pairs', logX: true, height: 220 }}
            yRange={[0, 100]}
            xTicks={sizes.map(({ size }) => size)}
            says={`The share of the pairs that is computed, by the size of square blocks: ${sizes.map(({ size, computed }) => `${size}: ${percentText(computed)}`).join(', ')}.`}
            series={[
              {
                ...{ name: 'computed', color: 'orange', x: sizes.map(({ size }) => size) },
                y: sizes.map(({ computed }) => 100 * computed),
              },
              {
                ...{ name: 'attending', color: 'blue', dashed: true, x: sizes.map(({ size }) => size) },
                y: sizes.map(() => (100 * map.allowed) / pairs),
              },
            ]}
          >
            Square blocks of other sizes. Small ones follow the mask, large ones fill a matrix unit.
          </Chart>
        </div>
      </div>
    </>
  )
}

const left = () => <Slider label="keys before" value={state.left} min={0} max={1023} said={grouped} />
const right = () => <Slider label="keys behind" value={state.right} min={0} max={1023} said={grouped} />
const stride = (label: string) => () => <Slider label={label} value={state.stride} min={1} max={512} />

/** The options of each mask. */
const options: Readonly<Record<MaskName, readonly (() => ComponentChild)[]>> = {
  full: [],
  causal: [],
  window: [left, right],
  chunked: [() => <Slider label="tokens of a chunk" value={state.size} min={1} max={1024} said={grouped} />],
  prefix: [
    () => <Slider label="tokens that all see" value={state.prefix} min={0} max={1024} said={grouped} />,
  ],
  segments: [
    () => (
      <label class="field">
        documents, as shares
        <input
          type="text"
          spellcheck={false}
          value={state.documents.value}
          onInput={({ currentTarget }) => {
            state.documents.value = currentTarget.value
          }}
        />
      </label>
    ),
  ],
  strided: [stride('every so many keys')],
  fixed: [
    stride('tokens of a chunk'),
    () => <Slider label="of those before, the last" value={state.summary} min={0} max={64} />,
  ],
  dilated: [
    () => <Slider label="keys to each side" value={state.reach} min={0} max={64} />,
    stride('so far apart'),
  ],
  longformer: [
    left,
    right,
    () => <Slider label="tokens that see all" value={state.count} min={0} max={512} />,
  ],
}

function program(): string {
  const { tokens, powerQ, powerK } = state
  let code = ''
  try {
    code = maskChoice(tokens.value).code
  } catch {
    code = 'fullMask()'
  }
  const names = [...new Set([...code.matchAll(/([a-zA-Z]+)\(/g)].map(([, name]) => name!)), 'blockMap'].sort()
  return `import { ${names.join(', ')} } from 'tpu-toolkit/kernels'

const mask = ${code}
const map = blockMap(mask, { tq: ${tokens.value}, tk: ${tokens.value}, blockQ: ${2 ** powerQ.value}, blockK: ${2 ** powerK.value} })
console.log(map.skipped, 'skipped', map.partial, 'partial', map.full, 'full')
console.log((100 * map.saved).toFixed(1), '% saved', (100 * map.wasted).toFixed(1), '% of the rest masked')
if (map.columns <= 64) {
  for (let row = 0; row < map.rows; row++) {
    const kinds = map.blocks.subarray(row * map.columns, (row + 1) * map.columns)
    console.log([...kinds].map((kind) => '.+#'[kind]).join(''))
  }
}
`
}

const grouped = (count: number): string => count.toLocaleString('en')
const power = (exponent: number): string => String(2 ** exponent)
const mega = (count: number): string => (count / 1e6).toFixed(1)
const kilo = (count: number): string => grouped(Math.round(count / 1e3))
