import { Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import { Failed } from '../../parts/failed.js'
import type { Drawn, Planned, ShownSlice } from './planMessages.js'
import { state } from './planState.js'

const side = 34
const mostChips = 1024

/** Where the parts of a parameter are on the torus, and where all parameters go. */
export function Torus({ plan, slice }: { readonly plan: Planned; readonly slice: ShownSlice }) {
  const { sharding, drawn } = plan
  if (typeof sharding === 'string') return <Failed what="The parameters do not go so" why={sharding} />
  return (
    <>
      <div class="controls">
        <label class="field">
          parameter
          <select
            value={typeof drawn === 'string' ? state.parameter.value : drawn.parameter}
            onChange={({ currentTarget }) => {
              state.parameter.value = currentTarget.value
            }}
          >
            {sharding.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {typeof drawn === 'string' ? (
        <Failed what="The mesh does not lie on the torus" why={drawn} />
      ) : (
        <Chips drawn={drawn} slice={slice} />
      )}
      <DataTable
        name="Each parameter, split over the ways named"
        head={['parameter', 'shape', 'split over', 'on each device', 'replicas', 'note']}
        rows={sharding.map(({ name, shape, spec, shardShape, replicas, notes }) => [
          name,
          shape.join(' x '),
          spec.map(entryText).join(', '),
          shardShape.join(' x '),
          replicas,
          notes.join('; '),
        ])}
        marked={(row) => typeof drawn !== 'string' && sharding[row]?.name === drawn.parameter}
      />
    </>
  )
}

const entryText = (entry: string | readonly string[] | null): string =>
  entry === null ? '-' : typeof entry === 'string' ? entry : entry.join('+')

function Chips({ drawn, slice }: { readonly drawn: Drawn; readonly slice: ShownSlice }) {
  const { coordinates, slices, parts, shape, axisNames, meshShape } = drawn
  const [x = 1, y = 1, z = 1] = slice.topology
  const layers = Math.max(1, Math.min(z, Math.floor(mostChips / (x * y))))
  const cores = slice.devices / slice.chips
  const device = Math.min(state.device.value, slices.length - 1)
  const count = 1 + Math.max(...parts)
  const alike = parts.filter((part) => part === parts[device]).length
  const held = slices[device]!.map(([start, stop]) => `${start} to ${stop - 1}`).join(', ')
  const [cx, cy, cz, core] = coordinates[device]!
  const layerWidth = x * side + 24
  const perRow = Math.max(1, Math.min(layers, Math.floor(1060 / layerWidth)))
  const [width, height] = [perRow * layerWidth, Math.ceil(layers / perRow) * (y * side + 34)]
  const rings = slice.wrap.map((closes, i) => (closes ? 'xyz'[i]! : '')).filter((name) => name !== '')
  const says = `Device ${device} is ${cores > 1 ? `core ${core} of ` : ''}the chip at (${[cx, cy, cz].slice(0, slice.topology.length).join(', ')}); of ${drawn.parameter}, ${shape.join(' x ')}, it holds ${held || 'all'}; ${alike === 1 ? 'no other device holds that part' : `${alike} devices hold that part`}.`
  return (
    <figure>
      <Slider
        label="device"
        value={state.device}
        min={0}
        max={slices.length - 1}
        said={() => String(device)}
      />
      <p role="status">{says}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section class="scroll" tabIndex={0} aria-label="The chips of the slice">
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the slider above reaches every device by the keyboard */}
        <svg
          class="chips"
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label={`The torus of ${slice.name}, ${slice.topology.join(' x ')}. ${says}`}
          onClick={({ target }) => {
            const pressed = target instanceof Element ? target.getAttribute('data-device') : null
            if (pressed !== null) state.device.value = Number(pressed)
          }}
        >
          {Array.from({ length: layers }, (_, layer) => (
            <text
              key={layer}
              x={(layer % perRow) * layerWidth}
              y={Math.floor(layer / perRow) * (y * side + 34) + 14}
              fill="var(--soft)"
              font-size="13"
            >
              {slice.topology.length > 2 ? `z = ${layer}` : ''}
            </text>
          ))}
          {coordinates.map(([i, j, k, c], number) => {
            if (k >= layers) return null
            const left = (k % perRow) * layerWidth + i * side + (c * side) / cores
            const top = Math.floor(k / perRow) * (y * side + 34) + 20 + j * side
            const chosen = parts[number] === parts[device]
            return (
              <g key={number}>
                <rect
                  x={left + 1}
                  y={top + 1}
                  width={side / cores - 2}
                  height={side - 2}
                  rx="3"
                  fill={`hsl(${Math.round((parts[number]! / count) * 320)} 62% ${parts[number]! % 2 === 0 ? 78 : 86}%)`}
                  stroke={chosen ? 'var(--ink)' : 'none'}
                  stroke-width={number === device ? 4 : 2}
                  data-device={number}
                />
                {cores === 1 && (
                  <text
                    x={left + side / 2}
                    y={top + side / 2 + 4}
                    text-anchor="middle"
                    font-size="11"
                    fill="#1d2127"
                    pointer-events="none"
                  >
                    {number}
                  </text>
                )}
              </g>
            )
          })}
        </svg>
      </section>
      <figcaption>
        One colour for each of the {count} part{count === 1 ? '' : 's'}; framed are the devices that hold what
        the chosen one holds. The mesh is {axisNames.map((name, i) => `${name} ${meshShape[i]}`).join(' x ')},
        in the order of the torus.{' '}
        {rings.length === 0 ? 'No axis closes to a ring.' : `Closed to rings: ${rings.join(', ')}.`}
        {layers < z ? ` Drawn are ${layers} of ${z} layers.` : ''}
      </figcaption>
    </figure>
  )
}
