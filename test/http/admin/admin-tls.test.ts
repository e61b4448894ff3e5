import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { Agent, type AgentOptions, request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Authority, newAuthority } from '../../support/authority.ts'
import { startBackend } from '../../support/backend.ts'
import { type Certificate, selfSigned } from '../../support/certificate.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'

const USER = { 'x-svcctl-user': 'ada@desk' }
const DAY = 86_400_000

/** A gateway whose admin listener has TLS, by these files. */
async function start(files: Readonly<Record<string, string>>, more = ''): Promise<TestGateway> {
  const backend = await startBackend()
  const server = [`admin_tls: { certificate: file:admin.pem, key: file:admin.key${more} }`]
  const test = await startTestGateway({ onprem: [backend], server, files })
  onTestFinished(async () => {
    await test.close()
    await backend.close()
  })
  return test
}

const filesOf = ({ cert, key }: Certificate) => ({ 'admin.pem': cert, 'admin.key': key })

/** With certificates of operators beside. */
function startMutual(operators: Authority, own: Certificate, lists = 'admins: [ada], viewers: [vic]') {
  return start({ ...filesOf(own), 'operators.pem': operators.ca }, `, client_ca: file:operators.pem, ${lists}`)
}

interface Asked extends AgentOptions {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  readonly agent?: Agent
}

/** Status and body of what an operator asks. */
async function ask(test: TestGateway, endpoint: string, { token, headers, body, agent, ...tls }: Asked) {
  const [method, path] = endpoint.split(' ')
  const asked = request(`${test.admin}${path}`, {
    ...tls,
    method,
    agent: agent ?? false,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  asked.end(body && JSON.stringify(body))
  const [answer] = await once(asked, 'response')
  return { status: Number(answer.statusCode), body: JSON.parse(await text(answer)) as Record<string, unknown> }
}

const whoAmI = async (test: TestGateway, asked: Asked) => {
  const { status, body } = await ask(test, 'GET /admin/whoami', asked)
  return [status, body.by ?? body.code, body.role, body.via].filter(Boolean)
}

/** openssl's view of a connection: `words` follow s_client. */
async function sClient({ admin }: TestGateway, ...words: string[]): Promise<string> {
  const child = spawn('openssl', ['s_client', '-connect', new URL(admin).host, ...words], { timeout: 60_000 })
  child.stdin.end()
  return (await Promise.all([text(child.stdout), text(child.stderr)])).join('')
}

describe('an admin listener with TLS', () => {
  it('serves whoever trusts its certificate, and answers nothing without TLS', async () => {
    const own = selfSigned()
    const test = await start(filesOf(own))

    expect(await whoAmI(test, { ca: own.cert, token: ADMIN_TOKEN })).toEqual([200, 'operator', 'admin', 'token'])
    await expect(whoAmI(test, { token: ADMIN_TOKEN })).rejects.toThrow('self-signed certificate')
    const plain = connect(Number(new URL(test.admin).port), '127.0.0.1')
    plain.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(await text(plain)).not.toContain('HTTP')
  })

  it('speaks no TLS before 1.2, as openssl finds, and asks for no certificate', async () => {
    const test = await start(filesOf(selfSigned()))

    expect(await sClient(test, '-tls1_3')).toContain('No client certificate CA names sent')
    expect(await sClient(test, '-tls1_2')).toContain('Cipher is ECDHE')
    expect(await sClient(test, '-tls1_1', '-cipher', 'ALL:@SECLEVEL=0')).toContain('Cipher is (NONE)')
  })

  it('takes a new certificate by a reload, while a connection that stands goes on', async () => {
    const [first, second] = [selfSigned(), selfSigned()]
    const test = await start(filesOf(first))
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: [first.cert, second.cert] })
    onTestFinished(() => agent.destroy())
    await whoAmI(test, { agent, token: ADMIN_TOKEN })
    const sockets = () => Object.values(agent.freeSockets).flat()
    const [standing] = sockets()

    const reloaded = await test.reload({ files: filesOf(second) })

    expect(reloaded).toMatchObject({ changed: true })
    expect(await whoAmI(test, { agent, token: ADMIN_TOKEN })).toEqual([200, 'operator', 'admin', 'token'])
    expect(sockets()).toEqual([standing])
    expect(await whoAmI(test, { ca: second.cert, token: ADMIN_TOKEN })).toEqual([200, 'operator', 'admin', 'token'])
    await expect(whoAmI(test, { ca: first.cert, token: ADMIN_TOKEN })).rejects.toThrow('self-signed certificate')
  })

  it.each([
    ['that is none', { 'admin.pem': 'garbage' }, 'this is not a readable PEM certificate'],
    ['that is cut off', { 'admin.pem': selfSigned().cert.slice(0, 200) }, 'this is not a readable PEM certificate'],
    ['of another key', { 'admin.key': selfSigned().key }, 'this key does not belong to `certificate`'],
    ['whose key is none', { 'admin.key': 'garbage' }, 'this is not a PEM private key'],
  ])('keeps its certificate where the next one is one %s, and says so', async (_what, files, said) => {
    const own = selfSigned()
    const test = await start(filesOf(own))

    expect(await test.reload({ files })).toMatchObject({ denial: { code: 'RELOAD_REFUSED' } })
    expect(test.said.join('\n')).toContain(said)
    expect(test.alarms.join('\n')).toContain('the configuration was not reloaded')
    expect(await whoAmI(test, { ca: own.cert, token: ADMIN_TOKEN })).toEqual([200, 'operator', 'admin', 'token'])
  })
})

describe('an admin listener that asks operators for certificates', () => {
  it('knows an operator by the name in the certificate, and the audit has it', async () => {
    const [operators, own] = [newAuthority(), selfSigned()]
    const test = await startMutual(operators, own)
    const ada = { ca: own.cert, ...operators.sign('ada') }

    expect(await whoAmI(test, ada)).toEqual([200, 'certificate ada', 'admin', 'certificate'])
    const minted = await ask(test, 'POST /admin/keys', {
      ...ada,
      headers: USER,
      body: { account: 'carl', plan: 'pro' },
    })
    expect(minted.status).toBe(200)
    const rows: unknown[] = []
    for await (const { by, action } of test.gateway.store.accounts.readAudit()) rows.push([by, action])
    expect(rows).toEqual([['certificate ada', 'mint']])
  })

  it('lets in no token without one, no other name, no certificate of another authority, and none that has ended', async () => {
    const [operators, others, own] = [newAuthority(), newAuthority(), selfSigned()]
    const test = await startMutual(operators, own)
    const { ca } = { ca: own.cert }

    expect(await whoAmI(test, { ca, token: ADMIN_TOKEN })).toEqual([401, 'INVALID_TOKEN'])
    expect(await whoAmI(test, { ca, ...operators.sign('eve') })).toEqual([401, 'INVALID_TOKEN'])
    expect(await whoAmI(test, { ca, ...others.sign('ada'), token: ADMIN_TOKEN })).toEqual([401, 'INVALID_TOKEN'])
    expect((await ask(test, 'GET /healthz', { ca })).status).toBe(200)
    const agent = new Agent({ keepAlive: true, ca, ...operators.sign('ada', 1) })
    onTestFinished(() => agent.destroy())
    expect(await whoAmI(test, { agent })).toEqual([200, 'certificate ada', 'admin', 'certificate'])
    test.clock.advance(Date.now() + 2 * DAY - test.clock.now())
    expect(await whoAmI(test, { agent })).toEqual([401, 'INVALID_TOKEN'])
  })

  it('gives the admin token no more than the name in the certificate may', async () => {
    const [operators, own] = [newAuthority(), selfSigned()]
    const test = await startMutual(operators, own)
    const vic = { ca: own.cert, ...operators.sign('vic'), token: ADMIN_TOKEN, headers: USER }

    expect(await whoAmI(test, vic)).toEqual([200, 'certificate vic', 'viewer', 'certificate'])
    expect((await ask(test, 'POST /admin/reload', { ...vic, body: {} })).body.code).toBe('FORBIDDEN')
    expect((await ask(test, 'GET /admin/keys', { ...vic, headers: { 'x-svcctl-as': 'ada' } })).status).toBe(400)
  })

  it('changes nothing for a page that a browser shows the certificate for: that cannot send the header', async () => {
    const [operators, own] = [newAuthority(), selfSigned()]
    const test = await startMutual(operators, own)
    const ada = { ca: own.cert, ...operators.sign('ada') }

    expect((await ask(test, 'POST /admin/reload', { ...ada, body: {} })).status).toBe(400)
    const code = (await ask(test, 'POST /admin/console/code', { ...ada, headers: USER, body: {} })).body.code
    const { body } = await ask(test, 'POST /admin/console/session', { ca: own.cert, body: { code } })
    const token = String(body.token)
    expect(await whoAmI(test, { ...ada, token })).toEqual([200, 'certificate ada', 'admin', 'session'])
    expect((await ask(test, 'POST /admin/reload', { ...ada, token, body: {} })).status).toBe(200)
    expect(await whoAmI(test, { ca: own.cert, token })).toEqual([401, 'INVALID_TOKEN'])
    expect(await whoAmI(test, { ca: own.cert, ...operators.sign('vic'), token })).toEqual([401, 'INVALID_TOKEN'])
  })

  it('forgets an authority that a reload replaced, also for connections that stand, and resumes no session of it', async () => {
    const [before, after, own] = [newAuthority(), newAuthority(), selfSigned()]
    const test = await startMutual(before, own)
    const agent = new Agent({ keepAlive: true, ca: own.cert, ...before.sign('ada') })
    onTestFinished(() => agent.destroy())
    expect((await whoAmI(test, { agent }))[0]).toBe(200)
    const session = join(test.dir, 'tls-session.pem')
    const { cert, key } = before.sign('ada')
    for (const [name, pem] of [
      ['ada.pem', cert],
      ['ada.key', key],
    ] as const)
      writeFileSync(join(test.dir, name), pem)
    const words = ['-cert', join(test.dir, 'ada.pem'), '-key', join(test.dir, 'ada.key')]
    expect(await sClient(test, '-tls1_2', ...words, '-sess_out', session)).toContain(
      'Acceptable client certificate CA names',
    )
    onTestFinished(() => rmSync(session, { force: true }))

    await test.reload({ files: { ...filesOf(own), 'operators.pem': after.ca } })

    expect(await whoAmI(test, { agent })).toEqual([401, 'INVALID_TOKEN'])
    expect(await whoAmI(test, { ca: own.cert, ...after.sign('ada') })).toEqual([
      200,
      'certificate ada',
      'admin',
      'certificate',
    ])
    expect(await sClient(test, '-tls1_2', ...words, '-sess_in', session)).toMatch(/^New, /m)
  })
})
