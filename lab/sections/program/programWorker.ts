import { answerPage } from '../../parts/workerScope.js'
import { diagnose } from './diagnose.js'
import { errorText } from './errorText.js'
import { inspect } from './inspect.js'
import { fileName, moduleOf } from './moduleOf.js'
import { ownStacks } from './ownStacks.js'
import type { ProgramAsked, ProgramTold } from './programMessages.js'

declare const LAB_DOORS: readonly string[]

ownStacks(fileName)

answerPage<ProgramAsked, ProgramTold>((asked, tell) => {
  const print =
    (wrong: boolean) =>
    (...values: readonly unknown[]): void =>
      tell({ printed: values.map((value) => inspect(value)).join(' '), ...(wrong ? { wrong } : {}) })
  console.log = print(false)
  console.info = print(false)
  console.warn = print(true)
  console.error = print(true)
  void run(asked, tell)
})

async function run({ code, examine }: ProgramAsked, tell: (told: ProgramTold) => void): Promise<void> {
  const began = performance.now()
  const ended = (how: 'well' | 'badly', line?: number): void =>
    tell({ ended: how, milliseconds: performance.now() - began, ...(line !== undefined && { line }) })
  let address: string | undefined
  try {
    // Workers lie in a folder of their own, beside that of the doors.
    const base = new URL('..', import.meta.url).href
    address = URL.createObjectURL(new Blob([moduleOf(code, base, LAB_DOORS)], { type: 'text/javascript' }))
    const exports: Readonly<Record<string, unknown>> = await import(address)
    if (examine) tell({ diagnosis: await diagnose(exports) })
    ended('well')
  } catch (thrown) {
    if (thrown instanceof Error) {
      const { text, line } = errorText(thrown, code)
      tell({ printed: text, wrong: true })
      ended('badly', line)
    } else {
      tell({ printed: `thrown: ${inspect(thrown)}`, wrong: true })
      ended('badly')
    }
  } finally {
    if (address !== undefined) URL.revokeObjectURL(address)
  }
}
