import ts from 'typescript'
import oldest from 'typescript-5.0'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { root } from '../support/project.js'

const options = {
  target: 'es2022',
  lib: ['es2022'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  types: [],
}

/** What a compiler says of the file of a user, who has the emitted declarations only. */
function complaints(compiler: Pick<typeof ts, 'version'>): string[] {
  // The two versions' types do not know each other; of both only these functions are called.
  const {
    convertCompilerOptionsFromJson,
    createProgram,
    flattenDiagnosticMessageText,
    getPreEmitDiagnostics,
  } = compiler as typeof ts
  const { options: parsed, errors } = convertCompilerOptionsFromJson(options, root)
  const program = createProgram([`${root}test/package/consumer.ts`], parsed)
  return [...errors, ...getPreEmitDiagnostics(program)].map(
    ({ file, start, messageText }) =>
      `${file?.fileName.replace(root, '')}:${start}: ${flattenDiagnosticMessageText(messageText, '\n')}`,
  )
}

describe('the declarations of the root', () => {
  // `npm run build` reads them with the newest.
  it.each((isLong ? [oldest, ts] : [oldest]).map((compiler) => ({ version: compiler.version, compiler })))(
    'are read by TypeScript $version, which rejects operands of two dtypes and unknown options',
    ({ compiler }) => {
      expect(complaints(compiler)).toEqual([])
    },
  )
})
