/** What is mutated, and the tests that have to notice. */
export interface MutantSubject {
  readonly files: readonly string[]
  readonly tests: readonly string[]
  /** Entries of tables, deleted and swapped; else operators and numbers anywhere. */
  readonly tables: boolean
}

const doctor = ['test/precision/program', 'test/precision/certify/constants.test.ts']
/** By name: tables about operations first, then formats, tensor and autodiff. */
export const mutantSubjects: Readonly<Record<string, MutantSubject>> = {
  gradients: {
    files: ['unaryRules', 'arithmeticRules', 'layoutRules', 'reductionRules', 'rules'].map(
      (name) => `tensors/autodiff/rules/${name}.ts`,
    ),
    tests: ['test/autodiff/differences.test.ts', 'test/autodiff/jaxGradients.test.ts'],
    tables: true,
  },
  reals: {
    files: ['precision/reals/realArithmetic.ts'],
    tests: doctor,
    tables: true,
  },
  bounds: {
    files: ['elementBounds', 'sumBounds', 'decisionBounds', 'boundRules'].map(
      (name) => `precision/certify/${name}.ts`,
    ),
    tests: [...doctor, 'test/precision/certify/certify.test.ts'],
    tables: true,
  },
  exceptions: {
    files: ['tensors/autodiff/explain/exceptionRules.ts'],
    tests: [
      'test/autodiff/explain/exceptionRules.test.ts',
      'test/precision/shadow/eventRules.test.ts',
      'test/autodiff/explain/findFirstNonFinite.test.ts',
    ],
    tables: true,
  },
  stepping: {
    files: ['precision/sample/steppingRules.ts'],
    tests: ['test/precision/program/everyOperation.test.ts', 'test/precision/sample/significantBits.test.ts'],
    tables: true,
  },
  tangents: {
    files: ['tensors/autodiff/forward/tangentRules.ts'],
    tests: ['test/autodiff/jvp.test.ts'],
    tables: true,
  },
  batches: {
    files: ['tensors/autodiff/vmap/batchRules.ts'],
    tests: ['test/autodiff/vmap.test.ts'],
    tables: true,
  },
  backends: {
    files: ['tensors/compile/withArithmetic.ts'],
    tests: ['test/compile/withArithmetic.test.ts'],
    tables: true,
  },
  loops: {
    files: ['tensors/compile/graph/lowering.ts'],
    tests: ['test/compile/rounding.test.ts', 'test/autodiff/jvp.test.ts'],
    tables: true,
  },
  policies: {
    files: ['precision/tune/throughFloat32.ts'],
    tests: ['test/precision/tune/withPolicy.test.ts'],
    tables: true,
  },
  forms: {
    files: ['arithmetic', 'cast', 'comparison', 'unary', 'where'].map(
      (name) => `tensors/tensor/elementwise/${name}.ts`,
    ),
    tests: [
      ...doctor,
      ...['reads', 'unary', 'arithmetic', 'comparison', 'cast'].map((name) => `test/tensor/${name}.test.ts`),
    ],
    tables: true,
  },
  formats: {
    files: ['round', 'encode', 'ulp', 'format'].map((name) => `numbers/formats/${name}.ts`),
    tests: ['encode', 'format', 'ulp', 'golden', 'properties'].map((name) => `test/formats/${name}.test.ts`),
    tables: false,
  },
  tensor: {
    files: ['reads.ts', 'reductions/scanLane.ts', 'reductions/sumLane.ts', 'layout/slice.ts'].map(
      (name) => `tensors/tensor/${name}`,
    ),
    tests: ['reads', 'orders', 'reduce', 'layout'].map((name) => `test/tensor/${name}.test.ts`),
    tables: false,
  },
  autodiff: {
    files: ['backward.ts', 'rules/scatter.ts', 'rules/sumOptions.ts', 'rules/cumprodRule.ts'].map(
      (name) => `tensors/autodiff/${name}`,
    ),
    tests: ['grad', 'vjp', 'composed', 'checkpoint', 'scan', 'differences', 'jaxGradients'].map(
      (name) => `test/autodiff/${name}.test.ts`,
    ),
    tables: false,
  },
}
