import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { ShownNotices } from '../../../src/wire/admin/notice.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** A verified notice, as its receiver has it. */
export interface Heard {
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A receiver of webhooks that verifies each, unless it is away. It hears of limits, and of what `more` adds. */
export async function startReceiver(more?: string) {
  const heard: Heard[] = []
  const state = { away: false, refused: 0 }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      if (state.away) {
        state.refused++
        response.writeHead(503).end()
        return
      }
      const headers = request.headers as Record<string, string>
      // The clock of a test gateway is not that of this machine, by which `verify` refuses old messages.
      const at = new Date(Number(headers['webhook-timestamp']) * 1000)
      const signed = new Webhook(SECRET).sign(headers['webhook-id'] ?? '', at, body)
      if (signed !== headers['webhook-signature']) {
        response.writeHead(401).end()
        return
      }
      const { data } = JSON.parse(body) as { data: Heard['data'] }
      heard.push({ id: headers['webhook-id'] ?? '', data })
      response.end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const yaml = `notice_targets: { ops: { webhook: "${url}", secret: "\${OPS_SECRET}" } }
notices: [{ at: [50%, 80%, 100%], of: [account, org, key], to: [ops] }${more === undefined ? '' : `, ${more}`}]
`
  return { url, heard, state, yaml, env: { OPS_SECRET: SECRET }, close: () => server.close() }
}

const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }

/** Asks the admin API for a path. */
export const read = async (test: Pick<TestGateway, 'admin'>, path: string): Promise<unknown> =>
  (await fetch(`${test.admin}/admin/${path}`, { headers })).json()

export const listed = async (test: Pick<TestGateway, 'admin'>, query = ''): Promise<ShownNotices> =>
  (await read(test, `notices${query}`)) as ShownNotices

export const act = async (test: Pick<TestGateway, 'admin'>, what: 'test' | 'retry', body: object) => {
  const answer = await fetch(`${test.admin}/admin/notices/${what}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

export const freeze = async (test: Pick<TestGateway, 'admin'>, account: string): Promise<void> => {
  const body = JSON.stringify({ account })
  const answer = await fetch(`${test.admin}/admin/accounts/freeze`, { method: 'POST', headers, body })
  if (answer.status !== 200) throw new Error(await answer.text())
}
