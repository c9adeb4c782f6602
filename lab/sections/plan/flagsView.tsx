import type { Signal } from '@preact/signals'
import { useSignal } from '@preact/signals'
import { explainFlags, flagLevels, lintFlags, xlaFlags } from 'tpu-toolkit/xla'
import { Check, Choice } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import { ShowCode } from '../../parts/showCode.js'
import { flagsCode } from './planCode.js'
import { state } from './planState.js'
import { Text } from './planTables.js'

/** The flags for the generation, what each does, and what is wrong with those of the reader. */
export function Flags() {
  const { chip, level, experts, wideSums, libtpu, xla } = state
  const hardware = chip.value
  const environment = xlaFlags({
    ...{ hardware, level: level.value, mixtureOfExperts: experts.value },
    reductions: wideSums.value ? 'float32' : 'default',
  })
  const flags = explainFlags({ ...environment })
  const own = { LIBTPU_INIT_ARGS: libtpu.value, XLA_FLAGS: xla.value }
  const findings = lintFlags(own, { hardware })
  return (
    <>
      <div class="controls">
        <Choice label="how many" value={level} names={flagLevels} />
        <Check label="a mixture of experts" value={experts} />
        <Check label="bfloat16 gradients are summed in float32" value={wideSums} />
      </div>
      <Exports environment={Object.entries(environment).map(([name, value]) => [name, String(value)])} />
      <DataTable
        name="What each flag does"
        head={['variable', 'name', 'value', 'what it does']}
        rows={flags.map(({ variable, name, value, text }) => [
          variable,
          name,
          value,
          <Text key="text" text={text} />,
        ])}
      />
      <h3>Flags of your own</h3>
      <div class="controls">
        <Words label="LIBTPU_INIT_ARGS" value={libtpu} />
        <Words label="XLA_FLAGS" value={xla} />
      </div>
      <p class="said" role="status">
        {findings.length === 0
          ? 'Nothing is wrong with them.'
          : `${findings.length} of them ${findings.length === 1 ? 'is' : 'are'} wrong; ${findings.filter(({ effect }) => effect === 'ends the process').length} would end the process.`}
      </p>
      {findings.length > 0 && (
        <DataTable
          name="What is wrong with them"
          head={['variable', 'set', 'effect', 'why', 'instead']}
          rows={findings.map(({ variable, text, effect, message, instead }) => [
            variable,
            text,
            effect,
            <Text key="why" text={message} />,
            instead ?? '',
          ])}
        />
      )}
      <ShowCode
        code={flagsCode({ hardware, level: level.value, experts: experts.value, wide: wideSums.value, own })}
      />
    </>
  )
}

function Words({ label, value }: { readonly label: string; readonly value: Signal<string> }) {
  return (
    <label class="field wide">
      {label}
      <textarea
        value={value.value}
        spellcheck={false}
        onInput={({ currentTarget }) => {
          value.value = currentTarget.value
        }}
      />
    </label>
  )
}

/** The variables as a shell exports them. */
function Exports({ environment }: { readonly environment: readonly (readonly [string, string])[] }) {
  const said = useSignal('')
  const lines =
    environment.length === 0
      ? '# nothing to set'
      : environment.map(([name, value]) => `export ${name}='${value.replace(/'/g, "'\\''")}'`).join('\n')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(lines)
      said.value = 'Copied.'
    } catch {
      said.value = 'The browser does not allow it: select the text.'
    }
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <pre class="text" tabIndex={0}>
        <code>{lines}</code>
      </pre>
      <div class="controls">
        <button type="button" onClick={copy}>
          Copy the variables
        </button>
        <span role="status">{said}</span>
      </div>
    </>
  )
}
