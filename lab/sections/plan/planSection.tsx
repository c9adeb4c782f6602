import { chipNames, topologies } from 'tpu-toolkit/hardware'
import { modelNames } from 'tpu-toolkit/model'
import { answered } from '../../parts/answered.js'
import { Choice, NumberField } from '../../parts/controls.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import { Tabs } from '../../parts/tabs.js'
import { Flags } from './flagsView.js'
import { planCode, rooflineCode, shardingCode } from './planCode.js'
import type { PlanAnswer, PlanAsked } from './planMessages.js'
import { askedOf, planTabNames, remats, state, topologyOf } from './planState.js'
import { PlanTables, planVerdict } from './planTables.js'
import { Roofline } from './rooflineView.js'
import { Systolic } from './systolicView.js'
import { Torus } from './torus.js'

const { answer, failure, useQuestion } = answered<PlanAsked, PlanAnswer>('plan')

/** A model on a slice before it is rented: memory, sharding, roofline, the matrix unit, flags. */
export function PlanSection() {
  useQuestion(askedOf)
  const told = answer.value
  const plan = told?.plan
  return (
    <>
      <Controls />
      <p id="plan-answer" class="said" role="status">
        {told ? planVerdict(told) : 'Being computed.'}
      </p>
      {failure.value !== '' && <Failed what="The plan failed" why={failure.value} />}
      {typeof plan === 'string' && <Failed what="Not so" why={plan} />}
      <Tabs id="plan-tabs" name="Parts of the plan" value={state.tab} names={planTabNames} said={tabTitles}>
        <Tab answer={told} />
      </Tabs>
    </>
  )
}

const tabTitles = {
  memory: 'Memory and time',
  torus: 'Parameters on the torus',
  operations: 'What bounds each operation',
  unit: 'A matrix unit, cycle by cycle',
  flags: 'Flags',
} as const

/** The part whose tab is chosen. */
function Tab({ answer: told }: { readonly answer: PlanAnswer | undefined }) {
  const plan = typeof told?.plan === 'string' ? undefined : told?.plan
  switch (state.tab.value) {
    case 'memory':
      return (
        plan && (
          <>
            <PlanTables plan={plan} />
            <ShowCode code={planCode(askedOf())} />
          </>
        )
      )
    case 'torus':
      return (
        told &&
        plan && (
          <>
            <Torus plan={plan} slice={told.slice} />
            {typeof plan.drawn !== 'string' && (
              <ShowCode
                code={shardingCode(
                  askedOf(),
                  Object.fromEntries(plan.drawn.axisNames.map((name, i) => [name, drawnSide(plan.drawn, i)])),
                )}
              />
            )}
          </>
        )
      )
    case 'operations':
      return <Operations told={told?.roofline} />
    case 'unit':
      return <Systolic />
    case 'flags':
      return <Flags />
  }
}

/** What bounds each operation on one chip. */
function Operations({ told }: { readonly told: PlanAnswer['roofline'] | undefined }) {
  const most = 2 ** 20
  return (
    <>
      <div class="controls">
        <NumberField label="sequences on the chip" value={state.rows} min={1} max={most} step={1} />
        <NumberField label="tokens of each, 1 to decode" value={state.tokens} min={1} max={most} step={1} />
        <NumberField
          label="tokens attended to, 0: the sequence"
          value={state.context}
          min={0}
          max={most}
          step={1}
        />
        <Choice
          label="passes"
          value={state.pass}
          names={['both', 'forward']}
          said={{ both: 'forward and backward' }}
        />
      </div>
      {typeof told === 'string' && <Failed what="Not so" why={told} />}
      {told !== undefined && typeof told !== 'string' && (
        <>
          <Roofline {...told} />
          <ShowCode code={rooflineCode(askedOf())} />
        </>
      )}
    </>
  )
}

const drawnSide = (drawn: Exclude<PlanAnswer['plan'], string>['drawn'], i: number): number =>
  typeof drawn === 'string' ? 1 : drawn.meshShape[i]!

function Controls() {
  const { chip, topology, model } = state
  const most = 2 ** 20
  const chosen = topologyOf(chip.value, topology.value).join('x')
  return (
    <>
      <div class="controls">
        <Choice
          label="model"
          value={model}
          names={[...modelNames, 'own']}
          said={{ own: 'a decoder of your own' }}
        />
        <Choice label="chips" value={chip} names={chipNames} />
        <label class="field">
          slice
          <select
            value={chosen}
            onChange={({ currentTarget }) => {
              topology.value = currentTarget.value
            }}
          >
            {topologies(chip.value).map((shape) => (
              <option key={shape.join('x')} value={shape.join('x')}>
                {`${shape.reduce((product, side) => product * side, 1)} chips, ${shape.join('x')}`}
              </option>
            ))}
          </select>
        </label>
        <NumberField label="sequence" value={state.sequence} min={1} max={most} step={1} />
        <NumberField label="batch, 0: the largest" value={state.batch} min={0} max={most} step={1} />
      </div>
      {model.value === 'own' && (
        <fieldset class="controls">
          <legend>Decoder</legend>
          <NumberField label="D: width" value={state.D} min={1} max={most} step={1} />
          <NumberField label="F: inside the MLP" value={state.F} min={1} max={most} step={1} />
          <NumberField label="L: layers" value={state.L} min={1} max={10_000} step={1} />
          <NumberField label="N: heads" value={state.N} min={1} max={most} step={1} />
          <NumberField label="V: vocabulary" value={state.V} min={1} max={1e7} step={1} />
        </fieldset>
      )}
      <div class="controls">
        <NumberField label="ways that copy (data)" value={state.data} min={1} max={most} step={1} />
        <NumberField label="tensor ways" value={state.tensor} min={1} max={most} step={1} />
        <NumberField label="expert ways" value={state.expert} min={1} max={most} step={1} />
        <Choice label="parameters in" value={state.params} names={['bfloat16', 'float32']} />
        <Choice label="kept for the backward pass" value={state.remat} names={remats} />
      </div>
      <p>fsdp takes the ways that are left.</p>
    </>
  )
}
