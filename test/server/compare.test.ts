import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { KeptRevisions } from '../../src/adapters/revisions/revisions.ts'
import { compileProgram, type Program } from '../cli/program.ts'
import { filesOf, startSite, yamlOf } from '../cli/site.ts'
import { outcomeOf, send } from '../http/calls.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { type Operator, operatorOf } from './apply/fixture.ts'

let backend: Backend
beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.close())

interface DiffBody {
  readonly changes: readonly {
    readonly kind: string
    readonly text: string
    readonly file: string
    readonly line: number
  }[]
  readonly texts_only: boolean
  readonly not_compared: readonly string[]
  readonly files: readonly { readonly file: string; readonly from: string | null; readonly to: string | null }[]
}

describe('GET /admin/revisions/diff', () => {
  let test: TestGateway
  let operator: Operator
  const diff = async (query: string) => operator.ask(`GET /admin/revisions/diff${query}`)
  const diffBody = async (query: string) => (await diff(query)).body as DiffBody

  beforeEach(async () => {
    test = await startTestGateway({ onprem: [backend], cloud: [backend] })
    operator = operatorOf(test)
  })
  afterEach(() => test.close())

  it('says what changes in meaning, at its line, most felt first, with the texts that differ', async () => {
    await operator.apply(yaml =>
      yaml.replace('rpm: 20,', 'rpm: 10,').replace('input: 1, output: 10', 'input: 1, output: 9'),
    )
    const { files, ...rest } = await diffBody('?from=1&to=2')
    const line = (files[0]?.to ?? '').split('\n').findIndex(text => text.startsWith('  free:')) + 1

    expect(rest).toMatchObject({ from: 1, to: 2, texts_only: false })
    expect(rest.changes.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'less plan free: rpm 20 → 10',
      'more price of svc-core output 10.00 → 9.00 USD per 1M',
    ])
    expect(rest.changes[0]).toMatchObject({
      subject: 'plan free',
      field: 'rpm',
      from: '20',
      to: '10',
      file: 'config.yaml',
      line,
    })
    expect(files.map(({ file }) => file)).toEqual(['config.yaml'])
    expect(files[0]?.from).toContain('rpm: 20,')
  })

  it('turned round, says the opposite', async () => {
    await operator.apply(yaml => yaml.replace('rpm: 20,', 'rpm: 10,'))
    const { changes } = await diffBody('?from=2&to=1')

    expect(changes.map(({ text }) => text)).toEqual(['plan free: rpm 10 → 20'])
  })

  it('says so where texts alone differ', async () => {
    await operator.apply(yaml => `${yaml}\n# a remark\n`)

    expect(await diffBody('?from=1&to=2')).toMatchObject({ changes: [], texts_only: true })
    expect(await diffBody('?from=2&to=2')).toMatchObject({ changes: [], texts_only: false, files: [] })
  })

  it('is 409 with the problems of a revision that does not load any more', async () => {
    await operator.apply(yaml => yaml.replace('rpm: 20,', 'rpm: 10,'))
    const kept = new KeptRevisions(join(test.dir, 'revisions'), () => {})
    await kept.open()
    const files = [{ file: 'config.yaml', text: 'version: 9\n' }]
    kept.keep({ revision: '012345678901', at: 0, by: 'operator', how: 'reload', files })
    await kept.written()
    test = await test.restart()
    operator = operatorOf(test)
    const told = await diff('?from=3&to=4')

    expect(outcomeOf(told)).toBe('409 REVISION_INVALID')
    expect(told.body).toMatchObject({ error: expect.stringMatching(/^Revision 3 no longer loads/) })
    expect((told.body as { problems: object[] }).problems).toContainEqual(
      expect.objectContaining({ file: 'config.yaml', line: 1 }),
    )
  })

  it('compares no value that is not there any more, and names it', async () => {
    await operator.apply(yaml => yaml.replace('rpm: 20,', 'rpm: 10,'))

    expect(await diffBody('?from=1&to=2')).toMatchObject({ not_compared: ['CLOUD_KEY is not set'] })
  })

  it('is 404 for a revision that is not kept', async () => {
    expect(outcomeOf(await diff('?from=1&to=7'))).toBe('404 NOT_FOUND')
  })

  it.each(['', '?from=1', '?from=1&to=x', '?from=1&to=2&more=1'])('is 400 for the query "%s"', async query => {
    expect(outcomeOf(await diff(query))).toBe('400 VALIDATION_ERROR')
  })
})

describe('the diff of two revisions', () => {
  let program: Program
  beforeAll(() => {
    program = compileProgram()
  })
  afterAll(() => program.end())

  it('has the changes of svcctl plan --json for the same files', async () => {
    const site = await startSite(program, filesOf({ 'config.yaml': yamlOf(backend.url) }), 'config.yaml')
    const next = yamlOf(backend.url).replace('rpm: 10k', 'rpm: 5k').replace('output: 10', 'output: 11')
    site.write('config.yaml', next)
    const { stdout } = await program.run(['plan', '--json'], { cwd: site.dir, env: site.env })
    const headers = { authorization: `Bearer ${site.env.SVCCTL_TOKEN}` }
    const url = site.env.SVCCTL_ADMIN ?? ''
    expect(outcomeOf(await send({ url }, 'POST /admin/reload', { headers, body: {} }))).toBe('200')
    const { body } = await send({ url }, 'GET /admin/revisions/diff?from=1&to=2', { headers })

    const planned = JSON.parse(stdout) as DiffBody
    expect(planned.changes).toHaveLength(2)
    expect((body as DiffBody).changes).toEqual(planned.changes)
  })
})
