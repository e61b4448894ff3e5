import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { EndpointArchive } from '../../../src/adapters/archives/endpoint-archive.ts'
import { NOON } from '../store/fixtures.ts'
import { leavingAt } from './rows.ts'

interface Post {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server that answers with one status after the other, and then with 200. */
async function start(...statuses: readonly number[]) {
  const posts: Post[] = []
  const left = [...statuses]
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    posts.push({ headers: request.headers, body })
    response.writeHead(left.shift() ?? 200, { location: '/elsewhere' }).end('what it says')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  let token = 'first'
  const archive = new EndpointArchive(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows?code=hidden`,
    () => token,
  )
  onTestFinished(async () => {
    await archive.close()
    server.close()
  })
  return {
    archive,
    posts,
    renew: () => {
      token = 'second'
    },
  }
}

it('a batch is a POST of lines; the same rows have the same key again, and others another one', async () => {
  const { archive, posts, renew } = await start(503)
  const rows = [leavingAt(NOON), leavingAt(NOON + 1)]
  await expect(archive.write(rows)).rejects.toThrow('/rows: it answered 503')
  renew()
  await archive.write(rows)
  await archive.write(rows.slice(1))

  const [failed, again, other] = posts
  expect(failed?.headers).toMatchObject({ 'content-type': 'application/x-ndjson', authorization: 'Bearer first' })
  expect(again?.headers.authorization).toBe('Bearer second')
  expect(again?.headers['idempotency-key']).toBe(failed?.headers['idempotency-key'])
  expect(other?.headers['idempotency-key']).not.toBe(failed?.headers['idempotency-key'])
  expect(again?.body).toBe(failed?.body)
  const ids = again?.body
    .trimEnd()
    .split('\n')
    .map(line => (JSON.parse(line) as { request_id: string }).request_id)
  expect(ids).toEqual(rows.map(({ row }) => row.requestId))
})

it.each([301, 308, 400, 401, 429, 500])('a %i takes no rows, and is not followed elsewhere', async status => {
  const { archive, posts } = await start(status)
  const error = await archive.write([leavingAt(NOON)]).catch(String)
  expect(error).toContain(`it answered ${status}`)
  expect(error).not.toContain('hidden')
  expect(posts).toHaveLength(1)
})

it('a look sends no rows, and minds no refusal but that of the token', async () => {
  const { archive, posts } = await start(405, 403)
  expect(await archive.check()).toEqual({ about: 'it answers' })
  await expect(archive.check()).rejects.toThrow('look at the token')
  expect(posts.map(({ body }) => body)).toEqual(['', ''])
})
