import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LimitRule } from '../../../src/policy/limits/rule.ts'
import { answer, type Backend, startBackend, status } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { limitPlan } from '../../support/limit-rules.ts'
import { send } from '../calls.ts'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
  test = await startTestGateway({ onprem: [backend], explains: true })
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const session: LimitRule = { measure: 'requests', most: 2, per: 'idle:24h', of: 'session', lastTurn: 20 }
const messages = [{ role: 'user', content: 'Hi' }]
const DIALECTS = [
  ['/v1/chat/completions', { model: 'svc-core', messages, max_tokens: 90 }, { error: { type: 'session_limit' } }],
  ['/v1/responses', { model: 'svc-core', input: 'Hi', max_output_tokens: 90 }, { error: { type: 'session_limit' } }],
  ['/v1/messages', { model: 'svc-core', messages, max_tokens: 90 }, { error: { type: 'rate_limit_error' } }],
] as const

describe('a session that spent its budget', () => {
  it.each(DIALECTS)(
    'has a last bounded turn at %s, and then an error that is not to be retried',
    async (path, body, error) => {
      limitPlan(test, 'pro', [session])
      const key = await test.key('pro')
      const ask = () =>
        fetch(`${test.url}${path}`, {
          method: 'POST',
          headers: {
            ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            ...{ 'x-claude-code-session-id': 'ses_1', 'user-agent': 'claude-cli/2.1.332' },
          },
          body: JSON.stringify(body),
        })

      expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
      const caps = backend.requests.map(({ body }) => (body as { max_tokens?: number }).max_tokens)
      expect(caps).toEqual([90, 20])
      const refused = await ask()
      expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([429, 'false'])
      expect(refused.headers.get('retry-after')).toBeNull()
      const said = (await refused.json()) as { error: { type: string; message: string } }
      expect(said).toMatchObject(error)
      expect(said.error.message).toContain('Retrying does not help: begin a new session.')
    },
  )

  it('has its last turn again where every backend failed it', async () => {
    limitPlan(test, 'pro', [session])
    const key = await test.key('pro')
    const asked = { model: 'svc-core', messages, max_tokens: 90, prompt_cache_key: 'ses_1' }
    const ask = async () => (await test.chat(key, asked)).status
    expect(await ask()).toBe(200)
    backend.next(status(529))
    expect(await ask()).toBe(503)

    expect([await ask(), await ask()]).toEqual([200, 429])
  })

  it.each(DIALECTS)('is announced to the model at the end of a request at %s, and not before', async (path, body) => {
    limitPlan(test, 'pro', [{ ...session, most: 4, warn: 50 }])
    const key = await test.key('pro')
    for (const _ of [1, 2, 3, 4])
      await (
        await fetch(`${test.url}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', session_id: 'ses_1' },
          body: JSON.stringify(body),
        })
      ).arrayBuffer()

    const said = backend.requests.map(({ body }) => (body as { messages: { content: unknown }[] }).messages)
    expect(said.map(messages => messages.length)).toEqual([1, 1, 1, 1])
    const texts = said.map(([message]) => String(message?.content))
    expect(texts.slice(0, 2)).toEqual(['Hi', 'Hi'])
    expect(texts[2]).toMatch(/^Hi\n\n\[Notice of the gateway: this session has used 50 % of its budget/)
    expect(texts[3]).toMatch(/^Hi\n\n\[Notice of the gateway: this is the last answer .* at most 20 tokens/)
  })

  it('is explained by the requests that spent it', async () => {
    limitPlan(test, 'pro', [session])
    const key = await test.key('pro')
    const asked = { model: 'svc-core', messages, max_tokens: 90, prompt_cache_key: 'ses_1' }
    for (const _ of [1, 2]) await (await test.chat(key, asked)).arrayBuffer()
    const [{ account = '' } = {}] = await test.ledger()
    const explained = await send({ url: test.admin }, 'POST /admin/explain', {
      token: ADMIN_TOKEN,
      body: { account, body: asked },
    })

    const { stages, notes } = explained.body as { stages: { text: string }[]; notes: string[] }
    expect(stages.map(({ text }) => text)).toContain(
      '2 of 2 requests until it is idle for 24h, of each session, set by an operator',
    )
    const ids = (await test.ledger()).map(({ requestId }) => requestId)
    expect(notes[0]).toMatch(/^The session ses_1 spent the budget on 2 requests: /)
    for (const id of ids) expect(notes[0]).toContain(`${id} $0.0000`)
  })

  it('names them again in the record of each request that was refused after it, and of no other', async () => {
    limitPlan(test, 'pro', [session])
    const key = await test.key('pro')
    const asked = { model: 'svc-core', messages, max_tokens: 90 }
    const answers: Response[] = []
    for (const prompt_cache_key of ['ses_1', 'ses_1', 'ses_1', 'ses_2'])
      answers.push(await test.chat(key, { ...asked, prompt_cache_key }))
    await Promise.all(answers.map(each => each.arrayBuffer()))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 200])
    const recordOf = async (at: number): Promise<{ decision?: unknown; notes?: readonly string[] }> => {
      const id = answers[at]?.headers.get('x-request-id')
      return (await send({ url: test.admin }, `GET /admin/requests/${id}`, { token: ADMIN_TOKEN })).body as object
    }

    // The decision log writes its lines a little later.
    test.clock.advance(1000)
    await expect.poll(async () => (await recordOf(2)).decision).not.toBeNull()
    const { notes = [] } = await recordOf(2)
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatch(/^The session ses_1 spent the budget on 2 requests: /)
    for (const id of ids.slice(0, 2)) expect(notes[0]).toContain(`${id} $0.0000`)
    expect(notes[0]).not.toContain(ids[3])
    expect((await recordOf(0)).notes).toBeUndefined()
  })
})
