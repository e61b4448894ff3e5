import { describe, it } from 'vitest'

/** The lane that runs this file: a file may belong to two. */
const { LANE } = process.env

/** `describe` and `it` of a lane that leaves these tests to another one, which registers and counts them. */
const elsewhere = {
  describe: Object.assign(() => {}, { each: () => () => {} }) as unknown as typeof describe,
  it: Object.assign(() => {}, { each: () => () => {} }) as unknown as typeof it,
}

/**
 * Registers tests in `npm test` alone, in a file whose other tests start a program and run in `npm run test:processes`. A file that
 * uses it belongs to both lanes.
 */
export const inNpmTest: { describe: typeof describe; it: typeof it } =
  LANE === 'processes' ? elsewhere : { describe, it }

/** Registers tests that need a program: in any lane but `npm test`, and skipped with a line that says so where it is missing. */
export function describeNeeding(program: {
  readonly isThere: boolean
  readonly missing: string
}): typeof describe.skip {
  if (LANE === 'node') return elsewhere.describe as unknown as typeof describe.skip
  if (!program.isThere) console.warn(`SKIPPED: ${program.missing}`)
  return describe.skipIf(!program.isThere)
}
