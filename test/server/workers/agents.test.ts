import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { AUDIENCE } from '../../support/gateway.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const WORKERS = 3
/** Requests on connections of their own, so that each worker gets some. */
const ROUND = 12
const SCIM_SECRET = 'scim-secret-of-the-tests-0000000001'
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'

let backend: Backend
let oidc: OidcServer
let tree: Tree
let people = 0

beforeAll(async () => {
  vi.stubEnv('SCIM_SECRET', SCIM_SECRET)
  backend = await startBackend()
  backend.always(answer({ content: 'Hi' }))
  oidc = await startOidc({ audience: AUDIENCE })
  const identity = `identity: { issuer: "${oidc.issuer}", default_plan: pro, console_client_id: svc-console, claude_login: {}, scim: { secret: "\${SCIM_SECRET}" } }`
  const yaml = yamlOf(backend.url, undefined, { server: `public_url: "${AUDIENCE}"` })
  tree = await startTree(WORKERS, directory => `${yaml(directory)}${identity}\n`)
})
afterAll(async () => {
  expect(await tree.end()).toBe(0)
  await oidc.stop()
  await backend.close()
})

interface Told {
  readonly status: number
  readonly body: Readonly<Record<string, string>>
}

async function post(path: string, body: object | URLSearchParams, token?: string): Promise<Told> {
  const response = await fetch(tree.url + path, {
    method: 'POST',
    headers: {
      connection: 'close',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(!(body instanceof URLSearchParams) && { 'content-type': 'application/json' }),
    },
    body: body instanceof URLSearchParams ? body : JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Told['body'] }
}
/** A round of requests, one after the other. */
async function round(request: () => Promise<{ readonly status: number }>): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let i = 0; i < ROUND; i++) statuses.push((await request()).status)
  return statuses
}
const all = (status: number) => Array.from({ length: ROUND }, () => status)
const newPerson = async () => {
  const name = `person-${++people}`
  return { name, token: (await oidc.signIn(name)).accessToken }
}
const deactivate = (name: string, active: boolean) =>
  post('/scim/v2/Users', { userName: name, externalId: name, active }, SCIM_SECRET)

describe(`a gateway of ${WORKERS} workers`, () => {
  it('serves an agent token on all of them, whichever made it, and a freeze ends it on all with the next request', async () => {
    const { token } = await newPerson()
    // The first ones are asked for at once: no worker has a secret to sign with yet.
    const issued = await Promise.all(Array.from({ length: ROUND }, () => post('/v1/agent-tokens', {}, token)))
    expect(issued.map(({ status }) => status)).toEqual(all(200))
    const agents = issued.map(({ body }) => body.token ?? '')
    let turn = 0
    const ask = () => tree.chat(agents[turn++ % ROUND] ?? '')
    for (const _ of agents.slice(0, 3)) expect(await round(ask)).toEqual(all(200))

    const account = issued[0]?.body.account
    expect((await tree.ask('POST', '/admin/accounts/freeze', { account })).status).toBe(200)
    expect(await round(ask)).toEqual(all(403))
    expect((await tree.ask('POST', '/admin/accounts/thaw', { account })).status).toBe(200)
    expect(await round(ask)).toEqual(all(200))
  })

  it('signs a device in by requests to any of them, and a deactivation by the provider ends it on all', async () => {
    const { name, token } = await newPerson()
    const { body: started } = await post('/oauth/device_authorization', new URLSearchParams())
    const { device_code = '', user_code = '' } = started
    expect((await post('/v1/account/device/approve', { user_code }, token)).status).toBe(200)
    const polled = await post('/oauth/token', new URLSearchParams({ grant_type: DEVICE, device_code }))
    const renew = (refresh_token = '') =>
      post('/oauth/token', new URLSearchParams({ grant_type: 'refresh_token', refresh_token }))
    let tokens = polled.body
    for (let i = 0; i < ROUND; i++) {
      const renewed = await renew(tokens.refresh_token)
      expect(renewed.status).toBe(200)
      tokens = renewed.body
    }
    const ask = () => tree.chat(tokens.access_token ?? '')
    expect(await round(ask)).toEqual(all(200))

    expect((await deactivate(name, false)).status).toBe(201)
    expect(await round(ask)).toEqual(all(403))
    const refused = await renew(tokens.refresh_token)
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_grant'])
  })
})
