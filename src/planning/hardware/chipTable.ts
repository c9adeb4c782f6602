import { type Fact, fact, unpublished } from './fact.js'

/** The generations by libtpu's and Google's names. */
export type ChipName = 'v2' | 'v3' | 'v4' | 'v5e' | 'v5p' | 'v6e' | 'tpu7x'

/** The numbers of one generation, each with its source. All per chip unless the name says otherwise. */
export interface ChipFacts {
  readonly bfloat16FlopsPerSecond: Fact<number>
  readonly int8OpsPerSecond: Fact
  readonly float8FlopsPerSecond: Fact
  readonly hbmGib: Fact<number>
  /** What a compiled program may use of it. */
  readonly programHbmGibPerDevice: Fact<number>
  readonly hbmBytesPerSecond: Fact<number>
  readonly vmemMibPerCore: Fact<number>
  /** A second on-chip memory, shared by the cores. */
  readonly cmemMib: Fact
  readonly tensorCores: Fact<number>
  readonly jaxDevices: Fact<number>
  readonly mxusPerCore: Fact<number>
  /** Rows and columns of one matrix unit. */
  readonly mxuSide: Fact<number>
  readonly sparseCores: Fact
  readonly iciLinks: Fact<number>
  /** One direction of one link. */
  readonly iciBytesPerSecondPerLink: Fact
  /** All links, both directions. */
  readonly iciBytesPerSecondBothWays: Fact
  /** Host memory to chip, each way. */
  readonly pcieBytesPerSecond: Fact
  /** The data-centre network, each way. */
  readonly dcnBytesPerSecond: Fact
}

/** The facts of a generation that are not numbers. */
export interface ChipKind {
  /** What libtpu answers as `device_kind`. */
  readonly deviceKind: string
  /** What N counts in the slice's name `chip-N`. */
  readonly nameCounts: 'TensorCores' | 'chips'
  readonly podTopology: readonly number[]
  /** The largest topology that one job can have. */
  readonly largestJobTopology: readonly number[]
  /** Chips that a host may have; the first is what libtpu takes. */
  readonly hostChips: readonly number[]
}

const [T, G] = [1e12, 1e9]
const twoWays = 'twice the bfloat16 rate'
const noInt8 = unpublished('no faster int8 mode')
const noFloat8 = unpublished('no float8 mode')
const noCmem = unpublished('none')
const noSparse = unpublished('none')
const perHost = '25 GB/s per host of 4 chips'

export const chipTable: Readonly<Record<ChipName, { readonly kind: ChipKind; readonly facts: ChipFacts }>> = {
  v2: {
    kind: {
      ...{ deviceKind: 'TPU v2', nameCounts: 'TensorCores', hostChips: [4] },
      ...{ podTopology: [16, 16], largestJobTopology: [16, 16] },
    },
    facts: {
      bfloat16FlopsPerSecond: fact(46 * T, 'jax', { others: [[45 * T, 'docs']] }),
      int8OpsPerSecond: noInt8,
      float8FlopsPerSecond: noFloat8,
      hbmGib: fact(16, 'docs'),
      programHbmGibPerDevice: fact(7.48, 'libtpu'),
      hbmBytesPerSecond: fact(716 * G, 'jax', { others: [[700 * G, 'docs']] }),
      vmemMibPerCore: fact(16, 'jax'),
      cmemMib: noCmem,
      tensorCores: fact(2, 'docs'),
      jaxDevices: fact(2, 'libtpu'),
      mxusPerCore: fact(1, 'docs'),
      mxuSide: fact(128, 'docs'),
      sparseCores: noSparse,
      iciLinks: fact(4, 'docs'),
      iciBytesPerSecondPerLink: unpublished('no figure found'),
      iciBytesPerSecondBothWays: unpublished('no figure found'),
      pcieBytesPerSecond: unpublished('no figure found'),
      dcnBytesPerSecond: unpublished('no figure found'),
    },
  },
  v3: {
    kind: {
      ...{ deviceKind: 'TPU v3', nameCounts: 'TensorCores', hostChips: [4] },
      ...{ podTopology: [32, 32], largestJobTopology: [32, 32] },
    },
    facts: {
      bfloat16FlopsPerSecond: fact(123 * T, 'docs', {
        others: [
          [140 * T, 'book'],
          [140 * T, 'jax'],
        ],
      }),
      int8OpsPerSecond: { ...noInt8, note: 'no faster int8 mode; the book prints 140 TOP/s' },
      float8FlopsPerSecond: noFloat8,
      hbmGib: fact(32, 'docs'),
      programHbmGibPerDevice: fact(15.48, 'libtpu'),
      hbmBytesPerSecond: fact(900 * G, ['docs', 'book'], { others: [[825 * G, 'jax']] }),
      vmemMibPerCore: fact(16, 'jax'),
      cmemMib: noCmem,
      tensorCores: fact(2, 'docs'),
      jaxDevices: fact(2, 'libtpu'),
      mxusPerCore: fact(2, 'docs'),
      mxuSide: fact(128, 'docs'),
      sparseCores: noSparse,
      iciLinks: fact(4, 'docs'),
      iciBytesPerSecondPerLink: fact(100 * G, 'book'),
      iciBytesPerSecondBothWays: unpublished('no figure found'),
      pcieBytesPerSecond: unpublished('no figure found'),
      dcnBytesPerSecond: unpublished('no figure found'),
    },
  },
  v4: {
    kind: {
      ...{ deviceKind: 'TPU v4', nameCounts: 'TensorCores', hostChips: [4] },
      ...{ podTopology: [16, 16, 16], largestJobTopology: [16, 16, 16] },
    },
    facts: {
      bfloat16FlopsPerSecond: fact(275 * T, ['docs', 'book', 'jax']),
      int8OpsPerSecond: fact(275 * T, 'docs', { note: 'the bfloat16 rate' }),
      float8FlopsPerSecond: noFloat8,
      hbmGib: fact(32, ['docs', 'book']),
      programHbmGibPerDevice: fact(30.75, 'libtpu', {
        note: 'with megacore, the default on Cloud; without, two devices of 15.25 GiB',
      }),
      hbmBytesPerSecond: fact(1200 * G, ['docs', 'book'], { others: [[1230 * G, 'jax']] }),
      vmemMibPerCore: fact(16, 'jax'),
      cmemMib: fact(128, 'docs'),
      tensorCores: fact(2, 'docs'),
      jaxDevices: fact(1, 'libtpu', { note: 'megacore: two cores, one device' }),
      mxusPerCore: fact(4, 'docs'),
      mxuSide: fact(128, 'docs'),
      sparseCores: fact(4, 'docs'),
      iciLinks: fact(6, ['docs', 'book']),
      iciBytesPerSecondPerLink: fact(45 * G, 'book'),
      iciBytesPerSecondBothWays: unpublished('no figure found'),
      pcieBytesPerSecond: fact(16 * G, 'book'),
      dcnBytesPerSecond: fact(6.25 * G, 'book', { note: perHost }),
    },
  },
  v5e: {
    kind: {
      ...{ deviceKind: 'TPU v5 lite', nameCounts: 'chips', hostChips: [4, 1, 8] },
      ...{ podTopology: [16, 16], largestJobTopology: [16, 16] },
    },
    facts: {
      bfloat16FlopsPerSecond: fact(197 * T, ['docs', 'book', 'jax']),
      int8OpsPerSecond: fact(394 * T, ['book', 'jax'], { others: [[393 * T, 'docs']], note: twoWays }),
      float8FlopsPerSecond: noFloat8,
      hbmGib: fact(16, ['docs', 'book']),
      programHbmGibPerDevice: fact(15.75, 'libtpu'),
      hbmBytesPerSecond: fact(819 * G, 'docs', {
        others: [
          [810 * G, 'book'],
          [820 * G, 'jax'],
          [859 * G, 'docs'],
        ],
        note: 'a later page of the documentation prints 800 GiBps',
      }),
      vmemMibPerCore: fact(128, ['jax', 'book']),
      cmemMib: noCmem,
      tensorCores: fact(1, 'docs'),
      jaxDevices: fact(1, 'libtpu'),
      mxusPerCore: fact(4, ['docs', 'book']),
      mxuSide: fact(128, 'docs'),
      sparseCores: noSparse,
      iciLinks: fact(4, ['docs', 'book']),
      iciBytesPerSecondPerLink: fact(45 * G, 'book', {
        others: [[50 * G, 'docs']],
        note: '1600 Gbps over 4 links',
      }),
      iciBytesPerSecondBothWays: fact(400 * G, 'docs', { note: 'was printed as 1600 Gbps one way' }),
      pcieBytesPerSecond: fact(15 * G, 'book'),
      dcnBytesPerSecond: fact(6.25 * G, 'book', { note: `${perHost}; half of it on hosts of 8` }),
    },
  },
  v5p: {
    kind: {
      ...{ deviceKind: 'TPU v5', nameCounts: 'TensorCores', hostChips: [4] },
      ...{ podTopology: [16, 20, 28], largestJobTopology: [16, 16, 24] },
    },
    facts: {
      bfloat16FlopsPerSecond: fact(459 * T, ['docs', 'book', 'jax']),
      int8OpsPerSecond: fact(918 * T, ['docs', 'book', 'jax'], { note: twoWays }),
      float8FlopsPerSecond: fact(459 * T, 'docs', { note: 'the bfloat16 rate; jax has no native rate' }),
      hbmGib: fact(95, 'docs', { note: 'usable, of 96' }),
      programHbmGibPerDevice: fact(95.73, 'libtpu'),
      hbmBytesPerSecond: fact(2765 * G, 'docs', {
        others: [
          [2800 * G, 'book'],
          [2460 * G, 'jax'],
        ],
      }),
      vmemMibPerCore: fact(64, 'jax'),
      cmemMib: noCmem,
      tensorCores: fact(2, 'docs'),
      jaxDevices: fact(1, 'libtpu', { note: 'megacore: two cores, one device' }),
      mxusPerCore: fact(4, 'docs'),
      mxuSide: fact(128, 'docs'),
      sparseCores: fact(4, 'docs'),
      iciLinks: fact(6, ['docs', 'book']),
      iciBytesPerSecondPerLink: fact(90 * G, 'book', {
        others: [[100 * G, 'docs']],
        note: '4800 Gbps over 6 links',
      }),
      iciBytesPerSecondBothWays: fact(1200 * G, 'docs', { note: 'was printed as 4800 Gbps one way' }),
      pcieBytesPerSecond: fact(15 * G, 'book'),
      dcnBytesPerSecond: fact(6.25 * G, ['docs', 'book'], { note: '50 Gb/s per chip' }),
    },
  },
  v6e: {
    kind: {
      ...{ deviceKind: 'TPU v6 lite', nameCounts: 'chips', hostChips: [4, 1, 8] },
      ...{ podTopology: [16, 16], largestJobTopology: [16, 16] },
    },
    facts: {
      bfloat16FlopsPerSecond: fact(918 * T, 'docs', {
        others: [
          [920 * T, 'jax'],
          [920 * T, 'book'],
          [910 * T, 'book'],
        ],
        note: 'the book has 910 in part 1',
      }),
      int8OpsPerSecond: fact(1836 * T, 'docs', {
        others: [
          [1840 * T, 'book'],
          [1840 * T, 'jax'],
        ],
      }),
      float8FlopsPerSecond: fact(918 * T, ['docs', 'jax']),
      hbmGib: fact(32, ['docs', 'book']),
      programHbmGibPerDevice: fact(31.24, 'libtpu'),
      hbmBytesPerSecond: fact(1638 * G, 'docs', {
        others: [
          [1600 * G, 'book'],
          [1640 * G, 'jax'],
        ],
      }),
      vmemMibPerCore: fact(128, ['jax', 'book']),
      cmemMib: noCmem,
      tensorCores: fact(1, 'docs'),
      jaxDevices: fact(1, 'libtpu'),
      mxusPerCore: fact(2, 'docs'),
      mxuSide: fact(256, 'docs'),
      sparseCores: fact(2, 'docs'),
      iciLinks: fact(4, ['docs', 'book']),
      iciBytesPerSecondPerLink: fact(90 * G, 'book', { others: [[100 * G, 'docs']] }),
      iciBytesPerSecondBothWays: fact(800 * G, 'docs'),
      pcieBytesPerSecond: fact(32 * G, 'book'),
      dcnBytesPerSecond: fact(12.5 * G, 'docs', {
        others: [[6.25 * G, 'book']],
        note: `100 Gb/s per chip; the book: ${perHost}`,
      }),
    },
  },
  tpu7x: {
    kind: {
      ...{ deviceKind: 'TPU7x', nameCounts: 'TensorCores', hostChips: [4] },
      ...{ podTopology: [16, 24, 24], largestJobTopology: [16, 24, 24] },
    },
    facts: {
      bfloat16FlopsPerSecond: fact(2307 * T, 'docs', { others: [[2310 * T, 'jax']] }),
      int8OpsPerSecond: unpublished('not published'),
      float8FlopsPerSecond: fact(4614 * T, ['docs', 'jax']),
      hbmGib: fact(192, 'docs'),
      programHbmGibPerDevice: fact(94.74, 'libtpu', { note: 'two devices a chip' }),
      hbmBytesPerSecond: fact(7380 * G, 'docs', { others: [[7400 * G, 'jax']] }),
      vmemMibPerCore: fact(64, 'jax'),
      cmemMib: noCmem,
      tensorCores: fact(2, 'docs'),
      jaxDevices: fact(2, 'libtpu', { note: 'each with half of everything' }),
      mxusPerCore: fact(2, 'docs'),
      mxuSide: fact(256, 'docs'),
      sparseCores: fact(4, 'docs'),
      iciLinks: fact(6, 'docs'),
      iciBytesPerSecondPerLink: fact(90 * G, 'analogy', {
        others: [[100 * G, 'docs']],
        note: 'no figure per link is published: v5p and v6e have 90 of a nominal 100; 1200 GB/s over 12 directions are 100',
      }),
      iciBytesPerSecondBothWays: fact(1200 * G, 'docs'),
      pcieBytesPerSecond: unpublished('no figure found'),
      dcnBytesPerSecond: fact(12.5 * G, 'docs', { note: '100 Gb/s per chip' }),
    },
  },
}
