import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Behaviour, reset, status } from '../../support/backend.ts'
import { Failover, fine } from './fixture.ts'
import { close, error, incomplete, kinds, listed, open, type Site, states } from './steering-fixture.ts'

/** A prompt that makes backends fail for one client. */
const BAIT = 'bait'

/** A status that content can provoke, and how the client reads its own cause. */
interface Provoked {
  readonly name: string
  readonly behaviour: Behaviour
  readonly status: number
  readonly says: string
  readonly reason?: string
}

const azure = {
  error: {
    message: 'The response was filtered due to the prompt triggering the content management policy.',
    type: null,
    param: 'prompt',
    code: 'content_filter',
    status: 400,
  },
}

const rows: readonly Provoked[] = [
  { name: 'a 400', behaviour: status(400, error('top_k is odd')), status: 400, says: 'top_k is odd' },
  { name: 'a 401', behaviour: status(401, error('not for this voice')), status: 503, says: 'No backend' },
  { name: 'a 402', behaviour: status(402, error('dearer than a free voice')), status: 503, says: 'No backend' },
  {
    name: 'a quota that is too small for it',
    behaviour: status(429, error('too little left for this size', 'insufficient_quota')),
    status: 503,
    says: 'No backend',
  },
  {
    name: 'a 404 with the code of a missing model',
    behaviour: status(404, error('no such voice model', 'model_not_found')),
    status: 404,
    says: 'no such voice model',
    reason: 'model_not_found',
  },
  {
    name: 'a 403',
    behaviour: status(403, error('flagged', 'moderation')),
    status: 403,
    says: 'flagged',
    reason: 'moderation',
  },
  { name: 'a 404', behaviour: status(404, error('no such voice')), status: 404, says: 'no such voice' },
  { name: 'a 405', behaviour: status(405, error('not here')), status: 400, says: 'not here' },
  { name: 'a 409', behaviour: status(409, error('in conflict')), status: 503, says: 'No backend' },
  { name: 'a 413', behaviour: status(413, error('too large')), status: 400, says: 'too large' },
  { name: 'a 415', behaviour: status(415, error('no such format')), status: 400, says: 'no such format' },
  { name: 'a 422', behaviour: status(422, error('unprocessable')), status: 400, says: 'unprocessable' },
  { name: 'a 429', behaviour: status(429, error('too large for now')), status: 503, says: 'No backend' },
  {
    name: 'a 429 with Retry-After',
    behaviour: status(429, error('too many tokens'), { 'retry-after': '60' }),
    status: 503,
    says: 'No backend',
  },
  { name: 'a 500', behaviour: status(500, error('CUDA error at token 7')), status: 503, says: 'No backend' },
  {
    name: 'a 503 with Retry-After',
    behaviour: status(503, '', { 'retry-after': '60' }),
    status: 503,
    says: 'No backend',
  },
  { name: 'a reset', behaviour: reset, status: 503, says: 'No backend' },
  { name: 'rubbish', behaviour: status(200, '<html>'), status: 503, says: 'No backend' },
  {
    name: "OpenAI's moderation",
    behaviour: status(400, error('Your request was rejected by our safety system.', 'content_policy_violation')),
    status: 400,
    says: 'safety system',
    reason: 'content_policy_violation',
  },
  {
    name: "Azure's moderation",
    behaviour: status(400, azure),
    status: 400,
    says: 'content management',
    reason: 'content_filter',
  },
  {
    name: "vLLM's refusal",
    behaviour: status(400, { object: 'error', message: 'bad words', type: 'BadRequestError', param: null, code: 400 }),
    status: 400,
    says: 'bad words',
    reason: 'BadRequestError',
  },
]

describe.each(kinds)('no client steers a breaker at %s', (path, model, bodyFor, served) => {
  let site: Site
  beforeAll(async () => {
    site = await open(served, [model])
    if (listed.some(([each]) => each === path)) for (const backend of site.onprem) backend.answersChecks(incomplete)
  })
  afterAll(() => close(site))

  // An answer that is passed on may have any form.
  const provoked = rows.filter(({ name }) => !(name === 'rubbish' && path.includes('audio')))

  it.each(provoked)('$name', async ({ behaviour, status: told, says, reason }) => {
    for (const backend of [...site.onprem, site.cloud]) {
      backend.always(exchange => (exchange.seen.rawBody.includes(BAIT) ? behaviour : served)(exchange))
    }

    for (let n = 0; n < 6; n++) {
      const response = await site.send(path, site.eve, bodyFor(BAIT))
      expect(response.status).toBe(told)
      const { error: text } = (await response.json()) as { error: string }
      // Later ones may find that everyone asked this client to wait.
      if (n === 0) expect(text).toContain(says)
      if (n === 0)
        expect(response.headers.get('x-svc-error-reason')).toBe(reason ?? response.headers.get('x-svc-error-reason'))
      const other = await site.send(path, site.ada, bodyFor('Hello'))
      expect([other.status, other.headers.get('x-svc-upstream')]).toEqual([200, 'onprem'])
    }

    expect(states(site)).toEqual(['closed', 'closed'])
    expect(site.test.alarms).toEqual([])
    site.test.clock.advance(61_000)
  })
})

describe("a pool's own fault ejects it within two requests", () => {
  let site: Site
  afterEach(() => close(site))

  const faults: readonly (readonly [string, Behaviour])[] = [
    ['a key that was revoked', status(401, error('Incorrect API key provided', 'invalid_api_key'))],
    ['a model that is gone', status(404, error('The model `test-model` does not exist', 'model_not_found'))],
    ['a model that is gone, as a 400', status(400, error('no such model', 'model_not_found'))],
    [
      'an account at its limit',
      status(400, error('Billing hard limit has been reached', 'billing_hard_limit_reached')),
    ],
    ['an account that is empty', status(429, error('You exceeded your current quota', 'insufficient_quota'))],
    ['an account that owes', status(402, error('Payment required'))],
  ]
  const forbidden = ['a key that may not', status(403, error('forbidden'))] as const
  const tried = kinds.flatMap(kind =>
    // The reason that forbids a request without content is not reported.
    (listed.includes(kind) ? faults : [...faults, forbidden]).map(
      ([fault, behaviour]) => [fault, kind[0], kind, behaviour] as const,
    ),
  )

  it.each(tried)('%s, at %s', async (_fault, path, [, model, bodyFor, served], behaviour) => {
    site = await open(served, [model])
    for (const backend of site.onprem) backend.always(behaviour)

    for (let n = 0; n < 3; n++) {
      const response = await site.send(path, site.ada, bodyFor('Hello'))
      expect([response.status, response.headers.get('x-svc-upstream')]).toEqual([200, 'cloud'])
    }

    const [a, b] = site.onprem
    expect([a.requests.length + b.requests.length, a.checks.length + b.checks.length]).toEqual([1, 1])
    expect(states(site)).toEqual(['open', 'open'])
    expect(site.test.alarms.filter(alarm => alarm.startsWith('a pool cannot be used'))).toHaveLength(1)
  })

  it.each(listed)(
    'a key that was revoked, at %s, which is asked for its models',
    async (path, model, bodyFor, served) => {
      site = await open(served, [model])
      for (const backend of site.onprem) {
        backend.always(status(401, error('Incorrect API key provided')))
        backend.probed(status(401))
      }

      for (let n = 0; n < 3; n++) {
        expect((await site.send(path, site.ada, bodyFor('Hello'))).headers.get('x-svc-upstream')).toBe('cloud')
      }

      expect(site.onprem[0].requests.length + site.onprem[1].requests.length).toBe(1)
      expect(states(site)).toEqual(['open', 'open'])
    },
  )

  it('an outage of one replica ejects it after five failures, as ever', async () => {
    site = await open(fine, ['svc-core'])
    site.onprem[0].always(status(500))
    // Equal prompts would all go to one of them.
    for (let n = 0; n < 40; n++) {
      const response = await site.send('/v1/chat/completions', site.ada, {
        messages: [{ role: 'user', content: `Hi for the ${n}th time` }],
      })
      expect(response.status).toBe(200)
    }

    expect(site.onprem[0].requests).toHaveLength(5)
    expect(states(site)).toEqual(['open', 'closed'])
  })
})

describe('a prompt that breaks two replicas', () => {
  let site: Site
  afterEach(() => close(site))
  const chat = (content: string) => ({ messages: [{ role: 'user', content }] })

  it('is sent to no third, and counts for nothing', async () => {
    site = await open(fine, ['svc-core'])
    for (const backend of [...site.onprem, site.cloud]) {
      const broken = status(500, error('assertion failed', 'engine_error'))
      backend.always(exchange => (exchange.seen.rawBody.includes(BAIT) ? broken : fine)(exchange))
    }

    const response = await site.send('/v1/chat/completions', site.eve, chat(BAIT))

    expect(response.status).toBe(503)
    expect(response.headers.get('x-svc-error-reason')).toBe('engine_error')
    expect(await response.json()).toMatchObject({
      error: 'No backend of this model could answer. Retry in 1 s.',
      code: 'UPSTREAMS_EXHAUSTED',
      attempted: ['onprem'],
    })
    expect(site.cloud.requests).toEqual([])
  })

  it('goes on to the next pool where the replicas fail the gateway too: then it is no fault of the prompt', async () => {
    site = await open(fine, ['svc-core'])
    for (const backend of site.onprem) backend.always(status(500, error('assertion failed')))

    const response = await site.send('/v1/chat/completions', site.ada, chat('Hello'))

    expect(response.headers.get('x-svc-upstream')).toBe('cloud')
  })
})

it('a health check asks for one token, runs once in five seconds however often it is provoked, and is a row of waste', async () => {
  const site = await Failover.start({ fields: { onprem: 'max_usd_per_hour: 5' } })
  await site.test.reload({ onprem: [site.onprem[0]] })
  const [backend] = site.onprem
  backend.always(status(403, error('flagged')))
  backend.answersChecks(fine)

  for (let n = 0; n < 10; n++) expect((await site.chat()).status).toBe(403)

  expect(backend.checks.map(({ path, body }) => ({ path, body }))).toEqual([
    {
      path: '/v1/chat/completions',
      body: {
        model: 'test-model',
        messages: [{ role: 'user', content: 'Hi' }],
        max_tokens: 1,
        max_completion_tokens: 1,
      },
    },
  ])
  const wasted = (await site.test.ledger()).filter(({ kind }) => kind === 'waste')
  expect(wasted).toMatchObject([
    { pool: 'onprem', cause: 'health check', inputTokens: 9, outputTokens: 3, cost: 15_000 },
  ])
  expect(wasted[0]).not.toHaveProperty('charges')
  site.test.clock.advance(5000)
  await site.chat()
  expect(backend.checks).toHaveLength(2)
  await site.close()
})

it('refusals do not keep a failing replica in service: they say nothing of how others fare', async () => {
  const site = await open(fine, ['svc-core'])
  await site.test.reload({ onprem: [site.onprem[0]] })
  const [backend] = site.onprem
  const refusal = status(400, error('no'))
  backend.always(exchange => (exchange.seen.rawBody.includes(BAIT) ? refusal : status(529))(exchange))
  const ask = (key: string, content: string) =>
    site.send('/v1/chat/completions', key, { messages: [{ role: 'user', content }] })

  for (let n = 0; n < 5; n++) {
    await ask(site.eve, BAIT)
    await ask(site.ada, 'Hello')
  }

  expect(states({ test: site.test, onprem: [backend] })).toEqual(['open'])
  await close(site)
})
