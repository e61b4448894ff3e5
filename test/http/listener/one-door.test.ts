import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BackendListener } from '../../../src/gateway/ports.ts'
import type { Admission, Admitted, HoldStore } from '../../../src/gateway/store/hold-store.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import { operatorFamily } from '../../../src/http/admin/admin.ts'
import type { Endpoint } from '../../../src/http/listener/endpoint.ts'
import { type EndpointFamily, endpointsOf } from '../../../src/http/listener/family.ts'
import { type Listener, serve } from '../../../src/http/listener/server.ts'
import type { ClientApp } from '../../../src/http/public/client-app.ts'
import type { ClientEndpoint } from '../../../src/http/public/client-family.ts'
import { clientFamily, publicEndpoints } from '../../../src/http/public/public.ts'
import type { App } from '../../../src/server/app.ts'
import { type Backend, json, type Seen, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { startPassing } from '../passthrough/fixture.ts'

/** A request that an endpoint would serve. */
interface Ask {
  readonly body?: string | Uint8Array
  readonly type?: string
}

const asJson = (body: object): Ask => ({ body: JSON.stringify(body), type: 'application/json' })
const messages = [{ role: 'user', content: 'Hello' }]

/** Calls of every endpoint for callers with a key. A missing endpoint fails the test. */
const ASKS: Readonly<Record<string, readonly Ask[]>> = {
  'POST /v1/chat/completions': [asJson({ messages }), asJson({ messages, stream: true })],
  'POST /v1/responses': [asJson({ input: 'Hello' }), asJson({ input: 'Hello', stream: true })],
  'POST /v1/responses/input_tokens': [asJson({ input: 'Hello' })],
  'GET /v1/responses/{id}': [{}],
  'DELETE /v1/responses/{id}': [{}],
  'GET /v1/responses/{id}/input_items': [{}],
  'POST /v1/responses/{id}/cancel': [{}],
  'POST /v1/messages': [asJson({ model: 'svc-core', messages, max_tokens: 10 })],
  'POST /v1/messages/count_tokens': [asJson({ model: 'svc-core', messages })],
  'POST /v1/embeddings': [asJson({ model: 'svc-embed', input: 'Hello' })],
  'POST /v1/images/generations': [asJson({ model: 'svc-image', prompt: 'a cat' })],
  'GET /v1/account': [{}],
  'GET /v1/requests': [{}],
  'GET /billing/quota': [{}],
  'GET /billing/usage': [{}],
  'GET /billing/invoices': [{}],
  'POST /v1/audio/speech': [asJson({ input: 'Hello' })],
  'POST /v1/audio/transcriptions': [
    { type: 'multipart/form-data; boundary=x', body: '--x--' },
    { type: 'audio/wav', body: new Uint8Array(10) },
  ],
  'POST /v1/audio/convert': [asJson({}), { type: 'audio/wav', body: new Uint8Array(10) }],
  'POST /v1/audio/sing': [asJson({})],
  'GET /v1/audio/voices': [{}],
  'POST /v1/rerank': [asJson({ query: 'a' })],
  'POST /v1/moderations': [asJson({ input: 'a' })],
}

/** Those of them that spend. */
const SPENDING = Object.keys(ASKS).filter(
  name => !/^GET \/(billing|v1\/(account|requests))|_tokens$|responses\/\{id\}/.test(name),
)

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`

let backend: Backend
let test: TestGateway
let key: string
let doors: Listener[]

beforeEach(async () => {
  backend = await startBackend()
  backend.always(json({ usage: { total_tokens: 1 } }))
  test = await startPassing({ onprem: [backend] })
  key = await test.key('pro')
  doors = []
})

afterEach(async () => {
  for (const door of doors) door.destroy()
  await test.close()
  await backend.close()
})

/** The store, but for its admissions. */
const withAdmissions = (store: Store, admit: HoldStore['admit']): Store => ({
  keys: store.keys,
  accounts: store.accounts,
  orgs: store.orgs,
  holds: {
    admit,
    extend: extension => store.holds.extend(extension),
    heartbeat: heartbeats => store.holds.heartbeat(heartbeats),
    beginCounters: (account, begun) => store.holds.beginCounters(account, begun),
    readRules: (account, claims) => store.holds.readRules(account, claims),
    settle: settlement => store.holds.settle(settlement),
    refund: hold => store.holds.refund(hold),
    sweep: () => store.holds.sweep(),
  },
  ledger: store.ledger,
  archive: store.archive,
  budgets: store.budgets,
  responses: store.responses,
  fleet: store.fleet,
  series: store.series,
  notices: store.notices,
  logins: store.logins,
  labels: store.labels,
  proveWritable: () => store.proveWritable(),
  dump: () => store.dump(),
  close: () => store.close(),
})

/** A listener of its own on a family, with everything of the gateway but its store. */
async function open<Row extends Endpoint>(family: EndpointFamily<App, Row>, store: Store): Promise<string> {
  const app: App = {
    ...test.gateway.app,
    store,
    // Every token signs its sender in.
    verify: async () => ({
      account: `acct_${'0'.repeat(40)}`,
      issuer: 'x',
      subject: 'x',
      issuedAt: 0,
      expiresAt: 2 ** 40,
    }),
  }
  const door = serve({ current: app, take: () => app, giveBack: () => {} }, family, () => {})
  doors.push(door)
  door.server.listen(0, '127.0.0.1')
  await once(door.server, 'listening')
  return `http://127.0.0.1:${(door.server.address() as AddressInfo).port}`
}

function credentialOf({ who }: Endpoint): string {
  const signedIn = { 'signed-in': 'a.b.c', person: 'a.b.c' }
  const credential = { ...signedIn, anyone: key, caller: key, operator: ADMIN_TOKEN, scraper: ADMIN_TOKEN }[who]
  if (credential === undefined) throw new Error(`there is no credential for ${who}`)
  return credential
}

/** Sends all that each endpoint of a family would serve, and tells what reached a backend: by endpoint, the request ids. */
async function reached<Row extends Endpoint>(
  family: EndpointFamily<App, Row>,
  admit: HoldStore['admit'],
): Promise<ReadonlyMap<string, string[]>> {
  const url = await open(family, withAdmissions(test.gateway.store, admit))
  const found = new Map<string, string[]>()
  for (const endpoint of endpointsOf(test.gateway.app, family)) {
    const name = nameOf(endpoint)
    const [requests, probes] = [backend.requests.length, backend.probes.length]
    for (const ask of ASKS[name] ?? [asJson({})])
      await send(`${url}${endpoint.path.replace('{id}', 'svc-core')}`, endpoint, ask)
    const seen = [...backend.requests.slice(requests), ...backend.probes.slice(probes)]
    found.set(
      name,
      seen.filter(each => !PROBING.has(name) || !isProbe(each)).map(({ headers }) => String(headers['x-request-id'])),
    )
  }
  return found
}

/** Operators may ask replicas how they are; and the gateway lists the models of one that failed an admitted request for an image. */
const PROBING: ReadonlySet<string> = new Set(['POST /admin/pools/probe', 'POST /v1/images/generations'])
const isProbe = ({ method, rawBody, headers }: Seen): boolean =>
  method === 'GET' && rawBody === '' && headers['x-request-id'] === undefined

async function send(url: string, endpoint: Endpoint, { body, type }: Ask): Promise<void> {
  const { method } = endpoint
  const leaving = new AbortController()
  const asked = fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${credentialOf(endpoint)}`,
      ...(method === 'POST' && type && { 'content-type': type }),
    },
    ...(method === 'POST' && body !== undefined && { body }),
    signal: leaving.signal,
  })
  const response = await test.clock.during(asked, 1)
  // Streams for operators never end.
  if (response.headers.get('content-type')?.startsWith('text/event-stream') && method === 'GET') leaving.abort()
  else await response.arrayBuffer()
}

/** Endpoints of which something reached a backend that was not admitted. */
async function leaks<Row extends Endpoint>(family: EndpointFamily<App, Row>): Promise<readonly string[]> {
  const admitted = new Set<string>()
  const { store } = test.gateway
  const watched = async (admission: Admission): Promise<Admitted> => {
    const outcome = await store.holds.admit(admission)
    if ('hold' in outcome) admitted.add(admission.requestId)
    return outcome
  }
  const found = await reached(family, watched)
  return [...found].flatMap(([name, seen]) => (seen.every(id => admitted.has(id)) ? [] : [name]))
}

const nobody: HoldStore['admit'] = async () => ({ outcome: 'key-gone' })

describe('one door:', () => {
  it('every endpoint that callers with a key may call is asked for what it serves, and the files’ paths are among them', () => {
    const table = endpointsOf(test.gateway.app, clientFamily)

    const callers = table.filter(({ who }) => who === 'caller').map(nameOf)
    expect(callers.sort()).toEqual(Object.keys(ASKS).sort())
  })

  it('whatever reaches a backend was admitted, and every endpoint that spends is seen to reach one', async () => {
    const { store } = test.gateway
    const found = await reached(clientFamily, admission => store.holds.admit(admission))

    expect([...found].flatMap(([name, seen]) => (seen.length > 0 ? [name] : [])).sort()).toEqual([...SPENDING].sort())
    expect(await leaks(clientFamily)).toEqual([])
    expect(await leaks(operatorFamily)).toEqual([])
  })

  it('while nobody is admitted, nothing reaches a backend, whatever is asked', async () => {
    expect([...(await reached(clientFamily, nobody)).values()].flat()).toEqual([])
    expect([...(await reached(operatorFamily, nobody)).values()].flat()).toEqual([])
  })

  it.each<[string, (app: ClientApp, over: () => void) => unknown]>([
    [
      'sends to a model',
      (app, over) =>
        app.send(
          {
            pool: 'onprem',
            replica: backend.url,
            fresh: true,
            path: '/x',
            body: Buffer.from('{}'),
            requestId: 'req_rogue',
          },
          listener(over),
        ),
    ],
    [
      'passes a body on',
      (app, over) =>
        app.sendPassthrough(
          { pool: 'onprem', replica: backend.url, fresh: true, path: '/x', method: 'POST', requestId: 'req_rogue' },
          listener(over),
        ),
    ],
    [
      'passes a GET on',
      (app, over) =>
        app.sendPassthrough(
          { pool: 'onprem', replica: backend.url, fresh: true, path: '/x', method: 'GET', requestId: 'req_rogue' },
          listener(over),
        ),
    ],
    ['fetches by itself', async (_app, over) => fetch(backend.url, { method: 'POST', body: '{}' }).then(over)],
  ])('an endpoint that %s without an admission is found', async (_name, reach) => {
    const rogue: ClientEndpoint = {
      method: 'POST',
      path: '/v1/rogue',
      who: 'anyone',
      rate: 'reads',
      run: async (app, call) => {
        await new Promise<void>(resolve => void reach(app, resolve))
        call.json(404, { error: 'Nothing to see.', code: 'NOT_FOUND' })
      },
    }

    expect(await leaks({ ...clientFamily, endpoints: [...publicEndpoints, rogue] })).toEqual(['POST /v1/rogue'])
    expect((await reached({ ...clientFamily, endpoints: [rogue] }, nobody)).get('POST /v1/rogue')).toHaveLength(1)
  })
})

const listener = (over: () => void): BackendListener => ({
  connected: () => {},
  head: () => {},
  data: () => {},
  end: over,
  failed: over,
})
