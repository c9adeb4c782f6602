import { checkArray, checkNumber, checkRecord, checkText } from '../../base/options/index.js'
import type { Audit } from './auditConfig.js'

/**
 * An audit as text: the configuration, what was found of each thing, and what the published report has wrong.
 *
 * @example auditText(auditConfig({ dModel: 1024, nLayers: 24 })).split('\n')[0] // 'd_model 1024, 24 layers, 16 heads of 128 on v5p-8 (4 chips)'
 */
export function auditText(audit: Audit): string {
  checkRecord('auditText', 'audit', audit, ['config', 'findings', 'corrections', 'memory'])
  checkRecord('auditText', 'config', audit.config, ['dModel', 'nLayers', 'nHeads', 'slice'])
  for (const name of ['parameters', 'estimatedParameters', 'chinchillaTokens'] as const) {
    checkNumber('auditText', name, audit[name], 0)
  }
  checkArray('auditText', 'findings', audit.findings)
  checkArray('auditText', 'corrections', audit.corrections)
  for (const finding of audit.findings) {
    checkRecord('auditText', 'a finding', finding, ['about', 'verdict', 'evidence', 'remedy'])
    checkText('auditText', 'what a finding is about', finding.about)
    checkText('auditText', 'the verdict of a finding', finding.verdict)
  }
  for (const correction of audit.corrections) {
    checkRecord('auditText', 'a correction', correction, ['published', 'here'])
  }
  checkRecord('auditText', 'alignment', audit.alignment, ['headDim'])
  checkRecord('auditText', 'memory', audit.memory, ['slice', 'assumptions'])
  checkRecord('auditText', 'the slice of memory', audit.memory.slice, ['chips'])
  checkArray('auditText', 'the assumptions of memory', audit.memory.assumptions)
  const width = Math.max(...audit.findings.map(({ about }) => about.length))
  const findings = audit.findings.flatMap(({ about, verdict, evidence, remedy }) => [
    `${verdict.padEnd(7)}  ${about.padEnd(width)}  ${evidence}`,
    ...(remedy === '' ? [] : [`${' '.repeat(width + 11)}${remedy}`]),
  ])
  return [
    ...headOf(audit),
    '',
    ...findings,
    '',
    "Where the Python toolkit's report differs:",
    ...audit.corrections.map(({ published, here }) => `- "${published}": ${here}`),
    '',
    'Assumed:',
    ...audit.memory.assumptions.map((assumption) => `- ${assumption}`),
  ].join('\n')
}

const count = (n: number): string => n.toLocaleString('en-US')

/** The lines that say what was audited. */
function headOf(audit: Audit): string[] {
  const { dModel, nLayers, nHeads, slice } = audit.config
  const { chips } = audit.memory.slice
  return [
    `d_model ${dModel}, ${nLayers} layers, ${nHeads} heads of ${audit.alignment.headDim} on ${slice} (${chips} chips)`,
    `${count(audit.parameters)} parameters as Mamba-2; ${count(audit.estimatedParameters)} by the Python toolkit's formula`,
    `${count(audit.chinchillaTokens)} tokens by the rule of 20 a parameter`,
  ]
}
