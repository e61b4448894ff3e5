import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { claudeEndpoints } from '../../../src/http/public/claude-login.ts'
import { publicEndpoints } from '../../../src/http/public/public.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, AUDIENCE, ENV, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'
import { mailbox } from '../../support/mailbox.ts'
import { isSigned, startPublicHost } from '../../support/public-host.ts'
import { listed, read } from '../admin/notices-fixture.ts'
import { send } from '../calls.ts'

const TURN_MS = 3001
const NOTICES = '/v1/account/notices'
const REFUSED = 'nobody@example.com'

const users: Record<string, Record<string, unknown>> = {
  ada: { plan: 'tight', email: 'ada@example.com' },
  bob: { plan: 'tight', email: 'bob@example.com' },
}
let backend: Backend
let oidc: OidcServer
let test: TestGateway
let mails: Awaited<ReturnType<typeof mailbox>>['mails']
let hooks: Awaited<ReturnType<typeof startPublicHost>>

beforeEach(async () => {
  backend = await startBackend()
  // 0.0041 USD of the 0.01 of the plan.
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 100, completion_tokens: 400, total_tokens: 500 } }))
  oidc = await startOidc({ audience: AUDIENCE, users })
  const box = await mailbox(undefined, REFUSED)
  mails = box.mails
  hooks = await startPublicHost('hooks.example.com')
  test = await startTestGateway({
    onprem: [backend],
    oidc,
    env: ENV,
    publicHosts: hooks.ways,
    yaml: `notice_targets: { mail: { smtp: "smtp://127.0.0.1:${box.port}", from: gateway@example.com, to: [ops@example.com], digest: 0s } }
customer_notices: { at: [50%, 80%, 100%], mail: mail, webhooks: true }
`,
  })
})
afterEach(async () => {
  await test.close()
  await hooks.close()
  await oidc.stop()
  await backend.close()
})

const tokenOf = async (user: string) => (await oidc.signIn(user)).accessToken
const show = (token: string) => send(test, `GET ${NOTICES}`, { token })
const change = (token: string, body: object) => send(test, `POST ${NOTICES}`, { token, body })
/** The page behind a link, and that of its button. */
const openLink = (token: string) => fetch(`${test.url}${NOTICES}/confirm?token=${token}&utm_source=mail`)
const confirm = (token: string) =>
  fetch(`${test.url}${NOTICES}/confirm`, { method: 'POST', body: new URLSearchParams({ token }) })
/** The text of a mail, without the line ends that its encoding adds. */
const textOf = (mail: { readonly text: string } | undefined) =>
  (mail?.text ?? '').replace(/=\r?\n/g, '').replace(/=3D/g, '=')
const confirmationIn = (mail: { readonly text: string } | undefined): string =>
  /\/confirm\?token=(\S+)/.exec(textOf(mail))?.[1] ?? ''

/** Notices in the list of operators, once there are so many and each delivery has ended or `state` is reached. */
async function noticesOnce(count: number, isOver = ({ state }: { readonly state: string }) => state === 'delivered') {
  await expect
    .poll(
      async () => {
        test.clock.advance(TURN_MS)
        const { data } = await listed(test)
        return data.length === count && data.every(({ deliveries }) => deliveries.every(isOver))
      },
      { timeout: 30_000 },
    )
    .toBe(true)
  return (await listed(test)).data
}

async function chat(token: string) {
  const body = { model: 'svc-core', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 500 }
  expect((await send(test, 'POST /v1/chat/completions', { token, body })).status).toBe(200)
}

it('a mail address gets notices once its owner has opened the link, at the percentages that the account chose', async () => {
  const token = await tokenOf('ada')
  expect((await show(token)).body).toMatchObject({
    ...{ offered: [50, 80, 100], at: [50, 80, 100], secret: null },
    mail: { offered: true, address: null, unconfirmed: null },
    webhook: { offered: true, url: null },
  })
  const asked = await change(token, { at: [80], mail: 'ada@example.com' })
  expect(asked.body).toMatchObject({ at: [80], mail: { address: null, unconfirmed: 'ada@example.com' } })
  expect(mails.map(({ to }) => to)).toEqual([['ada@example.com']])
  const link = confirmationIn(mails[0])
  const confirmed = await confirm(link)
  expect([confirmed.status, await confirmed.text()]).toEqual([200, expect.stringContaining('now come to <strong>ada')])
  expect((await confirm(link)).status).toBe(400)
  expect((await show(token)).body).toMatchObject({ mail: { address: 'ada@example.com', unconfirmed: null } })

  await chat(token)
  await chat(token)
  await expect
    .poll(
      () => {
        test.clock.advance(TURN_MS)
        return mails.length
      },
      { timeout: 30_000 },
    )
    .toBe(2)
  expect(mails[1]?.to).toEqual(['ada@example.com'])
  expect(textOf(mails[1])).toContain('has reached 80% of its limit of $0.01 a month (UTC): $0.0082 used')
})

it('an address that was not confirmed gets no notice, and neither does one that was taken back', async () => {
  // Operators hear of the same limits, so that each crossing becomes a notice.
  await test.reload(
    {},
    yaml => `${yaml.replace('at: [50%, 80%, 100%], mail', 'at: [30%, 80%], mail')}
notices: [{ at: [30%, 80%], of: [account], to: [mail] }]
`,
  )
  const ofCustomer = () => mails.filter(({ to }) => !to.includes('ops@example.com'))
  const targets = async (count: number) =>
    (await noticesOnce(count)).flatMap(({ deliveries }) => deliveries.map(({ target }) => target))
  const token = await tokenOf('ada')
  await change(token, { mail: 'ada@example.com' })
  const first = confirmationIn(mails[0])
  // A program that opens the links of mails confirms nothing.
  for (const method of ['GET', 'HEAD']) await fetch(`${test.url}${NOTICES}/confirm?token=${first}`, { method })
  expect((await show(token)).body).toMatchObject({ mail: { address: null, unconfirmed: 'ada@example.com' } })
  await change(token, { mail: 'other@example.com' })
  // A later request replaces the one before.
  expect((await confirm(first)).status).toBe(400)
  await chat(token)
  expect(await targets(2)).toEqual(['mail', 'mail'])

  expect((await confirm(confirmationIn(ofCustomer()[1]))).status).toBe(200)
  await change(token, { mail: null })
  await chat(token)
  expect(await targets(3)).toEqual(['mail', 'mail', 'mail'])
  expect(ofCustomer().map(({ to }) => to)).toEqual([['ada@example.com'], ['other@example.com']])
})

it('taking back an address that waits for its confirmation ends its link', async () => {
  const token = await tokenOf('ada')
  await change(token, { mail: 'ada@example.com' })
  await change(token, { mail: null })
  expect((await confirm(confirmationIn(mails[0]))).status).toBe(400)
})

it('sending the confirmed address again withdraws one that was to replace it, without a mail', async () => {
  const token = await tokenOf('ada')
  await change(token, { mail: 'ada@example.com' })
  await confirm(confirmationIn(mails[0]))
  await change(token, { mail: 'mistyped@example.com' })
  const kept = await change(token, { mail: 'ada@example.com' })
  expect(kept.body).toMatchObject({ mail: { address: 'ada@example.com', unconfirmed: null, until: null } })
  expect((await confirm(confirmationIn(mails[1]))).status).toBe(400)
  expect((await show(token)).body).toMatchObject({ mail: { address: 'ada@example.com' } })
  expect(mails).toHaveLength(2)
})

it('a mail of a gateway without a console ends with a command that ends these mails', async () => {
  await test.reload({ server: ['console: false'] })
  const token = await tokenOf('ada')
  await change(token, { mail: 'ada@example.com' })
  await confirm(confirmationIn(mails[0]))
  await chat(token)
  await chat(token)
  await noticesOnce(2)
  const text = textOf(mails[1])
  expect(text).toContain(`ask the operator of ${AUDIENCE}`)
  const [, path, body] = /curl http:\/\/localhost(\S+) .*-d '(.*)'/.exec(text) ?? []
  await send(test, `POST ${path}`, { token, body })
  expect((await show(token)).body).toMatchObject({ mail: { address: null } })
})

it('the page of a link needs no script and no sign-in, runs nothing, and may neither be kept nor framed', async () => {
  await change(await tokenOf('ada'), { mail: "a&'b@example.com" })
  const page = await openLink(confirmationIn(mails[0]))
  expect(page.status).toBe(200)
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    ),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  const html = await page.text()
  expect(html).toContain("a&amp;'b@example.com")
  expect(html).toContain('<form method="post" action="confirm">')
  expect(html).not.toMatch(/<script|<img|<link|style=/)
})

it.each([
  ['used before', 'does not work', async (link: string) => void (await confirm(link))],
  ['replaced', 'does not work', async () => void (await change(await tokenOf('ada'), { mail: 'new@example.com' }))],
  ['older than 24 hours', 'has expired', async () => void test.clock.advance(86_400_000)],
])('a link that was %s shows a page that says so, and confirms nothing', async (_name, words, spend) => {
  await change(await tokenOf('ada'), { mail: 'ada@example.com' })
  const link = confirmationIn(mails[0])
  await spend(link)
  for (const answer of [await openLink(link), await confirm(link)]) {
    expect([answer.status, answer.headers.get('x-svc-error-code')]).toEqual([400, 'VALIDATION_ERROR'])
    expect(await answer.text()).toContain(words)
  }
})

it('a token of another form, or of nobody, shows a page without it, and is a 400', async () => {
  const tokens = [
    '',
    'none',
    `acct_unknown.${'x'.repeat(43)}`,
    '"><script>alert(1)</script>',
    'acct_a\r\nset-cookie: a=b.x',
  ]
  for (const token of tokens) {
    for (const answer of [await openLink(encodeURIComponent(token)), await confirm(token)]) {
      expect([token, answer.status, answer.headers.get('set-cookie')]).toEqual([token, 400, null])
      const page = await answer.text()
      expect(page).toContain('This link does not work')
      expect(page).not.toContain('<script')
    }
  }
})

it('mails to confirm an address are limited by account and by address', async () => {
  const token = await tokenOf('ada')
  const statuses: number[] = []
  for (let index = 0; index < 6; index++) statuses.push((await change(token, { mail: 'ada@example.com' })).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  // Another account may not flood the same mailbox.
  expect((await change(await tokenOf('bob'), { mail: 'ADA@example.com' })).status).toBe(429)
  expect(mails).toHaveLength(5)
})

it('a webhook that can never work is refused at once, with the reason', async () => {
  const inside = 'must have a host on the public internet'
  const problems: Readonly<Record<string, string>> = {
    'http://hooks.example.com/': 'must be a URL with https',
    'no url': 'must be a URL with https',
    'https://hooks.example.com:8443/': 'must be on port 443',
    'https://user:word@hooks.example.com/': 'must have no user, password or fragment',
    'https://localhost/': inside,
    'https://127.0.0.1/': inside,
    'https://0x7f000001/': inside,
    'https://169.254.169.254/latest/meta-data': inside,
    'https://[::ffff:10.0.0.1]/': inside,
    'https://[64:ff9b::a9fe:a9fe]/': inside,
    'https://[fd00:ec2::254]/': inside,
  }
  const token = await tokenOf('ada')
  for (const [webhook, problem] of Object.entries(problems)) {
    const told = await change(token, { webhook })
    expect([webhook, told.status, JSON.stringify(told.body)]).toEqual([webhook, 400, expect.stringContaining(problem)])
  }
})

it('an address with a line end, a second one or a name is refused, and the mail names the account alone', async () => {
  const token = await tokenOf('ada')
  const hostile = [
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com, eve@example.com',
    'Ada <ada@example.com>',
  ]
  for (const mail of [...hostile, '"ada\r\n"@example.com', `${'a'.repeat(250)}@example.com`])
    expect([mail, (await change(token, { mail })).status]).toEqual([mail, 400])
  expect(mails).toEqual([])
  await change(token, { mail: 'ada@example.com' })
  const [headers = ''] = (mails[0]?.text ?? '').split('\r\n\r\n')
  expect(headers).toMatch(/^To: ada@example\.com\r$/m)
  expect(headers).not.toMatch(/^(?:cc|bcc):/im)
})

it('an address that the mail server refuses changes nothing, and neither does a server that is away, whose words the operator alone sees', async () => {
  const token = await tokenOf('ada')
  const all = { webhook: 'https://hooks.example.com/', at: [80] }
  const refused = await change(token, { ...all, mail: REFUSED })
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining('is refused by the mail server'),
  ])
  await test.reload({}, yaml => yaml.replace(/smtp:\/\/127\.0\.0\.1:\d+/, 'smtp://127.0.0.1:1'))
  const away = await change(token, { ...all, mail: 'ada@example.com' })
  expect([away.status, JSON.stringify(away.body)]).toEqual([
    400,
    expect.stringContaining('the mail server does not answer'),
  ])
  expect(JSON.stringify(away.body)).not.toContain('127.0.0.1')
  expect(test.alarms.join()).toMatch(/a mail that confirms an address of a customer cannot be sent .*127\.0\.0\.1/)
  expect((await show(token)).body).toMatchObject({
    at: [50, 80, 100],
    mail: { unconfirmed: null },
    webhook: { url: null },
  })
})

it('a mail server that relays nothing, or refuses the sender, is an incident of the operator, one for all of its customers', async () => {
  const incidents = async () => ((await read(test, 'incidents?state=open')) as { data: readonly object[] }).data
  const tokens = [await tokenOf('ada'), await tokenOf('bob')]
  let alarms = 0
  for (const refused of [{ relay: '554 5.7.1 Relay access denied' }, { sender: true }] as const) {
    const { port } = await mailbox(undefined, refused)
    await test.reload({}, yaml => yaml.replace(/smtp:\/\/127\.0\.0\.1:\d+/, `smtp://127.0.0.1:${port}`))
    for (const token of tokens) {
      expect((await change(token, { mail: 'ada@example.com' })).status).toBe(400)
      alarms++
      expect(await incidents()).toMatchObject([
        { incident: 'notices-wait', subject: { target: "customers' mail" }, alarms },
      ])
    }
  }
})

it('no address that a customer chooses makes its refusal one of the mail server, which repeats it', async () => {
  const { port } = await mailbox(undefined, { relay: '550 5.1.1 <relay@5.7.1.example>: User unknown' })
  await test.reload({}, yaml => yaml.replace(/smtp:\/\/127\.0\.0\.1:\d+/, `smtp://127.0.0.1:${port}`))
  expect((await change(await tokenOf('ada'), { mail: 'relay@5.7.1.example' })).status).toBe(400)
  expect(await read(test, 'incidents?state=open')).toMatchObject({ data: [] })
})

it('the secret of a webhook is shown once, and a name that leads inside gets no notice', async () => {
  hooks.lead.to = name => (name === 'hooks.example.com' ? ['127.0.0.2'] : ['127.0.0.1'])
  const token = await tokenOf('ada')
  const made = await change(token, { webhook: 'https://inside.example.com/hook' })
  expect(made.body).toMatchObject({ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) })
  expect((await show(token)).body).toMatchObject({ webhook: { url: expect.stringContaining('/hook') }, secret: null })
  await chat(token)
  await chat(token)
  const told = await noticesOnce(2, ({ state }) => state === 'waiting' && hooks.asked.length >= 2)
  await expect
    .poll(async () => (await listed(test)).data.flatMap(({ deliveries }) => deliveries.map(({ error }) => error)))
    .toEqual(Array(told.length).fill('inside.example.com has an address that is not of the public internet'))
  expect([new Set(hooks.asked), hooks.messages]).toEqual([new Set(['inside.example.com']), []])
  expect((await change(token, { webhook: null })).body).toMatchObject({ webhook: { url: null }, secret: null })
})

it('a webhook gets a notice by HTTPS at the address that was checked, signed, and after a 503 once more under the same id', async () => {
  const token = await tokenOf('ada')
  const made = await change(token, { at: [80], webhook: 'https://hooks.example.com/svc' })
  const { secret } = made.body as { readonly secret: string }
  hooks.statuses.push(503)
  await chat(token)
  await chat(token)
  const [notice] = await noticesOnce(1)
  expect(notice?.deliveries).toMatchObject([{ state: 'delivered', tries: 2 }])
  const { messages } = hooks
  expect(messages.map(({ address, host, path }) => [address, host, path])).toEqual(
    Array(2).fill(['127.0.0.2', 'hooks.example.com', '/svc']),
  )
  expect(messages.map(({ headers }) => headers['webhook-id'])).toEqual([notice?.id, notice?.id])
  expect(messages.map(message => isSigned(message, secret))).toEqual([true, true])
  expect(messages.map(({ body }) => JSON.parse(body))).toMatchObject(
    Array(2).fill({ type: 'limit.reached', data: { id: notice?.id, percent: 80, used: '0.0082' } }),
  )
  // It asks for each connection, and the name leads inside by now: nothing more is sent there.
  hooks.lead.to = () => ['127.0.0.1']
  for (let turn = 0; turn < 3; turn++) await noticesOnce(1)
  expect(hooks.messages).toHaveLength(2)
  expect(hooks.asked).toHaveLength(2)
})

it('one account changes and confirms nothing of another, and a token is of no use beyond its own', async () => {
  const [ada, bob] = [await tokenOf('ada'), await tokenOf('bob')]
  await change(ada, { mail: 'ada@example.com' })
  await change(bob, { mail: 'bob@example.com', at: [100] })
  const [ofAda, ofBob] = mails.map(confirmationIn)
  const [account = ''] = (ofAda ?? '').split('.')
  // The secret of one with the account of the other.
  expect((await confirm(`${account}.${(ofBob ?? '').split('.')[1]}`)).status).toBe(400)
  expect((await change(ada, { account: 'acct_other', mail: null })).status).toBe(400)
  expect((await confirm(ofBob ?? '')).status).toBe(200)
  expect((await show(ada)).body).toMatchObject({ at: [50, 80, 100], mail: { address: null } })
  expect((await show(bob)).body).toMatchObject({ at: [100], mail: { address: 'bob@example.com' } })
})

it('a key alone changes and reads no address, and what the operator does not offer is refused', async () => {
  const key = await test.key('tight', 'shop')
  for (const refused of [await show(key), await change(key, { at: [80] })])
    expect([refused.status, refused.text]).toEqual([
      401,
      expect.stringContaining('A key neither reads nor changes where notices go. Sign in at http'),
    ])
  const token = await tokenOf('ada')
  expect((await change(token, { at: [75] })).status).toBe(400)
  expect((await change(token, { mail: 'no address' })).status).toBe(400)
  await test.reload({}, yaml => yaml.replace(/customer_notices:.*\n/, ''))
  const told = await change(token, { mail: 'ada@example.com' })
  expect([told.status, JSON.stringify(told.body)]).toEqual([
    400,
    expect.stringContaining('is not offered by the operator'),
  ])
  expect(mails).toEqual([])
})

it('the audit names who changed the notices of an account, without the path of a webhook', async () => {
  const token = await tokenOf('ada')
  await change(token, { at: [100], webhook: 'https://hooks.example.com/secret-path' })
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const audit = await (await fetch(`${test.admin}/admin/audit`, { headers })).text()
  expect(audit).toContain('set-notices')
  expect(audit).toContain('100% · hooks.example.com')
  expect(audit).not.toContain('secret-path')
})

it('a key is told by each endpoint for people what it does not do there', async () => {
  const identity = 'console_client_id: svc-console, claude_login: {}'
  const gateway = await startTestGateway({ onprem: [backend], oidc, identity, env: ENV })
  onTestFinished(() => gateway.close())
  const key = await gateway.key('tight', 'shop')
  const told: string[] = []
  for (const endpoint of [...publicEndpoints, ...claudeEndpoints])
    if (endpoint.who === 'signed-in' || endpoint.who === 'person') {
      const { status, text } = await send(gateway, `${endpoint.method} ${endpoint.path}`, { token: key })
      told.push(`${status} ${endpoint.path} ${/A key [^.:]*/.exec(text)?.[0]}`)
    }
  expect([...new Set(told)].sort()).toEqual([
    ...['', '/approve', '/deny'].map(path => `401 /v1/account/device${path} A key approves no sign-in of an agent`),
    '401 /v1/account/join A key joins no account',
    '401 /v1/account/notices A key neither reads nor changes where notices go',
    '401 /v1/agent-tokens A key gets no agent token',
    ...['', '/revoke', '/rotate'].map(path => `401 /v1/keys/developer${path} A key does not manage keys`),
  ])
})
