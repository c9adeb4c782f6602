import type { ComponentType } from 'preact'

/** One section of the page: loaded when it is opened. */
export interface LabSection {
  /** Its name in the address. */
  readonly id: string
  readonly title: string
  readonly load: () => Promise<ComponentType>
}

/** The sections in the order of the page. */
export const labSections: readonly LabSection[] = [
  {
    id: 'nan',
    title: 'The run to NaN',
    load: async () => (await import('../sections/nan/nanSection.js')).NanSection,
  },
  {
    id: 'number',
    title: 'A number',
    load: async () => (await import('../sections/number/numberSection.js')).NumberSection,
  },
  {
    id: 'drift',
    title: 'Drift explorer',
    load: async () => (await import('../sections/drift/driftSection.js')).DriftSection,
  },
  {
    id: 'editor',
    title: 'Editor and doctor',
    load: async () => (await import('../sections/program/programSection.js')).ProgramSection,
  },
  {
    id: 'sums',
    title: 'Sums of many machines',
    load: async () => (await import('../sections/sums/sumsSection.js')).SumsSection,
  },
  {
    id: 'optimizers',
    title: 'Optimizers',
    load: async () => (await import('../sections/optimizers/optimizersSection.js')).OptimizersSection,
  },
  {
    id: 'attention',
    title: 'Attention',
    load: async () => (await import('../sections/attention/attentionSection.js')).AttentionSection,
  },
  {
    id: 'automaton',
    title: 'Automaton',
    load: async () => (await import('../sections/automaton/automatonSection.js')).AutomatonSection,
  },
  {
    id: 'plan',
    title: 'Plan',
    load: async () => (await import('../sections/plan/planSection.js')).PlanSection,
  },
  {
    id: 'jax',
    title: 'Your JAX program',
    load: async () => (await import('../sections/jax/jaxSection.js')).JaxSection,
  },
  {
    id: 'file',
    title: 'A file',
    load: async () => (await import('../sections/file/fileSection.js')).FileSection,
  },
  {
    id: 'results',
    title: 'Results',
    load: async () => (await import('../sections/results/resultsSection.js')).ResultsSection,
  },
]
