/** A folder directly below src: one folder of code itself (`bf16`), or a wing with several. */
export interface Wing {
  /** One line for the reader, without a full stop. */
  readonly about: string
  readonly folders: readonly string[]
  /** The other wings that its folders may import, besides base. */
  readonly imports: readonly string[]
}

/**
 * The folders of src, from the lowest layer up. `npm run doors` writes the tables of src/README.md and docs/design.md from
 * it, test/doors.test.ts holds the imports to it, and the tests' aliases follow it.
 */
export const wings: Readonly<Record<string, Wing>> = {
  base: {
    about: 'argument and option checks, and numbers as text, for every other folder',
    folders: ['options', 'text'],
    imports: [],
  },
  numbers: {
    about: 'number formats and where they round, real functions, the Threefry cipher, WebAssembly kernels',
    folders: ['formats', 'storage', 'functions', 'p3109', 'threefry', 'simd'],
    imports: [],
  },
  bf16: {
    about: 'bfloat16 on bare 16-bit codes: a fast implementation of one format',
    folders: ['bf16'],
    imports: ['numbers'],
  },
  tensors: {
    about:
      'tensors that carry their dtype, random draws, block-scaled tensors, gradients and compiled programs',
    folders: ['tensor', 'tree', 'random', 'blocks', 'autodiff', 'compile'],
    imports: ['numbers', 'bf16'],
  },
  numerics: {
    about: 'stable functions and their naive forms, measures of drift, error bounds',
    folders: ['numerics'],
    imports: ['tensors'],
  },
  schedule: {
    about: 'learning-rate schedules',
    folders: ['schedule'],
    imports: [],
  },
  optimizer: {
    about: "gradient transformations and optimizers with optax's names and bits",
    folders: ['optimizer'],
    imports: ['numbers', 'tensors', 'schedule'],
  },
  report: {
    about: 'tables, SVG plots and self-contained HTML pages',
    folders: ['report'],
    imports: [],
  },
  precision: {
    about: 'the precision doctor: where bits are lost and how to recover them',
    folders: ['precision'],
    imports: ['numbers', 'tensors', 'numerics'],
  },
  planning: {
    about: 'hardware, memory and time of a run computed from tables, without tensors',
    folders: ['hardware', 'model', 'mxu', 'roofline', 'sharding', 'systolic', 'xla', 'plan'],
    imports: ['numbers'],
  },
  training: {
    about:
      'losses, low-precision parameters, collectives, files, data pipelines, checkpoints, monitoring, the training loop',
    folders: [
      'losses',
      'lowprecision',
      'collectives',
      'files',
      'pipeline',
      'checkpoint',
      'http',
      'monitor',
      'profile',
      'train',
      'hosts',
    ],
    imports: ['numbers', 'tensors', 'numerics', 'optimizer', 'report', 'precision', 'planning'],
  },
  replay: {
    about: 'replay buffers in narrow storage',
    folders: ['replay'],
    imports: ['numbers', 'tensors', 'training'],
  },
  programs: {
    about:
      'programs written elsewhere, as functions of our own operations: StableHLO from JAX, ONNX from PyTorch',
    folders: ['stablehlo', 'onnx', 'feeding'],
    imports: ['numbers', 'tensors'],
  },
  models: {
    about: 'layers and kernels, state-space models, vector quantisation, automata, reinforcement learning',
    folders: ['nn', 'kernels', 'ssm', 'vq', 'nca', 'env', 'rl'],
    imports: ['numbers', 'bf16', 'tensors', 'numerics', 'schedule', 'optimizer', 'training'],
  },
  experiments: {
    about:
      'the step-2750 run, the drift bench, the gallery of failures, recipes, sweeps, and the data they use',
    folders: ['data', 'step2750', 'step2750Files', 'drift', 'failures', 'recipes', 'sweep'],
    imports: [
      'numbers',
      'bf16',
      'tensors',
      'numerics',
      'schedule',
      'optimizer',
      'precision',
      'planning',
      'training',
      'models',
    ],
  },
  adapters: {
    about: 'other systems: sweeps over PostgreSQL queues, TensorFlow.js',
    folders: ['queue', 'tfjs'],
    imports: ['numbers', 'tensors', 'optimizer', 'training', 'experiments'],
  },
  cli: {
    about: 'the `tpu-toolkit` command: parse, call, print',
    folders: ['cli'],
    imports: [
      'numbers',
      'tensors',
      'numerics',
      'schedule',
      'optimizer',
      'report',
      'precision',
      'planning',
      'training',
      'models',
      'programs',
      'experiments',
      'adapters',
    ],
  },
}

/** Folders that the package's own tests, benchmarks and pages import as `#name`, and nobody outside can: no promise is made for them. */
export const internalFolders: readonly string[] = [
  'options',
  'text',
  'simd',
  'threefry',
  'http',
  'feeding',
  'cli',
]

/** Every folder of code. */
export const folders: readonly string[] = Object.values(wings).flatMap((wing) => wing.folders)

const wingByFolder = new Map(
  Object.entries(wings).flatMap(([wing, { folders }]) => folders.map((folder) => [folder, wing] as const)),
)

/** The wing that a folder stands in. */
export function wingOf(folder: string): string {
  const wing = wingByFolder.get(folder)
  if (wing === undefined) throw new RangeError(`wingOf: no such folder of src [${folder}]`)
  return wing
}

/** A folder's path below src (and dist): 'numbers/formats', 'bf16'. */
export function folderPath(folder: string): string {
  const wing = wingOf(folder)
  return wing === folder ? folder : `${wing}/${folder}`
}

/** The package's own names, and those of its internal folders, as source folders: aliases for esbuild. */
export function sourceFolders(source: string): Record<string, string> {
  return Object.fromEntries([
    ...folders.map((folder) => [
      `${internalFolders.includes(folder) ? '#' : 'tpu-toolkit/'}${folder}`,
      `${source}/${folderPath(folder)}`,
    ]),
    ['tpu-toolkit', source],
  ])
}

/** The same for vitest, and for files of src that tests import by their path; with the extension .js for what was built of it. */
export function sourceAliases(source: string, extension = '.ts'): { find: RegExp; replacement: string }[] {
  return [
    ...Object.entries(sourceFolders(source)).map(([name, folder]) => ({
      find: new RegExp(`^${name}$`),
      replacement: `${folder}/index${extension}`,
    })),
    { find: /^(?:\.\.\/)+src\/(.+)\.js$/, replacement: `${source}/$1${extension}` },
  ]
}

/** The folder that a file lies in: of 'src/numbers/formats/ulp.ts' formats, of 'src/index.ts' none. */
export function folderOf(path: string): string | undefined {
  return folders.find((folder) => path.startsWith(`src/${folderPath(folder)}/`))
}
