import { afterEach, describe, expect, it } from 'vitest'
import { type Behaviour, hang, json, reset, status } from '../../support/backend.ts'
import { fine } from './fixture.ts'
import { close, error, incomplete, kinds, listed, open, route, type Site, states } from './steering-fixture.ts'

let site: Site
afterEach(() => close(site))

const emptyAccount = status(402, error('Payment required'))
const speech = ['/v1/audio/speech', { input: 'Hello' }] as const
const imageOf = (prompt: string) => ['/v1/images/generations', { model: 'svc-image', prompt }] as const

/** Has the backends answer requests and health checks in these ways. */
function answering(requests: Behaviour, checks: Behaviour | undefined): void {
  for (const backend of site.onprem) {
    backend.always(requests)
    backend.answersChecks(checks)
  }
}

const asked = () => site.onprem.flatMap(({ checks }) => checks.map(({ path }) => path))

function kindAt(path: string) {
  const kind = kinds.find(each => each[0] === path)
  if (!kind) throw new Error(`nothing is known of ${path}`)
  return kind
}

describe.each(listed)('an empty request, at %s', (path, model, bodyFor, served) => {
  it('has the name of the model and nothing else, and is sent once in five seconds', async () => {
    site = await open(served, [model])
    await site.test.reload({ onprem: [site.onprem[0]] }, site.paired)
    answering(emptyAccount, incomplete)

    for (let n = 0; n < 4; n++) await site.send(path, site.eve, bodyFor('Hello'))

    const [{ checks, probes }] = site.onprem
    expect(checks.map(({ method, path: at, rawBody }) => [method, at, rawBody])).toEqual([
      ['POST', path, '{"model":"test-model"}'],
    ])
    expect(checks[0]?.headers['content-type']).toBe('application/json')
    expect(probes.map(each => each.path)).toEqual(['/v1/models'])
    site.test.clock.advance(5000)
    await site.send(path, site.eve, bodyFor('Hello'))
    expect(checks).toHaveLength(2)
  })

  const nothing: readonly (readonly [string, Behaviour])[] = [
    ['a 400', incomplete],
    ['a 403', status(403, error('forbidden'))],
    ['a 404 that names no model', status(404, error('Not Found'))],
    ['a 413', status(413, error('too large'))],
    ['a 415', status(415, error('no such format'))],
    ['a 422', status(422, error('unprocessable'))],
    ['a 429', status(429, error('slow down'))],
    ['a 500', status(500, error('KeyError: prompt'))],
    ['a 503', status(503, '')],
    ['a reset', reset],
    ['an answer', served],
  ]

  it.each(nothing)('%s to it ejects nothing, however many requests meet an empty account', async (_, behaviour) => {
    site = await open(served, [model])
    answering(emptyAccount, behaviour)

    for (let n = 0; n < 6; n++) {
      const response = await site.send(path, site.eve, bodyFor('Hello'))
      expect(response.headers.get('x-svc-upstream')).toBe('cloud')
    }

    expect(asked().length).toBeGreaterThanOrEqual(1)
    expect(states(site)).toEqual(['closed', 'closed'])
    expect(site.test.alarms).toEqual([])
  })

  it.each<readonly [string, Behaviour]>([
    ['400', status(400, error('too long'))],
    ['403', status(403, error('flagged'))],
    ['500', status(500, error('out of memory'))],
  ])('is not sent after a %s, which says nothing of the account or the model', async (_, behaviour) => {
    site = await open(served, [model])
    answering(behaviour, emptyAccount)

    for (let n = 0; n < 3; n++) await site.send(path, site.eve, bodyFor('Hello'))

    expect(asked()).toEqual([])
    expect(states(site)).toEqual(['closed', 'closed'])
  })

  it('is sent after a failure of the account, also where the list of models was asked for just before', async () => {
    site = await open(served, [model])
    await site.test.reload({ onprem: [site.onprem[0]] }, site.paired)
    answering(status(403, error('flagged')), emptyAccount)
    await site.send(path, site.ada, bodyFor('Hello'))
    expect(asked()).toEqual([])

    answering(emptyAccount, emptyAccount)
    await site.send(path, site.ada, bodyFor('Hello'))

    expect(asked()).toEqual([path])
    expect(states(site)[0]).toBe('open')
  })

  it('is not sent again for an hour to a server that worked on it', async () => {
    site = await open(served, [model])
    await site.test.reload({ onprem: [site.onprem[0]] }, site.paired)
    answering(emptyAccount, served)
    const meet = () => site.send(path, site.eve, bodyFor('Hello'))

    await meet()
    for (let minute = 0; minute < 59; minute++) {
      site.test.clock.advance(60_000)
      await meet()
    }
    expect(asked()).toEqual([path])
    site.test.clock.advance(60_000)
    await meet()
    expect(asked()).toEqual([path, path])
  })
})

it('a server that does not answer an empty request within five seconds is taken to work on it', async () => {
  const [path, model, bodyFor, served] = kindAt('/v1/images/generations')
  site = await open(served, [model])
  await site.test.reload({ onprem: [site.onprem[0]] }, site.paired)
  answering(emptyAccount, hang)

  const response = site.send(path, site.ada, bodyFor('Hello'))
  await site.onprem[0].checked(1)
  site.test.clock.advance(5000)
  expect((await response).headers.get('x-svc-upstream')).toBe('cloud')
  site.test.clock.advance(5000)
  await site.send(path, site.ada, bodyFor('Hello'))

  expect(asked()).toEqual([path])
  expect(states(site)[0]).toBe('closed')
})

describe('a pool that serves several paths', () => {
  it('stays where one of them works: a client could send only to the other', async () => {
    site = await open(fine, ['svc-image', 'svc-voice'])
    const byPath: Behaviour = exchange => (exchange.seen.path === '/v1/audio/speech' ? fine : emptyAccount)(exchange)
    const byCheck: Behaviour = exchange =>
      (exchange.seen.path === '/v1/audio/speech' ? incomplete : emptyAccount)(exchange)
    answering(byPath, byCheck)

    for (let n = 0; n < 6; n++) {
      await site.send(...withKey(imageOf('Hello'), site.eve))
      const other = await site.send(...withKey(speech, site.ada))
      expect(other.headers.get('x-svc-upstream')).toBe('onprem')
    }

    expect(new Set(asked())).toEqual(new Set(['/v1/images/generations', '/v1/audio/speech']))
    expect(states(site)).toEqual(['closed', 'closed'])
  })

  it('is ejected where all of them refuse it', async () => {
    site = await open(fine, ['svc-image', 'svc-voice'])
    answering(emptyAccount, undefined)

    await site.send(...withKey(speech, site.ada))

    expect(asked().sort()).toEqual(['/v1/audio/speech', '/v1/images/generations'])
    expect(states(site)).toEqual(['open', 'open'])
  })

  it('gets no empty request where one of its paths might act on it', async () => {
    const routes = [route('/v1/audio/speech', 'model: svc-voice'), route('/v1/realtime/sessions', 'model: svc-voice')]
    site = await open(fine, ['svc-voice'], routes)
    answering(emptyAccount, undefined)

    for (let n = 0; n < 3; n++) {
      for (const path of ['/v1/audio/speech', '/v1/realtime/sessions']) await site.send(path, site.ada, {})
    }

    expect(asked()).toEqual([])
    expect(states(site)).toEqual(['closed', 'closed'])
  })
})

it('a path that takes forms gets an empty form', async () => {
  const routes = [route('/v1/audio/transcriptions', 'model: svc-voice, accepts: [multipart, binary]')]
  site = await open(fine, ['svc-voice'], routes)
  answering(emptyAccount, undefined)
  const form = new FormData()
  form.set('file', new Blob(['RIFF']), 'a.wav')

  await site.send('/v1/audio/transcriptions', site.ada, form)

  const [check] = site.onprem.flatMap(({ checks }) => checks)
  const { headers = {}, rawBody = '' } = check ?? {}
  const read = await new Response(rawBody, { headers: { 'content-type': String(headers['content-type']) } }).formData()
  expect([...read]).toEqual([['model', 'test-model']])
  expect(states(site)).toEqual(['open', 'open'])
})

it('an error in a 200 proves what its code says', async () => {
  const [path, model, bodyFor, served] = kindAt('/v1/images/generations')
  site = await open(served, [model])
  answering(json(error('You exceeded your current quota', 'insufficient_quota')), undefined)

  expect((await site.send(path, site.ada, bodyFor('Hello'))).headers.get('x-svc-upstream')).toBe('cloud')

  expect(states(site)).toEqual(['open', 'open'])
})

const withKey = ([path, body]: readonly [string, object], key: string) => [path, key, body] as const
