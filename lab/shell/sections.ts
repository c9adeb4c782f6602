import type { ComponentType } from 'preact'
import type { Opening } from '../parts/opening.js'
import { attentionOpening } from '../sections/attention/attentionOpening.js'
import { automatonOpening } from '../sections/automaton/automatonOpening.js'
import { driftOpening } from '../sections/drift/driftOpening.js'
import { fileOpening } from '../sections/file/fileOpening.js'
import { jaxOpening } from '../sections/jax/jaxOpening.js'
import { nanOpening } from '../sections/nan/nanOpening.js'
import { numberOpening } from '../sections/number/numberOpening.js'
import { optimizersOpening } from '../sections/optimizers/optimizersOpening.js'
import { planOpening } from '../sections/plan/planOpening.js'
import { programOpening } from '../sections/program/programOpening.js'
import { resultsOpening } from '../sections/results/resultsOpening.js'
import { sumsOpening } from '../sections/sums/sumsOpening.js'

/** The groups of sections, in the order of the page. */
export const labGroups = ['Numbers', 'Training', 'Hardware', 'Your data'] as const

/** One section of the page: loaded when it is opened. */
export interface LabSection {
  /** Its name in the address. */
  readonly id: string
  readonly title: string
  readonly group: (typeof labGroups)[number]
  readonly opening: Opening
  readonly load: () => Promise<ComponentType>
}

/** The sections in the order of the page. */
export const labSections: readonly LabSection[] = [
  {
    id: 'number',
    title: 'A number',
    group: 'Numbers',
    opening: numberOpening,
    load: async () => (await import('../sections/number/numberSection.js')).NumberSection,
  },
  {
    id: 'drift',
    title: 'Drift explorer',
    group: 'Numbers',
    opening: driftOpening,
    load: async () => (await import('../sections/drift/driftSection.js')).DriftSection,
  },
  {
    id: 'nan',
    title: 'The run to NaN',
    group: 'Training',
    opening: nanOpening,
    load: async () => (await import('../sections/nan/nanSection.js')).NanSection,
  },
  {
    id: 'optimizers',
    title: 'Optimizers',
    group: 'Training',
    opening: optimizersOpening,
    load: async () => (await import('../sections/optimizers/optimizersSection.js')).OptimizersSection,
  },
  {
    id: 'automaton',
    title: 'Automaton',
    group: 'Training',
    opening: automatonOpening,
    load: async () => (await import('../sections/automaton/automatonSection.js')).AutomatonSection,
  },
  {
    id: 'sums',
    title: 'Sums of many machines',
    group: 'Hardware',
    opening: sumsOpening,
    load: async () => (await import('../sections/sums/sumsSection.js')).SumsSection,
  },
  {
    id: 'attention',
    title: 'Attention',
    group: 'Hardware',
    opening: attentionOpening,
    load: async () => (await import('../sections/attention/attentionSection.js')).AttentionSection,
  },
  {
    id: 'plan',
    title: 'Plan',
    group: 'Hardware',
    opening: planOpening,
    load: async () => (await import('../sections/plan/planSection.js')).PlanSection,
  },
  {
    id: 'editor',
    title: 'Editor and doctor',
    group: 'Your data',
    opening: programOpening,
    load: async () => (await import('../sections/program/programSection.js')).ProgramSection,
  },
  {
    id: 'jax',
    title: 'Your JAX program',
    group: 'Your data',
    opening: jaxOpening,
    load: async () => (await import('../sections/jax/jaxSection.js')).JaxSection,
  },
  {
    id: 'file',
    title: 'A file',
    group: 'Your data',
    opening: fileOpening,
    load: async () => (await import('../sections/file/fileSection.js')).FileSection,
  },
  {
    id: 'results',
    title: 'Results',
    group: 'Your data',
    opening: resultsOpening,
    load: async () => (await import('../sections/results/resultsSection.js')).ResultsSection,
  },
]
