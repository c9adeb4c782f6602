/**
 * The one list of the package's entry points, in groups by what a reader wants, the most wanted first. `npm run doors` writes from it the exports, typesVersions, main and types of
 * package.json, the entry points of typedoc.json, the root entry point src/index.ts and the lists in README.md and
 * src/README.md; test/doors.test.ts holds all of them to it.
 */
export interface Door {
  /** The folder of src, which is also the subpath: `tpu-toolkit/<folder>`. */
  readonly folder: string
  /** How the root entry point shows it: its names themselves, one namespace, or not at all (it needs Node). */
  readonly root: 'flat' | 'namespace' | 'none'
  /** One line for the reader, without a full stop. */
  readonly about: string
  /** What an entry point outside of the root needs. Default: Node. */
  readonly needs?: string
  /** Whether `npm run doors` writes a `browser.ts` for bundlers of pages: the names of `index.ts` that need no Node. */
  readonly browser?: true
  /** Why an entry point that runs anywhere is outside of the root all the same. */
  readonly anywhere?: string
}

/** A group of entry points, as README.md and src/README.md list them. */
export interface DoorGroup {
  readonly title: string
  readonly doors: readonly Door[]
}

export const doorGroups: readonly DoorGroup[] = [
  {
    title: 'Numbers',
    doors: [
      {
        folder: 'formats',
        root: 'namespace',
        about: 'formats as records of facts; codes <-> values in every rounding mode; ulp, next up and down',
      },
      {
        folder: 'p3109',
        root: 'namespace',
        about: "IEEE P3109's 504 formats and its operations, exact: nine rounding modes, three of saturation",
      },
      {
        folder: 'storage',
        root: 'namespace',
        about:
          "the storage formats of quantised weights, bytes and all: GGUF's from Q4_0 to IQ4_XS, NF4 and FP4",
      },
      {
        folder: 'bf16',
        root: 'namespace',
        about: 'bfloat16 on bare codes: casts, correctly rounded arithmetic and functions, array forms',
      },
      {
        folder: 'functions',
        root: 'namespace',
        about: 'the unary real functions, and their correctly rounded tables over every code of a format',
      },
      {
        folder: 'random',
        root: 'namespace',
        about: "Threefry-2x32 keys as values, bits equal to jax.random's; seeded streams",
      },
      {
        folder: 'blocks',
        root: 'namespace',
        about: 'tensors in blocks that share a scale: OCP MX and NVFP4, their matrix product, their error',
      },
    ],
  },
  {
    title: 'Tensors and gradients',
    doors: [
      {
        folder: 'tensor',
        root: 'flat',
        about:
          'dtype + shape + codes; elementwise operations, reductions by named order and accumulator, matmul',
      },
      {
        folder: 'numerics',
        root: 'flat',
        about: 'stable functions and their naive forms, measures of drift, a-priori error bounds',
      },
      {
        folder: 'autodiff',
        root: 'namespace',
        about: 'gradients that round where the hardware rounds; where the first NaN or Inf came from',
      },
      {
        folder: 'compile',
        root: 'namespace',
        about:
          'a function of tensors as one program: recorded once, replayed many times faster with the same bits',
      },
      {
        folder: 'tree',
        root: 'namespace',
        about: 'nested objects and arrays of tensors: map, leaves with paths, structure checks',
      },
    ],
  },
  {
    title: 'The precision doctor',
    doors: [
      {
        folder: 'precision',
        root: 'namespace',
        about:
          'the precision doctor: where bits are lost, rewrites and tuning that recover them, certified bounds, Monte Carlo rounding',
      },
    ],
  },
  {
    title: 'Programs from Python',
    doors: [
      {
        folder: 'stablehlo',
        root: 'none',
        anywhere: 'only who brings a program needs it',
        about:
          'StableHLO that JAX and PyTorch write: read, run, differentiated and explained with its Python lines',
      },
      {
        folder: 'onnx',
        root: 'none',
        anywhere: 'only who brings a model needs it',
        about: 'ONNX models that PyTorch exports: read, run, differentiated and explained node by node',
      },
    ],
  },
  {
    title: 'Training',
    doors: [
      {
        folder: 'optimizer',
        root: 'namespace',
        about: "gradient transformations in optax's semantics, chained; fused AdamW, EMA, muP, state to save",
      },
      {
        folder: 'schedule',
        root: 'namespace',
        about:
          "learning-rate schedules as functions of the step: optax's, inverse square root, WSD, restarts",
      },
      {
        folder: 'losses',
        root: 'namespace',
        about:
          "losses in optax's semantics as tensor programs, differentiable and in every dtype; CTC among them",
      },
      {
        folder: 'lowprecision',
        root: 'namespace',
        about:
          'parameters stored in few bits: master copies, Kahan, stochastic rounding; dynamic loss scaling',
      },
      {
        folder: 'collectives',
        root: 'namespace',
        about: 'all-reduce over simulated replicas as ring, tree or all-to-all; every rounding, every byte',
      },
      {
        folder: 'train',
        root: 'none',
        about: 'a short training loop: repeatable, stopped and resumed to the byte',
      },
    ],
  },
  {
    title: 'Models',
    doors: [
      {
        folder: 'nn',
        root: 'namespace',
        about:
          'layers as pure functions over trees of parameters, each with a precision policy; initializers with the bits of JAX',
      },
      {
        folder: 'kernels',
        root: 'namespace',
        about:
          'attention, products, RoPE, norms, routing and fp8, as TPUs and GPUs round them; their errors and costs',
      },
      {
        folder: 'ssm',
        root: 'namespace',
        about: 'state-space duality in every common form: recurrence, factorized, pairwise, segsum, chunked',
      },
      {
        folder: 'vq',
        root: 'namespace',
        about: 'vector quantisation: codebooks, wrong codes in low precision, a whole model in a bit budget',
      },
      {
        folder: 'nca',
        root: 'namespace',
        about: 'neural cellular automata in one and two dimensions, in any dtype: shapes that grow and heal',
      },
      {
        folder: 'env',
        root: 'namespace',
        about:
          'environments as pure functions of state, action and key: CartPole, trading; features, leakage tests',
      },
      {
        folder: 'rl',
        root: 'namespace',
        about:
          'PPO with every rounding point documented: advantages, losses, updates as one program, bit-exact runs',
      },
    ],
  },
  {
    title: 'Experiments',
    doors: [
      {
        folder: 'step2750',
        root: 'namespace',
        about: 'the step-2750 experiment: trained until it breaks, and explained from its own numbers',
      },
      {
        folder: 'step2750Files',
        root: 'none',
        about: 'its files: recorded data, a run that is saved and resumed, a grid of runs',
      },
      {
        folder: 'drift',
        root: 'none',
        anywhere: 'its name is a function there',
        about: 'the drift bench: operations in low precision, naive and stable, against the exact result',
      },
      {
        folder: 'failures',
        root: 'namespace',
        about: 'a gallery of cited low-precision failures, each in its naive and its stable form',
      },
      {
        folder: 'recipes',
        root: 'none',
        about: 'published recipes of low-precision training, with and without each ingredient, over seeds',
      },
      {
        folder: 'sweep',
        root: 'none',
        about: 'an experiment over many parameter values, in threads; rows in a file that survives a kill',
      },
    ],
  },
  {
    title: 'Planning',
    doors: [
      {
        folder: 'hardware',
        root: 'namespace',
        about: 'TPU generations and slices as data: peaks, memories, links, topologies, each with its source',
      },
      {
        folder: 'model',
        root: 'namespace',
        about:
          'architectures as data: exact parameters, FLOPs, bytes, activations, caches, the memory of a step',
      },
      {
        folder: 'mxu',
        root: 'namespace',
        about:
          'matrix units: padding and waste of a product, bytes of an array in HBM, audits of configurations',
      },
      {
        folder: 'roofline',
        root: 'namespace',
        about:
          'what bounds an operation and a step; a lower bound of the time, and an estimate with its assumptions',
      },
      {
        folder: 'sharding',
        root: 'namespace',
        about:
          "meshes in the order of a slice's torus, jax.sharding's parts of an array, parallel strategies",
      },
      {
        folder: 'systolic',
        root: 'namespace',
        about:
          'cycles of a matrix product on a systolic array, three dataflows, and every cell in every cycle',
      },
      {
        folder: 'xla',
        root: 'namespace',
        about: 'flags of libtpu and XLA: which exist, the variable of each, recommended sets, a linter',
      },
      {
        folder: 'plan',
        root: 'namespace',
        about: 'a slice, precision, mesh and flags as one checked description; rules and pitfalls as checks',
      },
    ],
  },
  {
    title: 'Files and data',
    doors: [
      {
        folder: 'files',
        root: 'none',
        browser: true,
        needs: 'Node where it takes paths',
        about: 'safetensors, npy, npz and JSON that keep every bit, large files part by part, atomic writes',
      },
      {
        folder: 'data',
        root: 'none',
        anywhere: 'its tables are 149 kB',
        about: 'recorded data that experiments run on, as tables with source and checksum',
      },
      {
        folder: 'pipeline',
        root: 'none',
        about:
          'data in a repeatable order: shards, transforms in workers, batches over hosts, resume at any record',
      },
      {
        folder: 'replay',
        root: 'none',
        about:
          'replay buffers in narrow storage: n-step, sequences, priorities, batches drawn ahead, exact resume',
      },
      {
        folder: 'checkpoint',
        root: 'none',
        about: 'saved states of runs: atomic, written in a thread; models in the layout of Hugging Face',
      },
    ],
  },
  {
    title: 'Operations',
    doors: [
      {
        folder: 'monitor',
        root: 'none',
        about:
          'the numerical health of a run as metrics: JSON lines, TensorBoard, Prometheus, alerts, a Grafana dashboard',
      },
      {
        folder: 'profile',
        root: 'none',
        about:
          'where the time of a run goes: operations, source lines, traces, bottlenecks; the problems of a run',
      },
      {
        folder: 'hosts',
        root: 'none',
        about:
          'hosts as processes: connected over TCP, sums with the bits of collectives, detection of lost hosts',
      },
      {
        folder: 'queue',
        root: 'none',
        about: 'sweeps over many machines: trials in PostgreSQL, taken by workers, each result stored once',
      },
    ],
  },
  {
    title: 'Presentation and other libraries',
    doors: [
      {
        folder: 'report',
        root: 'none',
        about: 'tables, SVG plots and self-contained HTML pages',
      },
      {
        folder: 'tfjs',
        root: 'none',
        about:
          'TensorFlow.js: tensors both ways, models trained by our chains, precision emulated layer by layer',
      },
    ],
  },
]

export const doors: readonly Door[] = doorGroups.flatMap((group) => group.doors)

/** True where the folder runs anywhere: in a browser as well as in Node. */
export function isPortable(door: Door): boolean {
  return door.root !== 'none' || door.anywhere !== undefined
}
