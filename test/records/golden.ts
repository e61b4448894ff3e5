import { expect } from 'vitest'

/** Compares lines with those of a golden file, which has them as they were first written. */
export const golden = (name: string, lines: readonly string[]): Promise<void> =>
  expect(lines.map(line => `${line.trimEnd()}\n`).join('')).toMatchFileSnapshot(`golden/${name}`)
