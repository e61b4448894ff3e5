import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { examineApart } from '../../src/server/examiner/examiner.ts'
import { compileProgram, type Program } from '../cli/program.ts'
import { filesOf, type Site, startSite, yamlOf } from '../cli/site.ts'
import { outcomeOf, send } from '../http/calls.ts'
import { type Backend, startBackend } from '../support/backend.ts'

let program: Program
let backend: Backend

beforeAll(async () => {
  program = compileProgram()
  backend = await startBackend()
})

afterAll(async () => {
  await program.end()
  await backend.close()
})

const good = () => yamlOf(backend.url)
const DEEP = `x: ${'['.repeat(30_000)}${']'.repeat(30_000)}\n`
const operator = { authorization: 'Bearer cli-admin-token' }
const ask = ({ env }: Site, endpoint: string, body: object = {}) =>
  send({ url: env.SVCCTL_ADMIN ?? '' }, endpoint, { headers: operator, body })

/** How many requests of a client were answered before the operator was. */
async function answeredDuring(site: Site, operation: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = operation.finally(() => {
    isOver = true
  })
  let answers = 0
  while (!isOver) {
    await (await fetch(`${site.url}/healthz`)).text()
    if (!isOver) answers++
  }
  await over
  return answers
}

it('clients are answered while the files of an apply are checked', async () => {
  const site = await startSite(program, filesOf({ 'config.yaml': good() }), 'config.yaml')
  const served = await send({ url: site.env.SVCCTL_ADMIN ?? '' }, 'GET /admin/config', { headers: operator })
  const { revision } = served.body as { revision: string }
  const files = [{ file: 'config.yaml', text: good() + DEEP }]

  const applied = ask(site, 'POST /admin/apply', { previous: revision, files })

  expect(await answeredDuring(site, applied)).toBeGreaterThan(20)
  expect(outcomeOf(await applied)).toBe('409 APPLY_REFUSED')
  expect((await applied).text).toContain('nested too deeply')
})

it('clients are answered while the files of a reload are checked', async () => {
  const site = await startSite(program, filesOf({ 'config.yaml': good() }), 'config.yaml')
  site.write('config.yaml', good() + DEEP)

  const reloaded = ask(site, 'POST /admin/reload')

  expect(await answeredDuring(site, reloaded)).toBeGreaterThan(20)
  expect((await reloaded).text).toContain('nested too deeply')
})

it('an apply on a gateway of its own process serves the candidate with its keys from the environment', async () => {
  const site = await startSite(program, filesOf({ 'config.yaml': good() }), 'config.yaml')
  const served = await send({ url: site.env.SVCCTL_ADMIN ?? '' }, 'GET /admin/config', { headers: operator })
  const { revision } = served.body as { revision: string }
  const apply = (text: string) =>
    ask(site, 'POST /admin/apply', { previous: revision, files: [{ file: 'config.yaml', text }] })

  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the file.
  const unknown = await apply(good().replace('test-model,', 'test-model, key: "${PATH}",'))
  const dearer = await apply(good().replace('output: 10', 'output: 11'))

  expect(unknown.text).toContain('files that are applied may not read the variable PATH')
  expect(dearer).toMatchObject({ status: 200, body: { changed: true, previous: revision } })
})

/** As compiled: a thread runs no TypeScript. */
const apart = async (): Promise<typeof examineApart> =>
  (await import(join(dirname(program.main), '../server/examiner/examiner.js'))).examineApart

it('a thread that does not end in time is ended, and the files are refused for it', async () => {
  const examine = (await apart())(join(filesOf({ 'config.yaml': good() }), 'config.yaml'), 1)

  expect(await examine()).toMatchObject({ ok: false, problems: [{ rule: 'slow-files' }] })
})

it('another thread finds the same as a load', async () => {
  const file = join(filesOf({ 'config.yaml': good() }), 'config.yaml')
  const examine = (await apart())(file)
  // Both must come from one build: plans hold rows of the table of limits, whose functions equal only themselves.
  const { load }: typeof import('../../src/config/load.ts') = await import(
    join(dirname(program.main), '../config/load.js')
  )

  const [found, loaded] = [await examine(), load(file, process.env, process.cwd())]

  expect(found.ok && found.load()).toEqual(loaded.ok && loaded.loaded)
})
