import { bytesText, percentText, readable, secondsText } from '#text'
import { DataTable } from '../../parts/dataTable.js'
import { Failed } from '../../parts/failed.js'
import type { PlanAnswer, Planned } from './planMessages.js'

/** What the plan says, in a sentence. */
export function planVerdict({ slice, plan }: PlanAnswer): string {
  if (typeof plan === 'string') return `There is no such plan on ${slice.name}.`
  const { memory, step, batch, largest } = plan
  const fits = largest ? 'is the largest that fits' : memory.fits ? 'fits' : 'does not fit'
  const estimate =
    step.estimateSeconds === null
      ? `at least ${secondsText(step.lowerBoundSeconds)}`
      : `about ${secondsText(step.estimateSeconds)}`
  return `Batch ${batch} ${fits} on ${slice.name} (${slice.chips} chips): ${bytesText(memory.bytesPerDevice)} of ${bytesText(memory.usableBytesPerDevice)} on each device; a step takes ${estimate}, bound by ${step.boundBy}.`
}

/** Memory by part, the terms of a step, and what the rules say. */
export function PlanTables({ plan }: { readonly plan: Planned }) {
  const { memory, step, parameters, findings, tokensPerChip, criticalTokensPerChip } = plan
  const parts = Object.entries(memory.perDevice).filter(([, bytes]) => bytes > 0)
  const usable = memory.usableBytesPerDevice
  const ways = Object.entries(memory.split)
    .filter(([, count]) => count > 1)
    .map(([name, count]) => `${name} ${count}`)
  const terms = Object.entries(step.seconds).filter(([, seconds]) => seconds > 0)
  const longest = Math.max(...terms.map(([, seconds]) => seconds))
  return (
    <>
      <h2>Memory and time</h2>
      <p>
        {readable(parameters.total)} parameters
        {parameters.active < parameters.total ? `, ${readable(parameters.active)} of them active` : ''}; split
        over {ways.length === 0 ? 'nothing' : ways.join(', ')}.
      </p>
      <div class="two">
        <div>
          <h3>Memory of each device</h3>
          <DataTable
            name="Memory of each device"
            head={['what', 'bytes', 'share', 'of what programs may use']}
            rows={[
              ...parts.map(([what, bytes]) => [
                what,
                bytesText(bytes),
                percentText(bytes / usable),
                <Bar key={what} share={bytes / usable} color="blue" />,
              ]),
              [
                'in all',
                bytesText(memory.bytesPerDevice),
                percentText(memory.bytesPerDevice / usable),
                <Bar
                  key="all"
                  share={memory.bytesPerDevice / usable}
                  color={memory.fits ? 'green' : 'red'}
                />,
              ],
            ]}
          />
        </div>
        <div>
          <h3>A step</h3>
          <DataTable
            name="A step"
            head={['what', 'time', 'at peak rates']}
            rows={[
              ...terms.map(([what, seconds]) => [
                what === step.boundBy ? `${what} (bounds it)` : what,
                secondsText(seconds),
                <Bar
                  key={what}
                  share={seconds / longest}
                  color={what === step.boundBy ? 'orange' : 'blue'}
                />,
              ]),
              ['lower bound', secondsText(step.lowerBoundSeconds), 'whatever split and overlap'],
              [
                'estimate',
                step.estimateSeconds === null ? '—' : secondsText(step.estimateSeconds),
                step.mfu === null ? 'nothing measured to fit on' : `${percentText(step.mfu)} of the peak`,
              ],
              [
                'tokens a second',
                step.tokensPerSecond === null ? '—' : readable(Math.round(step.tokensPerSecond)),
                <Text
                  key="note"
                  text={`${readable(tokensPerChip)} a step on each chip; from ${criticalTokensPerChip.toFixed(0)} on products are bound by compute`}
                />,
              ],
            ]}
          />
        </div>
      </div>
      <Findings findings={findings} />
      <details>
        <summary>What was assumed</summary>
        <ul>
          {[...memory.assumptions, ...step.assumptions].map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      </details>
    </>
  )
}

function Findings({ findings }: { readonly findings: Planned['findings'] }) {
  if (typeof findings === 'string') return <Failed what="The rules cannot be asked" why={findings} />
  if (findings.length === 0) return <p>No rule of the toolkits is broken.</p>
  return (
    <>
      <h3>Rules that it breaks</h3>
      <DataTable
        name="Rules that it breaks"
        head={['rule', 'severity', 'what', 'evidence', 'remedy']}
        rows={findings.map(({ rule, severity, what, evidence, remedy }) => [
          rule,
          severity,
          <Text key="what" text={what} />,
          <Text key="evidence" text={evidence} />,
          <Text key="remedy" text={remedy} />,
        ])}
      />
    </>
  )
}

/** A sentence in a cell, which may break into lines. */
export function Text({ text }: { readonly text: string }) {
  return <span class="sentence">{text}</span>
}

/** A share as a bar; what is more than all is cut off, and red by its caller. */
function Bar({ share, color }: { readonly share: number; readonly color: string }) {
  return (
    <svg class="bar" viewBox="0 0 100 10" aria-hidden="true">
      <rect width="100" height="10" fill="var(--panel)" />
      <rect width={Math.min(100, 100 * share)} height="10" fill={`var(--series-${color})`} />
    </svg>
  )
}
