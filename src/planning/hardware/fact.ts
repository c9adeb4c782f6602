/** Where a number of the chip table comes from. */
export interface Source {
  readonly title: string
  /** Version of a program or date of a text; of pages that change, when they were read. */
  readonly edition: string
  readonly url: string
}

/** The short name of a source. */
export type SourceName = 'docs' | 'jax' | 'book' | 'libtpu' | 'maxtext' | 'analogy'

/** The sources by their short names, as the facts of a chip cite them. */
export const sources: Readonly<Record<SourceName, Source>> = {
  docs: {
    title: 'Google Cloud TPU documentation, the page of each generation',
    edition: 'read 2026-11',
    url: 'https://cloud.google.com/tpu/docs/system-architecture-tpu-vm',
  },
  jax: {
    title: 'jax, pallas/mosaic/tpu_info (given per TensorCore there, per chip here)',
    edition: '0.10.2',
    url: 'https://github.com/jax-ml/jax',
  },
  book: {
    title: 'How to Scale Your Model, part 2',
    edition: '2025-02-18',
    url: 'https://jax-ml.github.io/scaling-book/tpus',
  },
  libtpu: {
    title: 'libtpu asked without a TPU: topologies, and programs compiled ahead of time',
    edition: '0.0.51',
    url: 'https://pypi.org/project/libtpu',
  },
  maxtext: {
    title: 'MaxText, the table of accelerators',
    edition: '2026-08-22',
    url: 'https://github.com/AI-Hypercomputer/maxtext',
  },
  analogy: {
    title: 'no publication: taken from how other generations relate, as the note of the fact says',
    edition: '2026-11',
    url: '',
  },
}

/** One number of the chip table with where it comes from; `null` is a number that nobody published. */
export interface Fact<Value extends number | null = number | null> {
  readonly value: Value
  /** Empty where the value is null. */
  readonly sources: readonly SourceName[]
  /** The values of other sources, where they differ. */
  readonly others: readonly { readonly value: number; readonly source: SourceName }[]
  readonly note: string
}

/** What a fact may add to its value and source: the other sources' values, and words. */
interface Besides {
  readonly others?: readonly (readonly [value: number, source: SourceName])[]
  readonly note?: string
}

/** A number that the sources named agree on. */
export function fact(
  value: number,
  from: SourceName | readonly SourceName[],
  { others = [], note = '' }: Besides = {},
): Fact<number> {
  return Object.freeze({
    value,
    sources: Object.freeze(typeof from === 'string' ? [from] : [...from]),
    others: Object.freeze(others.map(([other, source]) => Object.freeze({ value: other, source }))),
    note,
  })
}

/** A number that was not published, and why that matters. */
export function unpublished(note: string): Fact<null> {
  return Object.freeze({ value: null, sources: Object.freeze([]), others: Object.freeze([]), note })
}
