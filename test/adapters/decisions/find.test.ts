import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findDecision } from '../../../src/adapters/decisions/find.ts'
import { newRequestId } from '../../../src/gateway/accounts/keys.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { AT } from './made.ts'

const BODY_MS = 30_000

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-find-'))
})
afterEach(() => removeFolder(directory))

const random = (size: number) => crypto.getRandomValues(new Uint8Array(size))
const write = (number: number, lines: readonly string[]) =>
  writeFileSync(join(directory, `decisions-00000${number}.ndjson`), lines.map(line => `${line}\n`).join(''))
/** `at` is when it was decided, `body` how long its body took before that. */
const lineOf = (at: number, body: number, size: number) => {
  const id = newRequestId(AT + at - body, random)
  return { id, line: `{"v":2,"id":"${id}","at":${AT + at},"account":"acct_1","text":"${'x'.repeat(size)}"}` }
}
const find = (id: string) => findDecision(directory, id, BODY_MS)

it('every line is found, in whatever file and wherever in it, and however long its body took', async () => {
  const step = fc.record({
    after: fc.nat({ max: 4000 }),
    // Written behind others, whose store answered sooner.
    late: fc.nat({ max: 900 }),
    body: fc.oneof(fc.constant(0), fc.nat({ max: BODY_MS })),
    size: fc.oneof(fc.nat({ max: 300 }), fc.integer({ min: 60_000, max: 200_000 })),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 3 }),
      async files => {
        let now = 0
        const written = files.map(steps =>
          steps.map(({ after, late, body, size }) => {
            now += after
            return lineOf(now - late, body, size)
          }),
        )
        written.forEach((lines, index) => {
          write(
            index + 1,
            lines.map(({ line }) => line),
          )
        })
        for (const { id, line } of written.flat()) expect(await find(id)).toBe(line)
        await removeFolder(directory)
        directory = mkdtempSync(join(tmpdir(), 'svc-find-'))
      },
    ),
    { numRuns: 25 },
  )
})

it('a line among tens of thousands is found', async () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => lineOf(index * 40, 0, 400))
  write(
    1,
    lines.map(({ line }) => line),
  )
  for (const index of [0, 1, 19_999, 20_000, 39_999])
    expect(await find(lines[index]?.id ?? '')).toBe(lines[index]?.line)
})

it.each([
  ['of another time', newRequestId(AT - 86_400_000, random)],
  ['of this time that is not there', newRequestId(AT + 500, random)],
  ['that is none', 'req_none'],
  ['that is a part of another text', '"'],
])('an id %s has no line', async (_name, id) => {
  write(1, [lineOf(0, 0, 10).line, lineOf(1000, 0, 10).line, '{"v":2,"id":"cut'])

  expect(await find(id)).toBeUndefined()
})

it('where there is no log there is no line', async () => {
  expect(await findDecision(join(directory, 'none'), newRequestId(AT, random), BODY_MS)).toBeUndefined()
})
