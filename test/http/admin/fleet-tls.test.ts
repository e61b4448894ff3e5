import { Agent, request } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { type Authority, newAuthority } from '../../support/authority.ts'
import { answer, startBackend } from '../../support/backend.ts'
import type { Certificate } from '../../support/certificate.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'

describeRedis('gateways with TLS', () => {
  const redis = useRedis()

  /** Each has its own certificate, of this authority, and what else it has. */
  async function start(
    gateways: Authority,
    more: string,
    files: Readonly<Record<string, string>> = {},
    count = 2,
  ): Promise<readonly TestGateway[]> {
    const backend = await startBackend()
    backend.always(answer({ content: 'Hi' }))
    onTestFinished(() => backend.close())
    const started: TestGateway[] = []
    for (let number = 1; number <= count; number++)
      started.push(
        await startOne(`tls-${number}:1`, gateways.sign(`gw-${number}`), more, {
          ...files,
          'fleet-ca.pem': gateways.ca,
        }),
      )
    return forgotten(started)

    async function startOne(name: string, own: Certificate, more: string, files: Readonly<Record<string, string>>) {
      const server = [`admin_tls: { certificate: file:admin.pem, key: file:admin.key${more} }`]
      const pems = { ...files, 'admin.pem': own.cert, 'admin.key': own.key }
      const test = await startTestGateway({ onprem: [backend], redis: redis(), alike: true, name, server, files: pems })
      onTestFinished(() => test.close())
      return test
    }
  }

  /** Those that died in tests before count for some seconds. */
  async function forgotten(started: readonly TestGateway[]): Promise<readonly TestGateway[]> {
    const own = started.map(({ gateway }) => gateway.app.fleet.self.id)
    const { fleet } = (started[0] as TestGateway).gateway.store
    for (const { id } of (await fleet.read()).members) if (!own.includes(id)) await fleet.leave(id)
    return started
  }

  /** An operator's call to the first gateway. */
  async function ask(
    [one]: readonly TestGateway[],
    ca: string,
    path: string,
    { body, as }: { body?: object; as?: Certificate } = {},
  ) {
    const agent = new Agent({ connect: { ca, ...as } })
    const answered = await request(`${one?.admin}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json', 'x-svcctl-user': 'ada' },
      ...(body && { body: JSON.stringify(body) }),
      dispatcher: agent,
    })
    const json = (await answered.body.json()) as Record<string, unknown>
    await agent.close()
    return { status: answered.statusCode, body: json }
  }

  /** Applies a change to all gateways that the first one lists. */
  async function applyToAll(gateways: readonly TestGateway[], ca: string, as?: Certificate) {
    const by = as ? { as } : {}
    const served = (await ask(gateways, ca, '/admin/config', by)).body
    const files = (served.files as { file: string; text: string }[]).map(each => ({
      ...each,
      text: each.text.replace('rpm: 1000', 'rpm: 2000'),
    }))
    const { data } = (await ask(gateways, ca, '/admin/fleet', by)).body as {
      data: { gateway: string; revision: string }[]
    }
    const fleet = data.map(({ gateway, revision }) => ({ gateway, revision }))
    return ask(gateways, ca, '/admin/apply', { ...by, body: { previous: served.revision, files, fleet } })
  }
  const revisionsOf = (gateways: readonly TestGateway[]) =>
    new Set(gateways.map(({ gateway }) => gateway.app.config.revision))

  it('of an authority of their own ask one another, and change together', async () => {
    const own = newAuthority()
    const gateways = await start(own, ', fleet_ca: file:fleet-ca.pem')

    expect((await ask(gateways, own.ca, '/admin/pools?gateway=all')).body).toMatchObject({
      gateways: ['tls-1:1', 'tls-2:1'],
      unreached: [],
    })
    const before = revisionsOf(gateways)
    expect(await applyToAll(gateways, own.ca)).toMatchObject({ status: 200, body: { changed: true } })
    expect(revisionsOf(gateways).size).toBe(1)
    expect(revisionsOf(gateways)).not.toEqual(before)
  })

  it('that trust another authority name the gateway and the setting, and nothing is changed', async () => {
    const own = newAuthority()
    const gateways = await start(own, ', fleet_ca: file:other.pem', { 'other.pem': newAuthority().ca })
    const problem = expect.stringMatching(
      /^its certificate is not trusted here \(\w+\): set server\.admin_tls\.fleet_ca to the authority that signed it$/,
    )

    expect((await ask(gateways, own.ca, '/admin/pools?gateway=all')).body).toMatchObject({
      gateways: ['tls-1:1'],
      unreached: [{ gateway: 'tls-2:1', problem }],
    })
    const before = revisionsOf(gateways)
    const { status, body } = await applyToAll(gateways, own.ca)
    expect(status).toBe(409)
    expect(body.error).toMatch(/^no gateway was changed\. tls-2:1: its certificate is not trusted here/)
    expect(revisionsOf(gateways)).toEqual(before)
  })

  it('that want certificates let each other in by those of fleet_certificate, and change together', async () => {
    const [own, operators] = [newAuthority(), newAuthority()]
    const peer = operators.sign('gateway')
    const more = [
      ', fleet_ca: file:fleet-ca.pem, client_ca: file:operators.pem, fleet_certificate: file:peer.pem',
      ', fleet_key: file:peer.key, admins: [ada, gateway]',
    ].join('')
    const files = { 'operators.pem': operators.ca, 'peer.pem': peer.cert, 'peer.key': peer.key }
    const gateways = await start(own, more, files)
    const as = operators.sign('ada')

    expect((await ask(gateways, own.ca, '/admin/pools?gateway=all', { as })).body).toMatchObject({
      gateways: ['tls-1:1', 'tls-2:1'],
    })
    expect(await applyToAll(gateways, own.ca, as)).toMatchObject({ status: 200, body: { changed: true } })
    expect(revisionsOf(gateways).size).toBe(1)
  })

  it('that want certificates and are shown an unknown one are named, and nothing is changed', async () => {
    const [own, operators] = [newAuthority(), newAuthority()]
    const more = ', fleet_ca: file:fleet-ca.pem, client_ca: file:operators.pem, admins: [ada]'
    const gateways = await start(own, more, { 'operators.pem': operators.ca })
    const as = operators.sign('ada')

    const { status, body } = await applyToAll(gateways, own.ca, as)
    expect(status).toBe(409)
    expect(body.error).toMatch(/^no gateway was changed\. tls-2:1: it refuses the certificate of this gateway: /)
    expect(revisionsOf(gateways).size).toBe(1)
  })
})
