import { folderPath } from '../../scripts/folders.js'
import { listedByFile } from '../../scripts/listedNames.js'
import { readText } from './project.js'

// Which wings and folders of src may import which, through their index.ts, and which packages. All may import base/options. A
// folder that is not here may not exist; an import that is listed and not used is an error of test/doors.test.ts.

/** Which folders a folder may import. */
const layers: Readonly<Record<string, readonly string[]>> = {
  options: [],
  text: [],
  formats: [],
  p3109: ['formats', 'functions'],
  storage: ['formats'],
  functions: ['formats'],
  random: ['tensor', 'threefry'],
  simd: [],
  bf16: ['formats', 'functions', 'simd'],
  tensor: ['formats', 'functions', 'simd', 'bf16', 'threefry'],
  tree: ['tensor'],
  blocks: ['formats', 'storage', 'simd', 'random', 'tensor'],
  autodiff: ['functions', 'tensor', 'tree'],
  compile: ['formats', 'functions', 'simd', 'tensor', 'autodiff'],
  numerics: ['tensor'],
  schedule: [],
  optimizer: ['functions', 'storage', 'random', 'simd', 'tensor', 'tree', 'autodiff', 'compile', 'schedule'],
  precision: ['functions', 'random', 'tensor', 'tree', 'autodiff', 'numerics'],
  losses: ['tensor', 'numerics'],
  lowprecision: ['random', 'tensor', 'tree', 'optimizer'],
  collectives: ['tensor', 'tree', 'sharding'],
  files: ['storage', 'tensor', 'tree'],
  pipeline: ['random', 'tensor', 'files'],
  checkpoint: ['tensor', 'tree', 'files'],
  http: [],
  monitor: ['tensor', 'tree', 'compile', 'files', 'http'],
  profile: ['text', 'simd', 'tensor', 'checkpoint', 'monitor', 'hardware', 'mxu', 'xla', 'report'],
  train: [
    'text',
    'random',
    'tensor',
    'tree',
    'autodiff',
    'compile',
    'optimizer',
    'precision',
    'lowprecision',
    'pipeline',
    'checkpoint',
    'monitor',
  ],
  hosts: ['tensor', 'tree', 'collectives', 'checkpoint'],
  replay: ['formats', 'random', 'files'],
  stablehlo: ['options', 'formats', 'functions', 'threefry', 'tensor', 'autodiff'],
  onnx: ['tensor'],
  feeding: ['stablehlo', 'onnx', 'text', 'random', 'tensor', 'autodiff'],
  nn: ['random', 'tensor', 'numerics', 'kernels', 'ssm'],
  kernels: [
    ...['text', 'formats', 'functions', 'simd', 'bf16', 'random', 'tensor', 'tree', 'blocks', 'autodiff'],
    'numerics',
  ],
  ssm: ['tensor', 'autodiff'],
  vq: ['random', 'simd', 'tensor', 'tree', 'blocks', 'autodiff', 'numerics'],
  nca: ['random', 'tensor', 'tree', 'autodiff', 'compile', 'schedule', 'optimizer', 'lowprecision', 'nn'],
  env: ['random', 'tensor'],
  rl: [
    'formats',
    'random',
    'tensor',
    'tree',
    'autodiff',
    'compile',
    'numerics',
    'optimizer',
    'lowprecision',
    'nn',
    'env',
  ],
  hardware: [],
  model: ['hardware'],
  mxu: ['hardware', 'model'],
  roofline: ['hardware', 'model'],
  sharding: ['hardware', 'model', 'threefry'],
  systolic: [],
  xla: ['hardware'],
  plan: ['formats', 'hardware', 'model', 'mxu', 'roofline', 'sharding', 'xla'],
  data: [],
  step2750: [
    'text',
    'formats',
    'random',
    'bf16',
    'tensor',
    'autodiff',
    'compile',
    'numerics',
    'optimizer',
    'precision',
    'ssm',
    'data',
  ],
  step2750Files: ['tensor', 'optimizer', 'files', 'step2750', 'sweep'],
  drift: [
    'text',
    'formats',
    'random',
    'tensor',
    'tree',
    'autodiff',
    'compile',
    'numerics',
    'optimizer',
    'losses',
    'lowprecision',
    'collectives',
    'nn',
    'kernels',
    'sharding',
  ],
  failures: [
    'functions',
    'random',
    'tensor',
    'tree',
    'autodiff',
    'compile',
    'numerics',
    'optimizer',
    'precision',
    'lowprecision',
    'collectives',
    'kernels',
    'vq',
    'nca',
    'rl',
  ],
  recipes: [
    'text',
    'random',
    'tensor',
    'tree',
    'autodiff',
    'compile',
    'numerics',
    'schedule',
    'optimizer',
    'losses',
    'lowprecision',
    'nn',
    'kernels',
  ],
  sweep: ['text', 'random', 'files', 'step2750', 'recipes'],
  queue: ['files', 'sweep'],
  tfjs: ['formats', 'tensor', 'tree', 'optimizer'],
  report: ['text'],
  cli: [
    'compile',
    'feeding',
    'onnx',
    'stablehlo',
    'text',
    'formats',
    'random',
    'simd',
    'tensor',
    'tree',
    'autodiff',
    'blocks',
    'numerics',
    'schedule',
    'optimizer',
    'precision',
    'files',
    'checkpoint',
    'http',
    'profile',
    'train',
    'ssm',
    'vq',
    'nca',
    'env',
    'rl',
    'hardware',
    'model',
    'mxu',
    'roofline',
    'sharding',
    'xla',
    'plan',
    'data',
    'step2750',
    'step2750Files',
    'drift',
    'failures',
    'recipes',
    'sweep',
    'queue',
    'report',
  ],
  threefry: [],
}

/** The folders, completed: each checks what it was given by the one checker. */
export const mayImport: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(layers).map(([folder, others]) => [
    folder,
    folder === 'options' ? others : [...others, 'options'],
  ]),
)

/** Packages a folder may import; none where it is not listed. Only folders that need Node may import `node:` modules. */
export const mayUse: Readonly<Record<string, readonly string[]>> = {
  options: ['leven'],
  simd: ['fflate'],
  files: ['fflate'],
  recipes: ['fflate'],
  // '(computed)': import() of the modules that a user names for workers.
  pipeline: ['piscina', 'csv-parse', 'apache-arrow', '(computed)'],
  random: ['seedrandom'],
  numerics: ['ml-matrix'],
  onnx: ['onnx-buf', '@bufbuild/protobuf'],
  nn: ['ml-matrix'],
  vq: ['ml-matrix'],
  // '(computed)': import() of the module that a user's experiment is.
  sweep: ['piscina', '(computed)'],
  // '(computed)': import() of the module that a user hands to the doctor.
  cli: ['commander', 'piscina', '(computed)'],
  train: ['cli-progress'],
  report: ['@dagrejs/dagre', '@observablehq/plot', 'linkedom', 'cli-table3'],
  // '(computed)': prom-client, an optional peer.
  monitor: ['(computed)'],
  // '(computed)': pg and pg-boss, optional peers.
  queue: ['(computed)'],
}

/**
 * Regular families, one name per element of a list: the files that an entry point has them from. They do not count towards the
 * 45 values an entry point may list.
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

/** The names that an entry point has from files like these, './room/file.js' without its ends. */
export const namesFrom = (folder: string, files: RegExp): string[] =>
  listedByFile(readText(`src/${folderPath(folder)}/index.ts`))
    .filter(([file]) => files.test(file.slice(2, -3)))
    .flatMap(([, names]) => names)

export const families: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(familyFiles).map(([folder, files]) => [folder, namesFrom(folder, files)]),
)
