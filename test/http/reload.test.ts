import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, startBackend, status } from '../support/backend.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN_TOKEN, AUDIENCE, startTestGateway, type TestGateway, type TestPools } from '../support/gateway.ts'
import { heldStream, reading } from '../support/held.ts'
import { startOidc } from '../support/identity/oidc.ts'
import { codeOf, fieldOf, outcomeOf, send } from './calls.ts'

let onprem: Backend
let other: Backend
let test: TestGateway

beforeEach(async () => {
  onprem = await startBackend()
  other = await startBackend()
})

afterEach(async () => {
  await test.close()
  await Promise.all([onprem.close(), other.close()])
})

const start = async (pools: Partial<TestPools> = {}) => {
  test = await startTestGateway({ onprem: [onprem], ...pools })
}
const chat = (token: string, body = {}) =>
  send(test, 'POST /v1/chat/completions', { token, body: { messages: [{ role: 'user', content: 'Hi' }], ...body } })
const operator = { authorization: `Bearer ${ADMIN_TOKEN}` }
const admin = async (endpoint: string) => send({ url: test.admin }, endpoint, { headers: operator })
const dearer = (yaml: string) => yaml.replace('input: 1, output: 10', 'input: 10, output: 100')
const bad = (yaml: string) => yaml.replace('rpm: 20,', 'rpm: 0,')
const worse = (yaml: string) => bad(yaml).replace('version: 1', 'version: 1\nmodles: {}')

describe('a request that is under way', () => {
  it('keeps the price, the model and the plan that it began with; the next one has the new', async () => {
    await start()
    const key = await test.key('pro')
    const stream = heldStream()
    onprem.next(stream.behaviour)
    const read = reading(await test.chat(key, { stream: true, max_tokens: 50 }))
    await read.until('Hello')

    const reloaded = await test.reload({}, yaml =>
      dearer(yaml).replace('model: test-model', 'model: new-model').replace('models: all', 'models: [tier:guest]'),
    )
    // Rows stand in the order of their milliseconds.
    test.clock.advance(1)
    const refused = await chat(key, { model: 'svc-ultra-pro', max_tokens: 2000 })
    await chat(key, { max_tokens: 50 })
    stream.letGo()

    expect((await read.rest()).endsWith('data: [DONE]\n\n')).toBe(true)
    expect(outcomeOf(refused)).toBe('429 rate_limit_exceeded')
    expect(onprem.requests.map(({ body }) => body.model)).toEqual(['test-model', 'new-model'])
    const { revision, previous } = 'denial' in reloaded ? { revision: '', previous: '' } : reloaded
    expect(revision).not.toBe(previous)
    expect(await test.ledger()).toMatchObject([
      { revision: previous, cost: 9 * 1_000 + 3 * 10_000, plan: 'pro' },
      { revision, cost: 9 * 10_000 + 3 * 100_000, plan: 'pro' },
    ])
  })

  it('ends on its plan, which the files do not declare any more', async () => {
    await start()
    const key = await test.key('free')
    const stream = heldStream()
    onprem.next(stream.behaviour)
    const read = reading(await test.chat(key, { stream: true }))
    await read.until('Hello')

    await test.reload({}, yaml => yaml.replace(/ {2}free: .*\n/, ''))
    stream.letGo()

    expect(await read.rest()).toContain('[DONE]')
    expect(await test.ledger()).toMatchObject([{ plan: 'free' }])
    expect(codeOf(await chat(key))).not.toBe('')
  })

  it('keeps its deadlines; the next one has the new', async () => {
    await start()
    const key = await test.key('pro')
    const streams = [heldStream(), heldStream()] as const
    onprem.next(streams[0].behaviour, streams[1].behaviour)
    const before = reading(await test.chat(key, { stream: true }))
    await before.until('Hello')
    await test.reload({ yaml: 'failover: { idle_timeout: 5s }' })
    const after = reading(await test.chat(key, { stream: true }))
    await after.until('Hello')

    test.clock.advance(5_000)

    expect(await after.rest()).toContain('UPSTREAM_INTERRUPTED')
    streams[0].letGo()
    expect(await before.rest()).toContain('[DONE]')
  })
})

describe('the next request', () => {
  it('is held to the new limits, and its error has the new links', async () => {
    await start()
    const key = await test.key('pro')

    await test.reload({ yaml: 'limits: { body: 1KB }\nerrors: { docs: "https://docs.example.com" }' })

    expect(codeOf(await chat(key, { user: 'x'.repeat(2000) }))).toBe('PAYLOAD_TOO_LARGE')
    const { text } = await chat(await test.key('free', 'bob'), { model: 'svc-ultra-pro', max_tokens: 2000 })
    expect(text).toContain('https://docs.example.com')
  })

  it('may reach a replica that was added', async () => {
    await start()
    const key = await test.key('pro')
    await chat(key)

    await test.reload({ onprem: [onprem, other] })

    // A prompt of its own each time: one that was sent before goes where it is cached.
    for (let n = 0; other.requests.length === 0; n++)
      expect((await chat(key, { messages: [{ role: 'user', content: `Question ${n}` }] })).status).toBe(200)
  })

  it.each([
    ['in the environment', async () => test.reload({ env: { CLOUD_KEY: 'sk-cloud-second-5678' } })],
    [
      'in a file',
      async () => {
        writeFileSync(join(test.dir, 'cloud.key'), 'sk-cloud-second-5678\n')
        return test.reload({}, keyInFile)
      },
    ],
  ])('is sent with a key that was changed %s', async (_where, change) => {
    await start({ cloud: [other] })
    // Left at once for the next pool, without a wait.
    onprem.always(status(401))
    const key = await test.key('pro')
    await chat(key)

    const reloaded = await change()
    await chat(key)

    expect(reloaded).toMatchObject({ changed: true })
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-cloud-secret-1234',
      'Bearer sk-cloud-second-5678',
    ])
  })

  it('is judged by the provider that the files name now', async () => {
    const oidc = await startOidc({ audience: AUDIENCE, users: { pia: { plan: 'pro' } } })
    await start({ oidc })
    const { accessToken: token } = await oidc.signIn('pia')
    const told = async () => outcomeOf(await chat(token))
    const before = await told()
    const keysRead = oidc.requests.filter(path => path.includes('jwks')).length

    await test.reload({}, dearer)
    const same = await told()
    const again = oidc.requests.filter(path => path.includes('jwks')).length - keysRead
    await test.reload({}, yaml => yaml.replace(/^identity: .*$/m, ''))
    const without = await told()
    await test.reload()
    const back = await told()
    await oidc.stop()

    expect([before, same, without, back]).toEqual(['200', '200', '401 INVALID_TOKEN', '200'])
    // A provider that stayed the same is not asked for its keys again.
    expect(again).toBe(0)
  })

  it('gets the keys of guests from the new secret', async () => {
    await start({ guests: 'usd_per_day_total: 50' })
    const mint = () => send(test, 'POST /v1/keys/guest', { body: { device_id: 'a-device' } })
    const [before, same] = [await mint(), await mint()]

    await test.reload({ env: { SVC_GUEST_SECRET: 'guest-root-secret-of-the-tests-0002' } })

    expect(fieldOf(before, 'key')).toBe(fieldOf(same, 'key'))
    expect(fieldOf(await mint(), 'key')).not.toBe(fieldOf(before, 'key'))
  })
})

describe('connections to backends', () => {
  it('of a replica that was removed are closed once its last stream is over, and not before', async () => {
    await start()
    const key = await test.key('pro')
    const stream = heldStream()
    onprem.next(stream.behaviour)
    const read = reading(await test.chat(key, { stream: true }))
    await read.until('Hello')

    await test.reload({ onprem: [other] })
    await chat(key)

    expect(other.requests).toHaveLength(1)
    expect(onprem.connections).toBe(1)
    stream.letGo()
    expect(await read.rest()).toContain('[DONE]')
    await eventually(() => expect(onprem.connections).toBe(0))
  })

  it('of a replica that stays are used on', async () => {
    await start()
    const key = await test.key('pro')
    for (let n = 0; n < 5; n++) {
      await chat(key)
      await test.reload({}, yaml => yaml.replace('output: 10', `output: ${11 + n}`))
    }

    await chat(key)

    expect(test.gateway.app.generation).toBe(6)
    expect(onprem.accepted).toBe(1)
  })
})

describe('files that are not in order', () => {
  it('leave what serves as it is, and are seen in the log, in /readyz and in the counts', async () => {
    await start()
    const key = await test.key('pro')
    const revision = () => test.gateway.app.config.revision
    const before = revision()

    test.clock.advance(1000)
    const refused = await test.reload({}, worse)

    expect((await chat(key)).status).toBe(200)
    expect(revision()).toBe(before)
    expect(refused).toMatchObject({ denial: { problems: [{ rule: 'unknown-field' }, { rule: 'out-of-range' }] } })
    expect(test.alarms).toEqual([
      'the configuration was not reloaded: the previous one stays in force {"problems":2,"first":"config.yaml:3:1 unknown field `modles`"}',
    ])
    expect(test.said.join('')).toMatch(
      /✗ config\.yaml:3:1 {2}unknown field[\s\S]*✗ config\.yaml:\d+:\d+ {2}`0` is out of range/,
    )
    expect((await admin('GET /readyz')).body).toEqual({
      status: 'ready',
      revision: before,
      generation: 1,
      loaded_at: '2026-11-21T10:00:00.000Z',
      store: 'ok',
      fleet: { gateways: 1, drift: [] },
      reload: {
        ok: 0,
        failed: 1,
        last_error: { at: '2026-11-21T10:00:01.000Z', problems: 2, first: 'config.yaml:3:1 unknown field `modles`' },
      },
    })
    expect((await send(test, 'GET /readyz')).body).toEqual({ status: 'ready', revision: before })
  })

  it('are forgotten once they are corrected', async () => {
    await start()
    await test.reload({}, bad)
    const readyz = async () => JSON.stringify((await admin('GET /readyz')).body)

    await test.reload({}, dearer)

    expect(await readyz()).toContain('"generation":2,')
    expect(await readyz()).toContain('"reload":{"ok":1,"failed":1}')
  })

  it('are forgotten once they are what serves again', async () => {
    await start()
    await test.reload({}, bad)

    expect(await test.reload()).toMatchObject({ changed: false, generation: 1 })
    expect(test.gateway.app.reloads).toEqual({ ok: 0, failed: 1 })
  })

  it('are refused as a whole where one field needs a restart', async () => {
    await start()
    const key = await test.key('pro')

    const refused = await test.reload({}, yaml => dearer(yaml).replace('version: 1', 'version: 1\nbrand: acme'))
    await chat(key)

    expect(refused).toMatchObject({ denial: { problems: [{ rule: 'needs-restart', line: 3, column: 8 }] } })
    expect(await test.ledger()).toMatchObject([{ cost: 39_000 }])
  })

  it('are also those whose secret of guests this process may not read', async () => {
    await start()
    writeFileSync(join(test.dir, 'guest-secret'), 'too short')

    const refused = await test.reload({ guests: 'usd_per_day_total: 50', env: { CLOUD_KEY: 'sk' } })

    expect(refused).toMatchObject({ denial: { problems: [{ rule: 'cannot-reload' }] } })
    expect(test.gateway.app.generation).toBe(1)
  })
})

describe('POST /admin/reload', () => {
  it('tells the revision, and the one before', async () => {
    await start()
    const revision = () => test.gateway.app.config.revision
    const previous = revision()
    test.write({}, dearer)

    const first = await admin('POST /admin/reload')
    const second = await admin('POST /admin/reload')

    expect(revision()).not.toBe(previous)
    expect(first.body).toEqual({ revision: revision(), previous, generation: 2, changed: true, warnings: [] })
    expect(second.body).toEqual({ ...Object(first.body), previous: revision(), changed: false })
  })

  it('tells all problems, each at its place', async () => {
    await start()
    test.write({}, worse)

    const told = await admin('POST /admin/reload')

    expect(outcomeOf(told)).toBe('409 RELOAD_REFUSED')
    expect(told.body).toMatchObject({
      code: 'RELOAD_REFUSED',
      problems: [
        { file: 'config.yaml', line: 3, column: 1, rule: 'unknown-field', severity: 'error' },
        { file: 'config.yaml', rule: 'out-of-range' },
      ],
      text: expect.stringContaining('✗ config.yaml:3:1'),
    })
    expect(test.gateway.app.reloads).toMatchObject({ failed: 1 })
  })

  it('is for operators alone', async () => {
    await start()

    expect(outcomeOf(await send({ url: test.admin }, 'POST /admin/reload'))).toBe('401 INVALID_TOKEN')
    expect(outcomeOf(await send(test, 'POST /admin/reload'))).toBe('404 NOT_FOUND')
  })

  it('runs after the one that is under way', async () => {
    await start()
    const reloads = [test.reload({}, dearer), test.gateway.reload('operator'), test.gateway.reload('operator')]

    expect((await Promise.all(reloads)).map(each => !('denial' in each) && each.changed)).toEqual([true, false, false])
  })
})

it('rows are kept for as long as the files say when they are trimmed', async () => {
  await start()
  const key = await test.key('pro')
  await chat(key)
  test.clock.advance(2 * 86_400_000)
  const kept = (await test.ledger()).length

  await test.reload({ yaml: 'ledger: { keep: 1d }' })
  test.clock.advance(3_600_000)

  expect(kept).toBe(1)
  await eventually(async () => expect(await test.ledger()).toEqual([]))
})

/** The cloud's key as a file holds it. */
const keyInFile = (yaml: string) => yaml.replace(/"\$\{CLOUD_KEY\}"/, 'file:cloud.key')
