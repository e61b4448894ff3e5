import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'

let onprem: Backend
let test: TestGateway

beforeEach(async () => {
  onprem = await startBackend()
  test = await startTestGateway({ onprem: [onprem] })
})

afterEach(async () => {
  await test.close()
  await onprem.close()
})

const post = (path: string, body: object, headers = {}) =>
  fetch(`${test.admin}/admin/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const ada = { 'x-svcctl-user': 'ada@laptop' }
const by = 'operator ada@laptop'

async function did(path: string, body: object = {}): Promise<void> {
  expect((await post(path, body, ada)).status).toBe(200)
}

async function rows() {
  const all: unknown[] = []
  for await (const { at: _, ...row } of test.gateway.store.accounts.readAudit()) all.push(row)
  return all
}

const serving = () => {
  const { number, revision, files } = test.gateway.app.revisions.serving
  return { revision, files, text: `${number} (${revision})` }
}

function apply(change: (yaml: string) => string, how?: string): Promise<void> {
  const { revision, files } = serving()
  const changed = files.map(({ file, text }) => ({ file, text: change(text) }))
  return did('apply', { previous: revision, files: changed, ...(how && { how }) })
}

it('each apply, rollback and reload is in the audit: who requested it, and both revisions', async () => {
  const first = serving().text
  await apply(yaml => yaml.replace('rpm: 20,', 'rpm: 21,'))
  const second = serving().text
  await apply(yaml => yaml.replace('rpm: 21,', 'rpm: 20,'), 'rollback')
  const third = serving().text
  test.write({}, yaml => yaml.replace('rpm: 20,', 'rpm: 22,'))
  await did('reload')

  expect(await rows()).toEqual([
    { by, action: 'apply', account: '', before: first, after: second },
    { by, action: 'rollback', account: '', before: second, after: third },
    { by, action: 'reload', account: '', before: third, after: serving().text },
  ])
  expect([first, second, third].map(text => text.slice(0, 3))).toEqual(['1 (', '2 (', '3 ('])
})

it('a pool and a replica that are drained and undrained are in the audit, each change once', async () => {
  const replica = onprem.url.replace(/\/$/, '')
  for (const path of ['drain', 'drain', 'undrain', 'undrain']) await did(`pools/${path}`, { pool: 'onprem' })
  await did('pools/drain', { pool: 'onprem', replica: 1 })

  expect(await rows()).toEqual([
    { by, action: 'drain', account: '', before: '', after: 'onprem' },
    { by, action: 'undrain', account: '', before: 'onprem', after: '' },
    { by, action: 'drain', account: '', before: '', after: expect.stringContaining(`onprem ${replica}`) },
  ])
})

it('a reload that changes nothing, a candidate that is refused and a reload by a watch leave no row', async () => {
  const { revision, files } = serving()
  await did('reload')
  expect((await post('apply', { previous: revision, files: files.map(each => ({ ...each, text: '!' })) })).ok).toBe(
    false,
  )
  test.write({}, yaml => yaml.replace('rpm: 20,', 'rpm: 22,'))
  await test.gateway.reload('watch')

  expect(serving().text).toMatch(/^2 /)
  expect(await rows()).toEqual([])
})

it('without a store that answers files are applied and pools drained all the same, and the log has the row', async () => {
  vi.spyOn(test.gateway.store.accounts, 'noteChange').mockRejectedValue(new StoreUnavailable('down'))
  const before = serving().text
  await apply(yaml => yaml.replace('rpm: 20,', 'rpm: 21,'))
  await did('pools/drain', { pool: 'onprem' })

  const missing = test.alarms.filter(text => text.includes('missing in the audit'))
  expect(missing).toEqual([
    expect.stringContaining(`"by":"${by}","action":"apply","before":"${before}","after":"${serving().text}"`),
    expect.stringContaining(`"by":"${by}","action":"drain"`),
  ])
})

it.each([
  ['of 65 characters', 'a'.repeat(65)],
  ['with a blank', 'ada lovelace'],
  ['that is empty', ''],
  ['in words of the gateway', '(local)'],
  ['beyond ASCII', 'ad\u00e4'],
])('a name %s is refused with the header that has it, and nothing is done', async (_, name) => {
  const answered = await post('keys', { account: 'ada', plan: 'free' }, { 'x-svcctl-user': name })

  expect(answered.status).toBe(400)
  expect(await answered.json()).toMatchObject({ error: expect.stringContaining('x-svcctl-user: must be 1 to 64') })
  expect(await rows()).toEqual([])
})

it('the name that an operator wishes goes before that of the user of the machine', async () => {
  const headers = { ...ada, 'x-svcctl-as': 'on-call/bob' }
  await post('keys', { account: 'ada', plan: 'free' }, headers)
  await post('pools/drain', { pool: 'onprem' }, headers)
  const refused = await post('keys/revoke', { key: 'ada' }, { ...ada, 'x-svcctl-as': 'bob (local)' })

  expect(await refused.json()).toMatchObject({ error: expect.stringContaining('x-svcctl-as: must be 1 to 64') })
  expect(await rows()).toMatchObject([
    { by: 'operator on-call/bob', action: 'mint' },
    { by: 'operator on-call/bob', action: 'drain' },
  ])
})

it('who names nobody is the operator', async () => {
  await post('keys', { account: 'ada', plan: 'free' })

  expect(await rows()).toMatchObject([{ by: 'operator', action: 'mint' }])
})
