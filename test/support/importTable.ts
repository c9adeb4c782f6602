import { listedByFile } from '../../scripts/listedNames.js'
import { readText } from './project.js'

// The layers as data: which folders of src a folder may import through their index.ts, and which packages.
// A folder that is not here may not exist; a new one adds its line.

const autodiff = ['formats', 'functions', 'bf16', 'random', 'tensor', 'tree', 'numerics']
const kernels = [...autodiff, 'simd', 'text', 'autodiff', 'mxu']
const ssm = [...autodiff, 'autodiff', 'kernels']
const optimizer = [...autodiff, 'simd', 'autodiff', 'compile', 'schedule', 'files']
const stored = ['formats', 'random', 'tensor', 'tree', 'files']
const onDisk = new Set(['replay', 'pipeline', 'checkpoint', 'files'])
const step2750 = [
  ...ssm,
  ...[
    'compile',
    'precision',
    'ssm',
    'schedule',
    'optimizer',
    'lowprecision',
    'replay',
    'pipeline',
    'vq',
    'checkpoint',
    'files',
    'text',
    'data',
  ],
]
const failures = [...step2750, 'collectives', 'nca', 'rl']
const drift = [
  ...optimizer,
  ...['optimizer', 'lowprecision', 'collectives', 'sharding', 'text', 'losses', 'kernels', 'nn'],
]

const layers: Readonly<Record<string, readonly string[]>> = {
  options: [],
  text: [],
  data: [],
  formats: [],
  random: ['tensor'],
  schedule: [],
  simd: [],
  hardware: [],
  monitor: ['files', 'tensor', 'tree', 'compile'],
  functions: ['formats'],
  bf16: ['formats', 'functions', 'simd'],
  xla: ['hardware'],
  systolic: ['hardware'],
  sharding: ['hardware', 'model', 'random'],
  mxu: ['formats', 'hardware', 'model'],
  model: ['formats', 'hardware'],
  roofline: ['hardware', 'model', 'mxu', 'sharding'],
  plan: ['formats', 'hardware', 'model', 'mxu', 'sharding', 'roofline', 'xla'],
  tensor: ['formats', 'functions', 'bf16', 'simd'],
  numerics: ['formats', 'functions', 'bf16', 'tensor'],
  losses: ['tensor', 'numerics'],
  blocks: ['formats', 'simd', 'tensor'],
  tree: ['tensor'],
  files: ['formats', 'bf16', 'tensor', 'tree'],
  pipeline: stored,
  replay: stored,
  checkpoint: stored,
  train: [
    ...[...optimizer, 'optimizer', 'lowprecision', 'precision', 'pipeline', 'checkpoint', 'monitor'],
    ...['text', 'io'],
  ],
  profile: [
    ...['tensor', 'compile', 'simd', 'hardware', 'mxu', 'xla', 'report', 'text', 'files', 'monitor'],
    'checkpoint',
  ],
  hosts: ['tensor', 'tree', 'collectives', 'checkpoint'],
  autodiff,
  compile: ['formats', 'functions', 'tensor', 'numerics', 'autodiff'],
  optimizer,
  lowprecision: ['formats', 'random', 'tensor', 'tree', 'optimizer'],
  tfjs: ['formats', 'tensor', 'tree', 'optimizer'],
  kernels,
  env: ['random', 'tensor'],
  precision: [...autodiff, 'autodiff'],
  ssm,
  nn: [...ssm, 'ssm'],
  nca: [...ssm, 'ssm', 'nn', 'compile', 'schedule', 'optimizer', 'lowprecision'],
  rl: [
    ...['formats', 'random', 'tensor', 'tree', 'numerics', 'autodiff', 'compile', 'schedule', 'optimizer'],
    ...['lowprecision', 'nn', 'env'],
  ],
  vq: [...ssm, 'simd', 'blocks', 'optimizer'],
  step2750: step2750.filter((folder) => !onDisk.has(folder)),
  sweep: ['files', 'random', 'step2750', 'text'],
  queue: ['sweep', 'io'],
  step2750Files: ['files', 'optimizer', 'step2750', 'sweep', 'tensor'],
  collectives: ['formats', 'tensor', 'tree', 'numerics', 'sharding'],
  drift,
  report: ['formats', 'tensor', 'numerics', 'schedule', 'text'],
  io: ['formats', 'tensor', 'blocks', 'files', 'text'],
  failures,
  // The command line may open every door.
  cli: [
    ...failures,
    'env',
    'rl',
    'train',
    'step2750',
    'step2750Files',
    'queue',
    'sweep',
    'drift',
    'failures',
    'report',
    'io',
    'blocks',
    'tfjs',
    'simd',
    'hardware',
    'monitor',
    'profile',
    'xla',
    'systolic',
    'model',
    'roofline',
    'mxu',
    'sharding',
    'plan',
  ],
}

/** The table, completed: every folder checks what it was given by the one checker. */
export const mayImport: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(layers).map(([folder, below]) => [
    folder,
    folder === 'options' ? below : [...below, 'options'],
  ]),
)

/** Packages a folder may import; none where it is not listed. Only folders that need Node may import `node:` modules. */
export const mayUse: Readonly<Record<string, readonly string[]>> = {
  options: ['leven'],
  files: ['fflate'],
  // '(computed)': import() of the modules that a user names for workers.
  pipeline: ['piscina', 'csv-parse', 'apache-arrow', '(computed)'],
  random: ['seedrandom'],
  numerics: ['ml-matrix'],
  nn: ['ml-matrix'],
  vq: ['ml-matrix'],
  // '(computed)': import() of the module that a user's experiment is.
  sweep: ['piscina', '(computed)'],
  // '(computed)': import() of the module that a user hands to the doctor.
  cli: ['commander', 'piscina', '(computed)'],
  report: ['@dagrejs/dagre', '@observablehq/plot', 'linkedom', 'cli-table3'],
  io: ['commander', 'cli-progress'],
  // '(computed)': prom-client, an optional peer.
  monitor: ['(computed)'],
  // '(computed)': pg and pg-boss, optional peers.
  queue: ['(computed)'],
}

/**
 * Regular families, one name per element of a list: the files that a door has them from. They do not count towards the
 * 45 values a door may list.
 */
const familyFiles: Readonly<Record<string, RegExp>> = {
  formats: /^formatArrays$/,
  // The gallery.
  failures: /^(?!record\/|gallery$)/,
  kernels: /^masks\/masks$/,
  bf16: /^(unary|arithmeticArrays)$/,
  optimizer: /^(adams|optimizers|rescalings|transforms|wrappers|unscheduled|objective)\//,
  // What looks at a program while it runs is the last of them.
  tensor:
    /^(elementwise|layout|reductions|composed)\/|^storage\/(observe|recordEverything|substitute|siteOf|timing)$/,
}

/** The names that a door has from files like these, './room/file.js' without its ends. */
export const namesFrom = (folder: string, files: RegExp): string[] =>
  listedByFile(readText(`src/${folder}/index.ts`))
    .filter(([file]) => files.test(file.slice(2, -3)))
    .flatMap(([, names]) => names)

export const families: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(familyFiles).map(([folder, files]) => [folder, namesFrom(folder, files)]),
)
