import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newestParts, partsOf } from '../../../src/cli/explain/decision-lines.ts'
import { directoryOf } from '../../config/files.ts'
import { workOf } from '../../support/work.ts'

async function linesOf(parts: AsyncIterable<{ readonly lines: readonly string[] }>): Promise<readonly string[]> {
  const all: string[] = []
  for await (const { lines } of parts) all.push(...lines)
  return all.filter(line => line !== '')
}

function filesOf(texts: readonly string[]): readonly string[] {
  const directory = directoryOf({})
  return texts.map((text, at) => {
    writeFileSync(join(directory, `${at}.ndjson`), text)
    return join(directory, `${at}.ndjson`)
  })
}

it('the newest lines first are all lines of all files, backwards', async () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map(text => text.replaceAll('\n', ' '))
  const file = fc
    .tuple(fc.array(line, { maxLength: 8 }), fc.boolean())
    .map(([lines, ended]) => lines.join('\n') + (ended ? '\n' : ''))
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 4 }), async texts => {
      const files = filesOf(texts)

      expect(await linesOf(newestParts(files))).toEqual([...(await linesOf(partsOf(files)))].reverse())
    }),
    { numRuns: 30 },
  )
})

it('lines across the bounds of what is read at once are whole, also one that is longer', async () => {
  const lines = Array.from({ length: 40 }, (_, n) => `${n} ${'ä€😀'.repeat(n === 20 ? 300_000 : 7000 + n)}`)

  expect(await linesOf(newestParts(filesOf([lines.join('\n')])))).toEqual(lines.reverse())
})

it('the work of a line grows with its length, forwards and backwards, and one of 17 MB is refused', async () => {
  const fileWith = (bytes: number) => filesOf([`{}\n${'x'.repeat(bytes)}\n{}\n`])
  for (const read of [partsOf, newestParts]) {
    const work = (bytes: number) => workOf(() => linesOf(read(fileWith(bytes))))

    expect((await work(8_000_000)) / (await work(4_000_000))).toBeLessThan(2.2)
    await expect(linesOf(read(fileWith(17_000_000)))).rejects.toThrow('longer than 16 MB: this is not a decision log')
  }
})
