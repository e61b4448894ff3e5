import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

const POOLS = `
include: [salted.yaml]
`
const salted = (url: string) => `
models:
  own: { kind: chat, tier: guest, serve: [own], context: 32k, usd_per_1m: { input: 1, output: 2 } }
  ours: { kind: chat, tier: guest, serve: [ours], context: 32k, usd_per_1m: { input: 1, output: 2 } }
  all: { kind: chat, tier: guest, serve: [all], context: 32k, usd_per_1m: { input: 1, output: 2 } }
  unsalted: { kind: chat, tier: guest, serve: [unsalted], context: 32k, usd_per_1m: { input: 1, output: 2 } }
  spoken: { kind: chat, tier: guest, serve: [spoken], context: 32k, usd_per_1m: { input: 1, output: 2 } }
pools:
  own: { site: here, model: test-model, provider: vllm, replicas: ["${url}"] }
  ours: { site: here, model: test-model, provider: sglang, caches: org, replicas: ["${url}"] }
  all: { site: here, model: test-model, provider: vllm, caches: pool, replicas: ["${url}"] }
  unsalted: { site: here, model: test-model, replicas: ["${url}"] }
  spoken: { site: here, model: test-model, provider: vllm, speaks: [responses, messages], replicas: ["${url}"] }
`

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  test = await startTestGateway({
    onprem: [backend],
    yaml: POOLS,
    files: { 'salted.yaml': salted(backend.url) },
  })
  return async () => {
    await test.close()
    await backend.close()
  }
})

afterEach(() => expect(test.alarms).toEqual([]))

const user = { role: 'user', content: 'Hello?' }
const BODIES = {
  'chat/completions': { messages: [user] },
  responses: { input: [user], store: false },
  messages: { max_tokens: 20, messages: [user] },
} as const
type Path = keyof typeof BODIES
const PATHS = Object.keys(BODIES) as readonly Path[]

const ask = (key: string, path: Path, body: object): Promise<Response> =>
  fetch(`${test.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...BODIES[path], ...body }),
  })

/** The salt that the backend gets for a request; undefined where it gets none. */
async function saltOf(key: string, model: string, path: Path = 'chat/completions'): Promise<unknown> {
  const response = await ask(key, path, { model })
  await response.text()
  return backend.requests.at(-1)?.body.cache_salt
}

describe('the cached prompts of a pool', () => {
  it('are kept apart by account, with a salt that says nothing of it and stays the same', async () => {
    const [ada, bob] = [await test.key('pro', 'acct-ada'), await test.key('pro', 'acct-bob')]
    const salt = await saltOf(ada, 'own')
    expect(salt).toMatch(/^[\w-]{32}$/)
    expect(await saltOf(ada, 'own')).toBe(salt)
    expect(await saltOf(bob, 'own')).not.toBe(salt)
    test = await test.restart()
    expect(await saltOf(ada, 'own')).toBe(salt)
  })

  it.each(PATHS)('are kept apart whatever dialect a client speaks: %s', async path => {
    const [ada, bob] = [await test.key('pro', 'acct-ada'), await test.key('pro', 'acct-bob')]
    for (const model of ['own', 'spoken']) {
      const salt = await saltOf(ada, model, path)
      expect(salt).toMatch(/^[\w-]{32}$/)
      expect(await saltOf(bob, model, path)).not.toBe(salt)
    }
  })

  it('are shared by all where `caches` is pool, and nothing is said of it where the backends take no salt', async () => {
    const ada = await test.key('pro', 'acct-ada')
    for (const model of ['all', 'unsalted']) expect(await saltOf(ada, model)).toBeUndefined()
  })
})

describe.each(PATHS)('a client of %s', path => {
  it.each(['cache_salt', 'priority', 'return_token_ids', 'kv_transfer_params'])('can never set %s', async field => {
    const ada = await test.key('pro', 'acct-ada')
    for (const model of ['own', 'spoken', 'all', 'unsalted']) {
      const before = backend.requests.length
      const value = field === 'kv_transfer_params' ? { remote_host: 'evil' } : field === 'priority' ? -1 : 'mine'
      const response = await ask(ada, path, { model, [field]: value })
      await response.text()
      const sent = backend.requests.slice(before).map(({ body }) => body[field])
      // It is refused, or goes without; the salt is the gateway's own.
      for (const each of sent) expect(each).not.toEqual(value)
      if (path === 'chat/completions') expect(response.status).toBe(400)
    }
  })
})
