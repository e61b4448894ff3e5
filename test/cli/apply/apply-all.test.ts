import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { registerApply } from '../../../src/cli/apply/apply.ts'
import { checkFleet } from '../../../src/cli/doctor/check-fleet.ts'
import { registerFleet } from '../../../src/cli/fleet/fleet.ts'
import { registerPlan } from '../../../src/cli/plan/plan.ts'
import { registerRollback } from '../../../src/cli/rollback/rollback.ts'
import { directoryOf } from '../../config/files.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { runCommand } from '../run-command.ts'

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.close())

describeRedis('with two gateways on one Redis', () => {
  const redis = useRedis()
  let gateways: readonly [TestGateway, TestGateway]
  let dir: string

  beforeEach(async () => {
    const start = (name: string) => startTestGateway({ onprem: [backend], redis: redis(), alike: true, name })
    gateways = [await start('gw-1:1'), await start('gw-2:1')]
    dir = directoryOf({ 'config.yaml': readFileSync(join(gateways[0].dir, 'config.yaml')) })
  })
  afterEach(async () => {
    for (const gateway of gateways) await gateway.close()
  })

  const register = (program: Parameters<typeof registerPlan>[0]) => {
    for (const add of [registerPlan, registerApply, registerRollback, registerFleet]) add(program)
  }
  const revisions = () => gateways.map(({ gateway }) => gateway.app.config.revision)
  const svcctl = (...args: string[]) =>
    runCommand(register, args, {
      cwd: dir,
      env: { SVCCTL_ADMIN: gateways[0].admin, SVCCTL_TOKEN: ADMIN_TOKEN, NO_COLOR: '1', SVCCTL_USER: 'ada@laptop' },
    })
  /** `svcctl doctor`'s findings on the fleet. */
  async function doctorsFindings() {
    const { settings } = gateways[0].gateway.app
    vi.stubEnv('SVCCTL_ADMIN', gateways[0].admin)
    vi.stubEnv('SVCCTL_TOKEN', ADMIN_TOKEN)
    const findings = await checkFleet({ settings }, join(dir, 'config.yaml'), true)
    vi.unstubAllEnvs()
    return findings
  }
  const edit = (from: string, to: string) => {
    const file = join(dir, 'config.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
  }

  it('apply --all and rollback --all change both, and say so', async () => {
    const [before] = revisions()
    edit('rpm: 1000', 'rpm: 2000')

    const applied = await svcctl('apply', '--all', '--yes')
    expect(applied, applied.stderr).toMatchObject({ code: 0 })
    const [after, other] = revisions()
    expect(other).toBe(after)
    expect(applied.stdout).toContain(`applied on 2 gateways: revision ${after}\n`)
    expect((await svcctl('apply', '--all', '--yes')).stdout).toBe(`nothing to apply: revision ${after} serves\n`)

    const back = await svcctl('rollback', '--all', '--yes', '--json')
    expect(back, back.stderr).toMatchObject({ code: 0 })
    expect(JSON.parse(back.stdout)).toMatchObject({
      revision: before,
      gateways: [{ gateway: 'gw-1:1' }, { gateway: 'gw-2:1' }],
    })
    expect(revisions()).toEqual([before, before])
  })

  it('a change of one alone is a drift that plan, apply and fleet warn of, and apply --all mends', async () => {
    edit('rpm: 1000', 'rpm: 2000')
    await svcctl('apply', '--yes')
    const [first, second] = revisions()
    const warning = `▲ gateways serve different revisions (they differ in plans): ${first} on gw-1:1; ${second} on gw-2:1\n`

    expect((await svcctl('fleet')).stderr).toBe(warning)
    expect((await svcctl('plan')).stderr).toContain(warning)
    expect(await doctorsFindings()).toMatchObject([{ state: 'warning', text: warning.slice(2, -1) }])
    const mended = await svcctl('apply', '--all', '--yes')
    expect(mended.stderr).toContain(warning)
    expect(mended.stdout).toContain(`applied on 2 gateways: revision ${first}\n`)
    expect(revisions()).toEqual([first, first])
    expect((await svcctl('fleet')).stderr).toBe('')
    expect(await doctorsFindings()).toMatchObject([{ state: 'ok', text: '2 gateways, all alike' }])
  })

  it('what one of them cannot take is taken by none, and its reason is told', async () => {
    const before = revisions()
    edit('rpm: 1000', 'rpm: 2000')
    writeFileSync(join(gateways[1].dir, 'config.yaml'), 'version: 1 # unfinished\n')

    const refused = await svcctl('apply', '--all', '--yes')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/✗ no gateway was changed\. gw-2:1: config\.yaml was changed on the gateway's disk/)
    expect(revisions()).toEqual(before)
  })
})
