import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compileProgram, type Program } from '../cli/program.ts'
import { filesOf, startSite, yamlOf } from '../cli/site.ts'
import { send } from '../http/calls.ts'

type Examiner = typeof import('../../src/server/examiner/examiner.ts')
let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

const good = yamlOf('http://127.0.0.1:9/v1')
const many = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n)).join('')
const HOSTILE = {
  'unknown names': good + many(12_000, n => `unknown_${n}: 1\n`),
  'unknown names in one line': `{ version: 1, ${many(12_000, n => `unknown_${n}: 1, `)} }`,
  'lists that are nested deeply': `${good}x: ${'['.repeat(110_000)}${']'.repeat(110_000)}`,
  'maps that are nested deeply': `${good}x: ${'{a: '.repeat(45_000)}${'}'.repeat(45_000)}`,
  'aliases of aliases': `${good}x0: &x0 [a, a]\n${many(60, n => `x${n + 1}: &x${n + 1} [${many(200, () => `*x${n},`)}]\n`)}`,
  'a plan with many unknown models': good.replace('models: all', `models: [${many(14_000, n => `svc-cor${n}, `)}]`),
  'many plans of an unknown model': good.replace(
    'plans: {',
    `plans: { ${many(2500, n => `q${n}: { models: [none], rpm: 1, tpm: 40k, monthly_usd: 1 }, `)}`,
  ),
}

/** The maximum of one answer to a client, on a machine with a core for each of the two threads. */
const MOST_MS = 100

it.each(Object.entries(HOSTILE))('while an apply of %s is refused a client waits 100 ms at most', async (_, text) => {
  const site = await startSite(program, filesOf({ 'config.yaml': good }), 'config.yaml')
  const operator = { headers: { authorization: `Bearer ${site.env.SVCCTL_TOKEN}` } }
  const admin = { url: site.env.SVCCTL_ADMIN ?? '' }
  const apply = async (candidate: string) => {
    const { revision } = (await send(admin, 'GET /admin/config', operator)).body as { revision: string }
    const body = { previous: revision, files: [{ file: 'config.yaml', text: candidate }] }
    return send(admin, 'POST /admin/apply', { ...operator, body })
  }
  // Code compiled for the first apply is not a cost of this one.
  await apply('version: 2')

  let isOver = false
  const applied = apply(text).finally(() => {
    isOver = true
  })
  let longest = 0
  while (!isOver) {
    const begun = performance.now()
    await (await fetch(`${site.url}/healthz`)).text()
    longest = Math.max(longest, performance.now() - begun)
    await sleep(1)
  }

  expect((await applied).status).toBe(409)
  expect(longest).toBeLessThanOrEqual(MOST_MS)
})

it('a thread that needs too much memory is ended, and the files are refused for it', async () => {
  const included = `aliases: {${'a: b,'.repeat(190_000)}}\n`
  const names = Array.from({ length: 60 }, (_, n) => `part-${n}.yaml`)
  const directory = filesOf({
    'config.yaml': `include: ["part-*.yaml"]\n${good}`,
    ...Object.fromEntries(names.map(name => [name, included])),
  })
  const { examineApart: apart } = (await import(
    join(dirname(program.main), '../server/examiner/examiner.js')
  )) as Examiner
  const examine = apart(join(directory, 'config.yaml'), 60_000)

  expect(await examine()).toMatchObject({ ok: false, problems: [{ rule: 'large-files' }] })
})
