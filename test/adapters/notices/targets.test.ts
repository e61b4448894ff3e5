import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { Agent } from 'undici'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { isOfRecipient, MailTarget } from '../../../src/adapters/notices/mail.ts'
import { SlackTarget } from '../../../src/adapters/notices/slack.ts'
import { WebhookTarget } from '../../../src/adapters/notices/webhook.ts'
import { type Letter, NoticeRefused } from '../../../src/gateway/notices/lane.ts'
import { waiting } from '../../../src/gateway/store/notice.ts'
import { mailbox } from '../../support/mailbox.ts'

const AT = Date.UTC(2026, 10, 21, 10)
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const letter = (id: string, percent = 80): Letter => {
  const delivery = waiting('ops', percent)
  return {
    notice: {
      id,
      at: AT,
      event: {
        kind: 'limit',
        percent: 100,
        used: 4_020_000_000,
        resetAt: Date.UTC(2026, 11, 1),
        limit: { measure: 'usd', most: 5_000_000_000, per: 'month', of: 'account', account: 'acct_<1>' },
      },
      deliveries: [delivery],
    },
    delivery,
  }
}

const TEXT =
  'Account acct_<1> has reached 80% of its limit of $5 a month (UTC): $4.02 used. It resets at 2026-12-01 00:00 UTC.'

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver that answers as it is told: 200 at first. */
async function receiver() {
  const received: Received[] = []
  const answer = { status: 200, headers: {} as Record<string, string> }
  const server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body })
      response.writeHead(answer.status, answer.headers).end('ok')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const agent = new Agent()
  onTestFinished(async () => {
    await agent.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, answer, agent }
}

it('a webhook gets each notice as JSON that the reference implementation of Standard Webhooks verifies', async () => {
  const { url, received, agent } = await receiver()
  const target = new WebhookTarget({ url, secret: () => SECRET }, agent, Date.now)
  await target.send([letter('ntc_1')])
  const [one] = received
  const verified = new Webhook(SECRET).verify(one?.body ?? '', one?.headers as Record<string, string>)
  expect(verified).toEqual({
    type: 'limit.reached',
    timestamp: '2026-11-21T10:00:00.000Z',
    data: {
      ...{ id: 'ntc_1', text: TEXT, kind: 'limit', percent: 80, measure: 'usd', per: 'month', of: 'account' },
      ...{ model: null, account: 'acct_<1>', org: null, plan: null, key: null, user: null },
      ...{ limit: '5', used: '4.02', resets_at: '2026-12-01T00:00:00.000Z' },
    },
  })
  expect(one?.headers['webhook-id']).toBe('ntc_1')
  expect(() => new Webhook(SECRET).verify(`${one?.body} `, one?.headers as Record<string, string>)).toThrow()
})

it('a webhook that redirects or fails has not taken the notice, and the redirect is not followed', async () => {
  const { url, received, answer, agent } = await receiver()
  const target = new WebhookTarget({ url, secret: () => SECRET }, agent, Date.now)
  Object.assign(answer, { status: 307, headers: { location: '/elsewhere' } })
  await expect(target.send([letter('ntc_1')])).rejects.toThrow('it answered 307')
  Object.assign(answer, { status: 503, headers: {} })
  await expect(target.send([letter('ntc_1')])).rejects.toThrow('it answered 503')
  expect(received.map(({ path, headers }) => [path, headers['webhook-id']])).toEqual(Array(2).fill(['/hook', 'ntc_1']))
})

it.each([
  [400, true],
  [404, true],
  [410, true],
  [408, false],
  [429, false],
  [500, false],
])('an answer %i is a refusal of this notice alone: %s', async (status, isRefusal) => {
  const { url, answer, agent } = await receiver()
  Object.assign(answer, { status })
  const sent = new WebhookTarget({ url, secret: () => SECRET }, agent, Date.now).send([letter('ntc_1')])
  const error = await sent.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ message: `it answered ${status}` })
  expect(error instanceof NoticeRefused).toBe(isRefusal)
})

it('Slack gets the notices of a digest in one message, without markup', async () => {
  const { url, received, agent } = await receiver()
  await new SlackTarget({ url: () => url, digest: 60_000 }, agent).send([letter('ntc_1'), letter('ntc_2', 100)])
  const line = TEXT.replace('<1>', '&lt;1&gt;')
  expect(JSON.parse(received[0]?.body ?? '')).toEqual({ text: `${line}\n${line.replace('80%', '100%')}` })
})

const PLAIN = { host: '127.0.0.1', tls: 'none', from: 'gateway@example.com' } as const

const mailTo = (port: number, more: { user?: string; password?: string; tls?: 'none' | 'upgraded' } = {}) => {
  const { user, password, tls = 'none' } = more
  const settings = {
    host: '127.0.0.1',
    port,
    tls,
    from: 'gateway@example.com',
    to: ['ops@example.com', 'cfo@example.com'],
  }
  return new MailTarget(
    { ...settings, ...(user !== undefined && { user }), digest: 0, password: () => password },
    'svc',
    addresses => refusals.push(...addresses),
  )
}

let refusals: string[] = []
beforeEach(() => {
  refusals = []
})

it('mail goes to all addresses by a real server, signed in, with the id of the notice', async () => {
  const { port, mails } = await mailbox({ name: 'gateway', password: 'pässword' })
  await mailTo(port, { user: 'gateway', password: 'pässword' }).send([letter('ntc_1')])
  const [mail] = mails
  expect(mail).toMatchObject({ from: 'gateway@example.com', to: ['ops@example.com', 'cfo@example.com'] })
  expect(mail?.text).toContain('Message-ID: <ntc_1@example.com>')
  expect(mail?.text).toContain('Subject: [svc] Account acct_<1> has reached 80%')
  expect(mail?.text.replace(/=\r?\n/g, '')).toContain('has reached 80% of its limit of $5 a month (UTC)')
})

it('mail that the server takes for some addresses is sent once, and the others are reported', async () => {
  const { port, mails } = await mailbox(undefined, 'cfo@example.com')
  await mailTo(port).send([letter('ntc_1')])
  expect(mails.map(({ to }) => to)).toEqual([['ops@example.com']])
  expect(refusals).toEqual(['cfo@example.com'])
})

it('mail whose only address the server refuses is refused alone, and one whose sign-in it refuses is not', async () => {
  const refusing = await mailbox(undefined, 'ops@example.com')
  const toOne = new MailTarget(
    { ...PLAIN, port: refusing.port, to: ['ops@example.com'], digest: 0, password: () => undefined },
    'svc',
    () => {},
  )
  await expect(toOne.send([letter('ntc_1')])).rejects.toBeInstanceOf(NoticeRefused)
  const signedIn = await mailbox({ name: 'gateway', password: 'right' })
  const wrong = mailTo(signedIn.port, { user: 'gateway', password: 'wrong' }).send([letter('ntc_1')])
  await expect(wrong).rejects.not.toBeInstanceOf(NoticeRefused)
})

it.each([
  '554 5.7.1 <ops@example.com>: Relay access denied',
  '454 4.7.1 <ops@example.com>: Relay access denied',
  '550 5.7.1 <ops@example.com>... Relaying denied',
  '550 relay not permitted',
  '550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain',
  "553 sorry, that domain isn't in my list of allowed rcpthosts",
  '554 5.7.1 <unknown[203.0.113.7]>: Client host rejected: Access denied',
  '554 5.7.1 Service unavailable; Client host [203.0.113.7] blocked using bl.example',
  '530 5.7.0 Authentication required',
])('a server that takes no address of this gateway takes no mail at all, so that all of it waits: %s', async relay => {
  const { port } = await mailbox(undefined, { relay })
  const error = await mailTo(port)
    .send([letter('ntc_1')])
    .catch((reason: unknown) => reason)
  expect([error instanceof NoticeRefused, isOfRecipient(error)]).toEqual([false, false])
})

it.each([
  ['relay@evil.example', '550 5.1.1 <RELAY@evil.example>: Recipient address rejected: User unknown'],
  ['ada@relay.example', '550 5.1.1 <ada@relay.example>... User unknown'],
  ['5.7.1@evil.example', '550 5.1.1 <5.7.1@evil.example>... User unknown'],
  ['5.7.1@evil.example', '550 5.7.1@evil.example is unknown'],
  ['rcpthosts@evil.example', '553 no mailbox Rcpthosts@evil.example'],
  ['"relay access denied"@evil.example', '550 5.1.1 <"relay access denied"@evil.example>: User unknown'],
  ['"relay access denied"@evil.example', '550 "Relay access denied"@EVIL.example is unknown'],
  ['ada@example.com', '554 5.7.1 <ada@example.com>: Recipient address rejected: Access denied'],
  ['ada@example.com', '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup'],
  ['ada@example.com', '550 5.1.1 <ada@example.com>: host mx.example.com said: 550 5.7.1 Relay access denied'],
  ['ada@example.com', '550 verifying ada@example.com: mx.example.com said: 550 Relaying denied'],
  ['ada@example.com', '450 4.2.0 <ada@example.com>: Recipient address rejected: Greylisted'],
])('a reply about an address is of its recipient, whatever the address contains: %s: %s', async (to, relay) => {
  const { port } = await mailbox(undefined, { relay })
  const target = new MailTarget({ ...PLAIN, port, to: [to], digest: 0, password: () => undefined }, 'svc', () => {})
  expect(isOfRecipient(await target.send([letter('ntc_1')]).catch((reason: unknown) => reason))).toBe(true)
})

it('mail is not sent where the server refuses the password, or has no TLS where it must', async () => {
  const signedIn = await mailbox({ name: 'gateway', password: 'right' })
  await expect(mailTo(signedIn.port, { user: 'gateway', password: 'wrong' }).send([letter('ntc_1')])).rejects.toThrow()
  const plain = await mailbox()
  await expect(mailTo(plain.port, { tls: 'upgraded' }).send([letter('ntc_1')])).rejects.toThrow()
  expect([...signedIn.mails, ...plain.mails]).toEqual([])
})
