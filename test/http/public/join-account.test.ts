import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hashOfInvitation } from '../../../src/gateway/accounts/invitations.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import type { OidcServer } from '../../support/identity/oidc.ts'
import { openSignIns } from '../../support/identity/sign-ins.ts'
import { did, post } from '../../support/operator.ts'
import { describeRedis, type RedisServer, useRedis } from '../../support/redis/redis.ts'
import { everythingIn, filesIn } from '../../support/remains.ts'
import { outcomeOf, send, type Told } from '../calls.ts'

const JOIN = 'POST /v1/account/join'

inNpmTest.describe('with the embedded store', () => guarantees())
describeRedis('with Redis', () => guarantees(useRedis()))

function guarantees(redis?: () => RedisServer): void {
  const users: Record<string, Record<string, unknown>> = {}
  let oidc: OidcServer
  let test: TestGateway
  let count = 0

  openSignIns(users, async parts => {
    oidc = parts.oidc
    test = await startTestGateway({ onprem: [parts.backend], oidc, ...(redis && { redis: redis() }) })
    return test
  })

  /** A person whom nobody knows yet, by the e-mail address that their token claims. */
  const person = async (email?: string): Promise<string> => {
    const user = `person-${++count}`
    users[user] = { plan: 'free', ...(email !== undefined && { email }) }
    return (await oidc.signIn(user)).accessToken
  }
  /** An account that an operator opens, with a key. */
  const opened = async (email = `customer-${++count}@example.com`) => {
    const { account, value } = await did(test, 'keys', { account: email, plan: 'pro' })
    return { email, account: String(account), key: String(value) }
  }
  const invited = async (account: string) => String((await did(test, 'accounts/invite', { account })).invitation)
  const ask = (endpoint: string, token: string, body?: object) => send(test, endpoint, { token, ...(body && { body }) })
  const accountOf = async (token: string): Promise<Told> => ask('GET /v1/account', token)

  describe('a person whose e-mail address names an account that an operator opened', () => {
    it.each([
      ['in the same letters', (email: string) => email],
      ['in capitals', (email: string) => email.toUpperCase()],
    ])('is told so at each way in, %s, and gets no second account', async (_how, written) => {
      const { email } = await opened()
      const token = await person(written(email))

      const told = await accountOf(token)
      expect(outcomeOf(told)).toBe('403 INVITATION_NEEDED')
      expect(told.body).toMatchObject({ error: expect.stringContaining(email) })
      const chat = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }
      expect(outcomeOf(await ask('POST /v1/chat/completions', token, chat))).toBe('403 INVITATION_NEEDED')
      expect(outcomeOf(await ask('POST /v1/keys/developer', token, {}))).toBe('403 INVITATION_NEEDED')
      expect(await test.gateway.store.accounts.findByLabel(email)).toHaveLength(1)
    })

    it('joins it by an invitation, and has its plan, its usage and its keys', async () => {
      const { email, account, key } = await opened()
      const token = await person(email)

      const told = await ask(JOIN, token, { invitation: await invited(email) })

      expect(told.body).toEqual({ object: 'account', account, label: email, plan: 'pro' })
      expect((await accountOf(token)).body).toMatchObject({ account, label: email, plan: 'pro', signed_in: true })
      const { data } = (await ask('GET /v1/keys/developer', token)).body as { data: { key: string }[] }
      expect(data.map(each => each.key)).toEqual([`${key.slice(0, 8)}…`])
      const rotated = await ask('POST /v1/keys/developer/rotate', token, { key: `${key.slice(0, 8)}…` })
      expect(rotated.status).toBe(200)
      expect((await test.chat(key)).status).toBe(401)
    })

    it('who had an account of their own before keeps it', async () => {
      const email = `early-${++count}@example.com`
      const token = await person(email)
      const own = ((await accountOf(token)).body as { account: string }).account
      // The mint is for an account of its own, since the label of a token is what its user chose.
      const refused = await post(test, 'keys', { account: email, plan: 'pro' })
      expect(refused[0]).toBe(400)

      expect((await accountOf(token)).body).toMatchObject({ account: own })
    })
  })

  describe('an invitation', () => {
    it('leads to the console by a link whose secret stands behind `#`, and the store has only its hash', async () => {
      const { account } = await opened()
      const { link, invitation, invited_until } = await did(test, 'accounts/invite', { account })

      expect([null, `${test.url}/console#invitation=${invitation}`]).toContain(link)
      const record = await test.gateway.store.accounts.find(account)
      expect(record?.invitation).toEqual({
        hash: hashOfInvitation(String(invitation)),
        expiresAt: Date.parse(String(invited_until)),
      })
    })

    it('serves one person, for a day, until it is withdrawn or another one is made', async () => {
      const { account } = await opened()
      const refused = async (invitation: string) => {
        const told = await ask(JOIN, await person(), { invitation })
        expect(outcomeOf(told)).toBe('400 VALIDATION_ERROR')
        expect(told.text).toContain('unknown, used or older than 24 hours')
      }
      const first = await invited(account)
      const second = await invited(account)
      await refused(first)
      const token = await person()
      expect((await ask(JOIN, token, { invitation: second })).status).toBe(200)
      await refused(second)
      // A client whose answer was lost may ask again.
      expect((await ask(JOIN, token, { invitation: second })).status).toBe(200)

      const third = await invited(account)
      expect(await did(test, 'accounts/uninvite', { account })).toMatchObject({ invited_until: null })
      await refused(third)
      for (const made of [`${account}.${randomBytes(32).toString('base64url')}`, 'acct_.x', 'nonsense'])
        await refused(made)
    })

    it('moves nobody from an account of their own without their word, and merges nothing', async () => {
      const { account } = await opened()
      const token = await person(`own-${++count}@example.com`)
      const key = String(((await ask('POST /v1/keys/developer', token, {})).body as { key: string }).key)
      const own = ((await accountOf(token)).body as { account: string }).account
      const invitation = await invited(account)

      const told = await ask(JOIN, token, { invitation })
      expect(outcomeOf(told)).toBe('400 VALIDATION_ERROR')
      expect(told.text).toContain(`this sign-in already has the account ${own}`)
      expect((await accountOf(token)).body).toMatchObject({ account: own })

      expect((await ask(JOIN, token, { invitation, leave: true })).status).toBe(200)
      expect((await accountOf(token)).body).toMatchObject({ account })
      expect((await accountOf(key)).body).toMatchObject({ account: own })
    })

    it('is to no account that signs in, and to no device', async () => {
      const token = await person()
      const { account } = (await accountOf(token)).body as { account: string }

      const [status, { error }] = await post(test, 'accounts/invite', { account })

      expect([status, error]).toEqual([400, expect.stringContaining('was created by a sign-in')])
    })

    it('needs the sign-in of a person: a key joins nothing', async () => {
      const { account, key } = await opened()

      const told = await ask(JOIN, key, { invitation: await invited(account) })

      expect(outcomeOf(told)).toBe('401 INVALID_TOKEN')
    })
  })

  it('a freeze of the account holds for whoever joined it, and a sign-in that is let go is told again', async () => {
    const { email, account } = await opened()
    const token = await person(email)
    await ask(JOIN, token, { invitation: await invited(email) })
    await did(test, 'accounts/freeze', { account })
    const chat = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }
    expect(outcomeOf(await ask('POST /v1/chat/completions', token, chat))).toBe('403 ACCOUNT_FROZEN')

    const { sign_ins } = (await did(test, 'accounts/show', { account })) as { sign_ins: readonly string[] }
    expect(sign_ins).toHaveLength(1)
    expect(await did(test, 'accounts/uninvite', { account, sign_in: sign_ins[0] })).toMatchObject({ sign_ins: [] })
    expect(outcomeOf(await accountOf(token))).toBe('403 INVITATION_NEEDED')
    expect((await post(test, 'accounts/uninvite', { account, sign_in: sign_ins[0] }))[0]).toBe(400)
  })

  it('no file, record or alarm has the secret of an invitation', async () => {
    const { account } = await opened()
    const invitation = await invited(account)
    await ask(JOIN, await person(), { invitation })

    const [, secret = ''] = invitation.split('.')
    const kept = [
      await filesIn(test.gateway.app.settings.server.stateDir),
      redis && (await everythingIn(redis().url)),
      ...test.alarms,
    ]
    expect(kept.join('\n')).not.toContain(secret)
  })
}
