import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { compileProgram, type Program } from './program.ts'

let program: Program
let cwd: string
// Below the ports that the system gives out by itself.
const env = { CLOUD_KEY: 'k', LISTEN: '127.0.0.1:0', ADMIN: '127.0.0.1:19471' }
const svcctl = (...args: string[]) => program.run(args, { cwd, env })
const mint = (...rest: string[]) => svcctl('keys', 'mint', '--plan', 'free', '--account', 'ada', ...rest)

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.remove())

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'svc-cli-'))
  for (const name of ['policies', 'config.example.yaml']) {
    const from = fileURLToPath(new URL(`../../${name}`, import.meta.url))
    cpSync(from, join(cwd, name.replace('.example', '')), { recursive: true })
  }
  return () => rmSync(cwd, { recursive: true, force: true })
})

describe.each([
  ['where no gateway runs, on the store itself', false],
  ['where one runs, through its admin listener', true],
])('%s', (_name, serving) => {
  beforeEach(async () => {
    if (!serving) return
    const gateway = program.start(['serve'], { cwd, env })
    await gateway.until('Policy')
    return () => gateway.end()
  })

  it('a key that is piped comes alone', async () => {
    const { code, stdout } = await mint()

    expect(code).toBe(0)
    expect(stdout).toMatch(/^svc_[0-9A-Za-z]{42}\n$/)
  })

  it('a second key for an account prints nothing and exits 1, so that KEY=$(…) never holds a mask', async () => {
    const { stdout: key } = await mint()

    expect(await mint()).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(`${key.slice(0, 8)}…`) })
    expect(await mint('--if-missing')).toMatchObject({ code: 0, stdout: '' })
  })

  it('a list shows masks and never a key', async () => {
    const { stdout: key } = await mint()

    const listed = await svcctl('keys', 'list')

    expect(listed.stdout).toMatch(/^KEY +ACCOUNT +PLAN +STATUS +CREATED\nsvc_\w{4}… +ada +free +active/)
    expect(listed.stdout).not.toContain(key.trim())
    const { data } = JSON.parse((await svcctl('keys', 'list', '--json')).stdout)
    expect(data).toMatchObject([{ key: `${key.slice(0, 8)}…`, label: 'ada', plan: 'free', status: 'active' }])
  })

  it.each(['the full value', 'the mask', 'the mask without its ellipsis'])('a key is revoked by %s', async named => {
    const { stdout } = await mint()
    const key = stdout.trim()
    const name = named === 'the full value' ? key : key.slice(0, 8) + (named === 'the mask' ? '…' : '')

    expect(await svcctl('keys', 'revoke', '--yes', name)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('revoked'),
    })
    expect((await svcctl('keys', 'list')).stdout).toContain('revoked')
    expect(await svcctl('keys', 'revoke', '--yes', name)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No active key'),
    })
  })

  it('a rotated key comes alone like a minted one, and the last one is dead', async () => {
    const { stdout: first } = await mint()

    const rotated = await svcctl('keys', 'rotate', '--yes', 'ada')

    expect(rotated).toEqual({ code: 0, stdout: expect.stringMatching(/^svc_[0-9A-Za-z]{42}\n$/), stderr: '' })
    expect(rotated.stdout).not.toBe(first)
    expect((await svcctl('keys', 'list')).stdout).toMatch(/free +active[^\n]*\n.*free +rotated/)
  })

  it.each([
    ['keys', 'rotate', 'ada'],
    ['keys', 'revoke', 'ada'],
    ['accounts', 'set-plan', 'ada', 'pro'],
  ])('svcctl %s %s without a terminal and without --yes changes nothing and exits 2', async (...args) => {
    await mint()
    const before = (await svcctl('accounts', 'show', 'ada', '--json')).stdout

    expect(await svcctl(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') })

    expect((await svcctl('accounts', 'show', 'ada', '--json')).stdout).toBe(before)
  })

  it('a key is shown with its account, and never its value', async () => {
    const { stdout: key } = await mint()

    const { code, stdout } = await svcctl('keys', 'show', key.trim())

    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^${key.slice(0, 8)}…  active  20.*\\n\\naccount +acct_\\w+\\nlabel +ada\\n`))
    expect(stdout).not.toContain(key.trim())
    expect(JSON.parse((await svcctl('keys', 'show', 'ada', '--json')).stdout)).toMatchObject({
      key: `${key.slice(0, 8)}…`,
      owner: { label: 'ada', plan: 'free', plan_source: 'operator', used_usd: '0', limit_usd: '1' },
    })
  })

  it('an account is shown as it is after each decision of an operator', async () => {
    await mint()
    const show = async () => (await svcctl('accounts', 'show', 'ada')).stdout

    expect(await show()).toMatch(
      /plan +free, set by an operator\noverage +off, by its plan\nused +\$0, .*\nlimit +\$1\n/,
    )
    expect(await svcctl('accounts', 'set-plan', 'ada', 'pro', '--yes')).toEqual({
      code: 0,
      stdout: '',
      stderr: '✓ plan of ada: pro, set by an operator\n',
    })
    await svcctl('accounts', 'set-overage', 'ada', '12.5')
    await svcctl('accounts', 'grant', 'ada', '5.000000001')
    await svcctl('accounts', 'grant', 'ada', '-2')

    expect(await show()).toMatch(/plan +pro, .*\noverage +up to \$12.5 past the limit, by an operator\n/)
    expect(await show()).toMatch(/limit +\$23.000000001, 3.000000001 of it granted\n/)
    const cleared = await svcctl('accounts', 'set-plan', 'ada', '--clear', '--yes', '--json')
    expect(JSON.parse(cleared.stdout)).toMatchObject({ plan: 'free', plan_source: 'default' })
  })

  it('the audit tells what was done by whom, and names no key', async () => {
    const { stdout: key } = await mint()
    await svcctl('accounts', 'set-overage', 'ada', 'on')

    const text = await svcctl('audit', '--since', '1d')
    const { data } = JSON.parse((await svcctl('audit', '--account', 'ada', '--json')).stdout)

    const by = serving ? 'operator' : 'operator (local)'
    expect(text.stdout).toMatch(/^AT +BY +ACTION +ACCOUNT +BEFORE +AFTER\n20/)
    expect(data).toMatchObject([
      { by, action: 'mint', before: '', after: `${key.slice(0, 8)}…` },
      { by, action: 'set-overage', before: '', after: 'on' },
    ])
    expect(text.stdout + JSON.stringify(data)).not.toContain(key.trim())
  })

  it('an unknown plan is refused', async () => {
    const { code, stdout, stderr } = await svcctl('keys', 'mint', '--plan', 'gold', '--account', 'ada')

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('`gold`')
  })
})

it.each([
  [['keys', 'mint', '--plan', 'free'], 2, '--account'],
  [['keys', 'mint', '--account', 'ada'], 2, '--plan'],
  [['keys', 'mint', '--guest', 'd', '--plan', 'free'], 2, '--guest goes alone'],
  [['keys', 'show', 'nobody'], 1, 'there is no account `nobody`'],
  [['accounts', 'show', 'nobody'], 1, 'there is no account `nobody`'],
  [['accounts', 'set-plan', 'ada', '--yes'], 2, '--clear'],
  [['accounts', 'set-plan', 'ada', 'pro', '--clear', '--yes'], 2, '--clear'],
  [['accounts', 'set-overage', 'ada', 'yes'], 2, 'US dollars'],
  [['accounts', 'set-overage', 'ada', '-1'], 2, 'not negative'],
  [['accounts', 'grant', 'ada', '1,5'], 2, 'US dollars'],
  [['audit', '--since', 'yesterday'], 2, '30d'],
])('svcctl %j exits %i and says %s', async (args, code, words) => {
  expect(await svcctl(...args)).toEqual({ code, stdout: '', stderr: expect.stringContaining(words) })
})

it('a device has the same key whoever asks for it, once the gateway made its secret', async () => {
  const guest = () => svcctl('keys', 'mint', '--guest', 'device-1')
  expect(await guest()).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('start it once') })

  const gateway = program.start(['serve'], { cwd, env })
  await gateway.until('Policy')
  const remote = await guest()
  await gateway.end()
  const local = await guest()

  expect(remote.stdout).toMatch(/^svc_[0-9A-Za-z]{42}\n$/)
  expect(local).toEqual({ code: 0, stdout: remote.stdout, stderr: '' })
  expect(statSync(join(cwd, 'data/guest-secret')).mode & 0o777).toBe(0o600)
})

it('a gateway whose secret of guests was damaged does not start: every device would get another key', async () => {
  mkdirSync(join(cwd, 'data'), { recursive: true })
  writeFileSync(join(cwd, 'data/guest-secret'), 'half\n')

  const { code, stderr } = await svcctl('serve')

  expect(code).toBe(1)
  expect(stderr).toMatch(/^✗ .*guest-secret.* backup\n$/m)
})

it('a gateway serves while the identity provider is down', async () => {
  const gateway = program.start(['serve'], { cwd, env: { ...env, AUTH_URL: 'http://127.0.0.1:9' } })
  await gateway.until('cannot be read')

  expect((await svcctl('keys', 'list')).code).toBe(0)
  expect(await gateway.end()).toBe(0)
})

it('the admin token is for the owner alone', async () => {
  const gateway = program.start(['serve'], { cwd, env })
  await gateway.until('Policy')

  expect(statSync(join(cwd, 'data/admin.token')).mode & 0o777).toBe(0o600)
  await gateway.end()
})

it('a wrong admin token is told apart from a wrong key: exit 4', async () => {
  const gateway = program.start(['serve'], { cwd, env })
  await gateway.until('Policy')

  const { code, stdout } = await program.run(['keys', 'list'], { cwd, env: { ...env, SVCCTL_TOKEN: 'wrong' } })

  expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
  await gateway.end()
})

it.each([
  ['127.0.0.1:9', 3],
  ['http://127.0.0.1:9/', 3],
  ['no address at all', 2],
])('SVCCTL_ADMIN=%s exits %i without a stack', async (SVCCTL_ADMIN, code) => {
  const ran = await program.run(['keys', 'list'], { cwd, env: { ...env, SVCCTL_ADMIN } })

  expect(ran).toMatchObject({ code, stdout: '' })
  expect(ran.stderr).toMatch(/^✗ .*\n$/)
})

it('a key that could not be handed over is no success', async () => {
  const command = `node ${program.main} keys mint --plan free --account ada > /dev/full`

  const { code, stderr } = await program.shell(command, { cwd, env })

  expect(code).toBe(1)
  expect(stderr).toMatch(/could not be written .* svcctl keys revoke --yes svc_/)
})

it('an account is called by one line of text', async () => {
  const ran = await svcctl('keys', 'mint', '--plan', 'free', '--account', 'a\nb')

  expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('one line') })
})

it('validate checks the file that serve would serve', async () => {
  const ran = await program.run(['validate'], { cwd, env: { ...env, SVCCTL_CONFIG: 'nope.yaml' } })

  expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('nope.yaml') })
})

it('nothing at SVCCTL_ADMIN is exit 3', async () => {
  const elsewhere = { ...env, SVCCTL_ADMIN: 'http://127.0.0.1:9' }

  expect(await program.run(['keys', 'list'], { cwd, env: elsewhere })).toMatchObject({ code: 3, stdout: '' })
})

it('a key stays valid over a restart, and a revoked one dead', async () => {
  const { stdout: kept } = await mint()
  const { stdout: ended } = await svcctl('keys', 'mint', '--plan', 'free', '--account', 'bob')
  await svcctl('keys', 'revoke', '--yes', ended.trim())

  const gateway = program.start(['serve'], { cwd, env })
  const [, port] = /listens on http:\/\/127.0.0.1:(\d+)/.exec(await gateway.until('Policy')) ?? []
  const status = async (key: string) =>
    (await fetch(`http://127.0.0.1:${port}/billing/quota`, { headers: { authorization: `Bearer ${key.trim()}` } }))
      .status

  expect([await status(kept), await status(ended)]).toEqual([200, 401])
  await gateway.end()
})

describe('serve', () => {
  it('prints every Problem with its place and refuses to start', async () => {
    writeFileSync(
      join(cwd, 'policies/plans.yaml'),
      'plans:\n  free:\n    models: all\n    rpn: 5\n    tpm: 40_000\n    monthly_usd: 1\n',
    )

    const { code, stdout, stderr } = await svcctl('serve')

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/policies\/plans.yaml:4:5 .*`rpn`[\s\S]*did you mean `rpm`/)
    expect(stderr).toMatch(/policies\/plans.yaml:5:10 .*`40_000`/)
  })

  it('is refused an admin listener that others can reach, unless its token was set', async () => {
    const exposed = { ...env, ADMIN: '0.0.0.0:19472' }

    const refused = await program.run(['serve'], { cwd, env: exposed })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('SVCCTL_TOKEN') })

    const gateway = program.start(['serve'], { cwd, env: { ...exposed, SVCCTL_TOKEN: 'a-token-of-our-own' } })
    await gateway.until('Policy')
    expect(await gateway.end()).toBe(0)
  })

  it('is refused a store that another one has', async () => {
    const first = program.start(['serve'], { cwd, env })
    await first.until('Policy')

    const second = await program.run(['serve'], { cwd, env: { ...env, ADMIN: '127.0.0.1:0' } })

    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another process') })
    await first.end()
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s', async signal => {
    const gateway = program.start(['serve'], { cwd, env })
    await gateway.until('Policy')

    expect(await gateway.end(signal)).toBe(0)
  })
})

it.each([
  [['nonsense'], 2],
  [['keys', 'mint'], 2],
  [['validate', '--format', 'xml'], 2],
  [['--version'], 0],
  [['--help'], 0],
])('%j exits %i', async (args, code) => {
  expect((await svcctl(...args)).code).toBe(code)
})
