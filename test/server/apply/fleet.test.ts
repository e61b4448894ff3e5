import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { FleetChange } from '../../../src/gateway/store/fleet-store.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { type Operator, operatorOf } from './fixture.ts'

let backend: Backend
let gateways: TestGateway[]

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi' }))
  gateways = []
})

afterEach(async () => {
  vi.restoreAllMocks()
  for (const gateway of gateways) await gateway.close()
  await backend.close()
})

const NEXT = (yaml: string) => yaml.replace('rpm: 1000', 'rpm: 2000')
const fileOf = ({ dir }: TestGateway) => readFileSync(join(dir, 'config.yaml'), 'utf8')
const revisionOf = ({ gateway }: TestGateway) => gateway.app.config.revision
const pendingOf = ({ dir }: TestGateway) => join(dir, 'state/fleet-change')

/** Applies to all gateways that the first one lists. */
async function applyToAll(operator: Operator, edit = NEXT, more: object = {}) {
  const { data } = (await operator.ask('GET /admin/fleet')).body as { data: { gateway: string; revision: string }[] }
  const fleet = data.map(({ gateway, revision }) => ({ gateway, revision }))
  return operator.apply(edit, { fleet, ...more })
}

describeRedis('a change of all gateways', () => {
  const redis = useRedis()
  async function start(count = 3): Promise<Operator> {
    for (let number = 1; number <= count; number++)
      gateways.push(await startTestGateway({ onprem: [backend], redis: redis(), alike: true, name: `gw-${number}:1` }))
    // Those that died in tests before may count for some seconds.
    const { fleet } = at(0).gateway.store
    const own = gateways.map(({ gateway }) => gateway.app.fleet.self.id)
    for (const { id } of (await fleet.read()).members) if (!own.includes(id)) await fleet.leave(id)
    return operatorOf(at(0))
  }
  const at = (index: number): TestGateway => {
    const gateway = gateways[index]
    if (!gateway) throw new Error(`there is no gateway ${index}`)
    return gateway
  }
  /** Waits until each gateway has asked the store, as it does by the second. */
  async function asked(): Promise<void> {
    for (const { clock } of gateways) clock.advance(1000)
    for (const { gateway } of gateways) await gateway.app.fleet.announce()
  }

  it('is served by all of them, with the same files on every disk', async () => {
    const operator = await start()
    const before = revisionOf(at(0))
    expect(gateways.map(revisionOf)).toEqual([before, before, before])

    const { status, body } = await applyToAll(operator)
    expect({ status, body }).toMatchObject({ status: 200, body: { changed: true, previous: before } })
    expect((body as { gateways: unknown }).gateways).toEqual([
      { gateway: 'gw-1:1' },
      { gateway: 'gw-2:1' },
      { gateway: 'gw-3:1' },
    ])
    const after = revisionOf(at(0))
    expect(after).not.toBe(before)
    expect(gateways.map(revisionOf)).toEqual([after, after, after])
    expect(new Set(gateways.map(fileOf)).size).toBe(1)
    expect(gateways.map(pendingOf).filter(existsSync)).toEqual([])
    expect((await operatorOf(at(2)).revisions())[0]).toMatchObject({ how: 'apply', serves: true })
  })

  it('is made by none where one of them cannot take it, and its reason is told with its name', async () => {
    const operator = await start()
    const before = gateways.map(fileOf)
    // Work of an operator that does not serve: it is not to be overwritten.
    writeFileSync(join(at(1).dir, 'config.yaml'), `${before[1]}# by hand\n`)

    const { status, body } = await applyToAll(operator)
    expect(status).toBe(409)
    expect((body as { error: string }).error).toMatch(
      /^no gateway was changed\. gw-2:1: config\.yaml was changed on the gateway's disk/,
    )
    expect([fileOf(at(0)), fileOf(at(2))]).toEqual([before[0], before[2]])
    expect(gateways.map(pendingOf).filter(existsSync)).toEqual([])

    writeFileSync(join(at(1).dir, 'config.yaml'), String(before[1]))
    expect((await applyToAll(operator)).status).toBe(200)
    expect(new Set(gateways.map(revisionOf)).size).toBe(1)
  })

  it('is made by none where one of them cannot be reached', async () => {
    const operator = await start()
    const before = gateways.map(revisionOf)
    // It has died, and its lease is not over.
    vi.spyOn(at(2).gateway.store.fleet, 'leave').mockResolvedValue()
    await at(2).gateway.close(0)

    const { status, body } = await applyToAll(operator)
    expect(status).toBe(409)
    expect((body as { error: string }).error).toMatch(/^no gateway was changed\. gw-3:1: it does not answer at http/)
    expect(gateways.slice(0, 2).map(revisionOf)).toEqual(before.slice(0, 2))
    // Once its lease is over the others are all there are.
    await at(0).gateway.store.fleet.leave(at(2).gateway.app.fleet.self.id)
    expect((await applyToAll(operator)).status).toBe(200)
  })

  it('is refused where the fleet is not the one that the operator saw', async () => {
    const operator = await start(2)
    const fleet = [{ gateway: 'gw-1:1', revision: revisionOf(at(0)) }]

    const { status, body } = await operator.apply(NEXT, { fleet })
    expect(status).toBe(409)
    expect((body as { error: string }).error).toMatch(/^the fleet changed since this was planned/)
  })

  it('of two concurrent changes at most one wins, and all gateways serve it', async () => {
    const operator = await start()
    const other = operatorOf(at(1))
    const answers = await Promise.all([
      applyToAll(operator),
      applyToAll(other, yaml => yaml.replace('rpm: 1000', 'rpm: 3000')),
    ])

    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    expect(new Set(gateways.map(revisionOf)).size).toBe(1)
    expect(new Set(gateways.map(fileOf)).size).toBe(1)
  })

  it('that was decided while a gateway was dead is taken by its next start, before it serves', async () => {
    const operator = await start()
    const victim = at(2)
    // It promises, and dies before it hears what was decided.
    const { participant } = victim.gateway.app.fleetChanges as { participant: { settle: unknown } }
    vi.spyOn(participant as { settle: () => Promise<undefined> }, 'settle').mockImplementation(async () => {
      throw new Error('killed')
    })
    vi.spyOn(victim.gateway.app.fleet, 'announce').mockReturnValue(new Promise(() => {}))
    vi.spyOn(victim.gateway.store.fleet, 'leave').mockResolvedValue()

    const { status, body } = await applyToAll(operator)
    expect(status, JSON.stringify(body)).toBe(200)
    expect((body as { gateways: { gateway: string; problem?: string }[] }).gateways[2]?.problem).toBeDefined()
    const [after, behind] = [revisionOf(at(0)), revisionOf(victim)]
    expect(behind).not.toBe(after)
    expect(existsSync(pendingOf(victim))).toBe(true)

    vi.restoreAllMocks()
    const again = await victim.restart()
    gateways[2] = again
    expect(revisionOf(again)).toBe(after)
    expect(fileOf(again)).toBe(fileOf(at(0)))
    expect(existsSync(pendingOf(again))).toBe(false)
    expect((await operatorOf(again).revisions()).map(({ how }) => how)).toEqual(['apply', 'start'])
  })

  it('whose leader dies before the decision is dropped by the others once it is overdue', async () => {
    const operator = await start()
    const leader = at(0)
    const before = gateways.map(revisionOf)
    // It has asked all to prepare, and dies before the step in the store.
    const { fleet } = leader.gateway.store
    const setChange = fleet.setChange.bind(fleet)
    let prepared: FleetChange | undefined
    vi.spyOn(fleet, 'setChange').mockImplementation(async (next, ...more) => {
      if (next.phase !== 'preparing') throw new Error('killed')
      prepared = next
      return setChange(next, ...more)
    })
    void applyToAll(operator).catch(() => {})
    await eventually(() => expect([at(1), at(2)].map(pendingOf).map(existsSync)).toEqual([true, true]))

    if (!prepared) throw new Error('nothing was prepared')
    expect(await setChange({ ...prepared, until: Date.now() - 1 }, prepared)).toBe(true)
    await eventually(async () => {
      await asked()
      expect(gateways.slice(1).map(pendingOf).filter(existsSync)).toEqual([])
    })
    expect(gateways.map(revisionOf)).toEqual(before)
    vi.restoreAllMocks()
    const again = operatorOf(at(1))
    await asked()
    expect((await applyToAll(again)).status).toBe(200)
    expect(new Set(gateways.map(revisionOf)).size).toBe(1)
  })

  it('that a full disk keeps one gateway from is taken by it once there is room', async () => {
    const operator = await start(2)
    const blocked = at(1)
    // The files cannot be written at the moment that it is decided.
    const { participant } = blocked.gateway.app.fleetChanges
    const settle = participant.settle.bind(participant)
    const next = join(blocked.dir, '.config.yaml.apply.next')
    vi.spyOn(participant, 'settle').mockImplementation(id => {
      mkdirSync(join(next, 'in-the-way'), { recursive: true })
      return settle(id)
    })
    const { status, body } = await applyToAll(operator)
    expect(status).toBe(200)
    const problem = (body as { gateways: { problem?: string }[] }).gateways[1]?.problem
    expect(problem).toMatch(/could not be written/)
    expect(revisionOf(blocked)).not.toBe(revisionOf(at(0)))

    await removeFolder(next)
    blocked.clock.advance(11_000)
    await eventually(async () => {
      await asked()
      expect(revisionOf(blocked)).toBe(revisionOf(at(0)))
      // It serves the files a moment before it notes that nothing is owed any more.
      expect(existsSync(pendingOf(blocked))).toBe(false)
    })
  })
})

it('on an embedded store a change of all gateways is that of one', async () => {
  gateways.push(await startTestGateway({ onprem: [backend], alike: true, name: 'gw-1:1' }))
  const [one] = gateways
  if (!one) throw new Error('there is none')
  const { status, body } = await applyToAll(operatorOf(one))

  expect({ status, body }).toMatchObject({ status: 200, body: { changed: true, gateways: [{ gateway: 'gw-1:1' }] } })
  expect(fileOf(one)).toContain('rpm: 2000')
})
