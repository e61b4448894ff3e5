import { cpSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { freePort } from '../../support/free-port.ts'
import { openTurns, type Turns } from '../in-turn.ts'
import { compileProgram, type Program } from '../program.ts'

let program: Program
let cwd: string
let turns: Turns
const env = { CLOUD_KEY: 'k', LISTEN: '127.0.0.1:0', ADMIN: '', SVCCTL_USER: 'ada@laptop' }
const svcctlWith = (more: Record<string, string>, ...args: string[]) =>
  turns.run(args, { cwd, env: { ...env, ...more } })
const svcctl = (...args: string[]) => svcctlWith({}, ...args)

beforeAll(() => {
  program = compileProgram()
  turns = openTurns(program)
})

afterAll(() => Promise.all([turns.end(), program.end()]))

/** A directory with the example of the package. */
function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-cli-'))
  for (const name of ['policies', 'config.example.yaml']) {
    const from = fileURLToPath(new URL(`../../../${name}`, import.meta.url))
    cpSync(from, join(directory, name.replace('.example', '')), { recursive: true })
  }
  return directory
}

beforeEach(async () => {
  const own = newDirectory()
  cwd = own
  // Each gateway has its own: nothing holds the port while none runs.
  env.ADMIN = `127.0.0.1:${await freePort()}`
  return () => removeFolder(own)
})

describe.each([
  ['where no gateway runs, on the store itself', false],
  ['where one runs, through its admin listener', true],
])('%s', (_name, serving) => {
  let shared: string
  let admin: string
  let account: string
  let accounts = 0

  // One for all tests, each with an account of its own.
  beforeAll(async () => {
    shared = newDirectory()
    admin = `127.0.0.1:${await freePort()}`
    const gateway = serving ? program.start(['serve'], { cwd: shared, env: { ...env, ADMIN: admin } }) : undefined
    await gateway?.until('Policy')
    return async () => {
      await gateway?.end()
      await removeFolder(shared)
    }
  })

  beforeEach(() => {
    cwd = shared
    env.ADMIN = admin
    account = `ada-${++accounts}`
  })

  const mint = (...rest: string[]) => svcctl('keys', 'mint', '--plan', 'free', '--account', account, ...rest)
  const rows = async () => (await svcctl('keys', 'list')).stdout.split('\n').filter(row => row.includes(` ${account} `))

  interface Listed {
    readonly id: string
    readonly name: string | null
    readonly status: string
  }
  const keysOfAccount = async (): Promise<readonly Listed[]> =>
    JSON.parse((await svcctl('keys', 'list', '--account', account, '--json')).stdout).data

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

    expect(listed.stdout).toMatch(/^KEY +NAME +ACCOUNT +PLAN +STATUS +CREATED +EXPIRES +LAST USED +ID\nsvc_\w{4}… +/)
    expect(listed.stdout).toMatch(new RegExp(`^${key.slice(0, 8)}… +- +${account} +free +active +20`, 'm'))
    expect(listed.stdout).not.toContain(key.trim())
    const { data } = JSON.parse((await svcctl('keys', 'list', '--json')).stdout)
    const shown = { key: `${key.slice(0, 8)}…`, label: account, plan: 'free', status: 'active' }
    expect(data).toEqual(expect.arrayContaining([expect.objectContaining(shown)]))
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
    expect(await rows()).toEqual([expect.stringContaining('revoked')])
    expect(await svcctl('keys', 'revoke', '--yes', name)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No active key'),
    })
  })

  it('a rotated key comes alone like a minted one, and the last one is dead', async () => {
    const { stdout: first } = await mint()

    const rotated = await svcctl('keys', 'rotate', '--yes', account)

    expect(rotated).toEqual({ code: 0, stdout: expect.stringMatching(/^svc_[0-9A-Za-z]{42}\n$/), stderr: '' })
    expect(rotated.stdout).not.toBe(first)
    expect(await rows()).toEqual([
      expect.stringMatching(new RegExp(`^${rotated.stdout.slice(0, 8)}….*free +active`)),
      expect.stringMatching(new RegExp(`^${first.slice(0, 8)}….*free +rotated`)),
    ])
  })

  it('a key is replaced while it works on, until it is revoked; both are named by their ids', async () => {
    await mint()
    const first = (await keysOfAccount())[0]?.id ?? ''
    await svcctl('keys', 'mint', '--account', account, '--name', 'ci')

    expect(await svcctl('keys', 'rotate', '--yes', first, '--grace', '24h', '--expires', '90d')).toMatchObject({
      code: 0,
    })
    const [next, ci, old] = await keysOfAccount()
    expect([next, ci, old]).toMatchObject([
      { name: null, status: 'active', expires: expect.any(Number), replaced_by: null },
      { name: 'ci', status: 'active' },
      { id: first, status: 'active', expires: expect.any(Number), replaced_by: next?.id },
    ])
    expect(await rows()).toContainEqual(expect.stringMatching(/ replaced +20/))
    expect(await svcctl('keys', 'revoke', '--yes', first)).toMatchObject({ code: 0 })
    expect((await keysOfAccount()).map(({ status }) => status)).toEqual(['active', 'active', 'revoked'])
    expect(await svcctl('keys', 'rotate', '--yes', next?.id ?? '', '--grace', 'soon')).toEqual({
      ...{ code: 1, stdout: '', stderr: expect.stringContaining('grace: must be a time such as 90d') },
    })
  })

  describe('without a terminal and without --yes', () => {
    const show = async () => (await svcctl('accounts', 'show', 'grace', '--json')).stdout
    let before: string

    beforeAll(async () => {
      cwd = shared
      env.ADMIN = admin
      await svcctl('keys', 'mint', '--plan', 'free', '--account', 'grace')
      before = await show()
    })

    it.each([
      ['keys', 'rotate', 'grace'],
      ['keys', 'revoke', 'grace'],
      ['accounts', 'set-plan', 'grace', 'pro'],
    ])('svcctl %s %s changes nothing and exits 2', async (...args) => {
      expect(await svcctl(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') })

      expect(await show()).toBe(before)
      expect(JSON.parse(before)).toMatchObject({ label: 'grace', plan: 'free', keys: [{ status: 'active' }] })
    })
  })

  it('a key is shown with its account, and never its value', async () => {
    const { stdout: key } = await mint()

    const { code, stdout } = await svcctl('keys', 'show', key.trim())

    expect(code).toBe(0)
    expect(stdout).toMatch(
      new RegExp(
        `^${key.slice(0, 8)}…  active  20.*\\n\\nid +key_\\w{16}\\nlast used +-\\n\\naccount +acct_\\w+\\nlabel +${account}\\n`,
      ),
    )
    expect(stdout).not.toContain(key.trim())
    expect(JSON.parse((await svcctl('keys', 'show', account, '--json')).stdout)).toMatchObject({
      key: `${key.slice(0, 8)}…`,
      owner: { label: account, plan: 'free', plan_source: 'operator', used_usd: '0', limit_usd: '1' },
    })
  })

  it('an account is shown as it is after each decision of an operator', async () => {
    await mint()
    const show = async () => (await svcctl('accounts', 'show', account)).stdout

    expect(await show()).toMatch(
      /plan +free, set by an operator\noverage +off, by its plan\nused +\$0, .*\nlimit +\$1\n/,
    )
    expect(await svcctl('accounts', 'set-plan', account, 'pro', '--yes')).toEqual({
      code: 0,
      stdout: '',
      stderr: `✓ plan of ${account}: pro, set by an operator\n`,
    })
    await svcctl('accounts', 'set-overage', account, '12.5')
    await svcctl('accounts', 'grant', account, '5.000000001')
    await svcctl('accounts', 'grant', account, '-2')

    const shown = await show()
    expect(shown).toMatch(/plan +pro, .*\noverage +up to \$12\.50 past the limit, by an operator\n/)
    expect(shown).toMatch(/limit +\$23.000000001, \$3.000000001 of it granted\n/)
    const cleared = await svcctl('accounts', 'set-plan', account, '--clear', '--yes', '--json')
    expect(JSON.parse(cleared.stdout)).toMatchObject({ plan: 'free', plan_source: 'default' })
  })

  it('the audit tells what was done by whom, and names no key', async () => {
    const { stdout: key } = await mint()
    await svcctl('accounts', 'set-overage', account, 'on')

    const text = await svcctl('audit', '--since', '1d')
    const { data } = JSON.parse((await svcctl('audit', '--account', account, '--json')).stdout)

    const by = serving ? 'operator ada@laptop' : 'operator ada@laptop (local)'
    expect(text.stdout).toMatch(/^AT +BY +ACTION +ACCOUNT +ID +BEFORE +AFTER\n20/)
    expect(data).toMatchObject([
      { by, action: 'mint', before: '', after: `${key.slice(0, 8)}…` },
      { by, action: 'set-overage', before: '', after: 'on' },
    ])
    expect(text.stdout + JSON.stringify(data)).not.toContain(key.trim())
  })

  it('an unknown plan is refused', async () => {
    const { code, stdout, stderr } = await svcctl('keys', 'mint', '--plan', 'gold', '--account', account)

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('`gold`')
  })

  if (!serving) return

  it('a gateway that runs has an admin token for the owner alone', () => {
    expect(statSync(join(shared, 'data/admin.token')).mode & 0o777).toBe(0o600)
  })

  it('a gateway that runs tells a wrong admin token apart from a wrong key: exit 4', async () => {
    expect(await svcctlWith({ SVCCTL_TOKEN: 'wrong' }, 'keys', 'list')).toMatchObject({ code: 4, stdout: '' })
  })

  it('a gateway that runs shares its store with no other one', async () => {
    const second = await program.run(['serve'], { cwd: shared, env: { ...env, ADMIN: '127.0.0.1:0' } })

    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another process') })
  })
})

it.each([
  [['keys', 'mint', '--plan', 'free'], 2, '--account'],
  [['keys', 'mint', '--account', 'ada'], 2, '--plan'],
  [['keys', 'mint', '--guest', 'd', '--plan', 'free'], 2, '--guest cannot be combined'],
  [['keys', 'show', 'nobody'], 1, 'there is no account `nobody`'],
  [['accounts', 'show', 'nobody'], 1, 'there is no account `nobody`'],
  [['accounts', 'set-plan', 'ada', '--yes'], 2, '--clear'],
  [['accounts', 'set-plan', 'ada', 'pro', '--clear', '--yes'], 2, '--clear'],
  [['accounts', 'set-overage', 'ada', 'yes'], 2, 'US dollars'],
  [['accounts', 'set-overage', 'ada', '-1'], 2, 'cannot be negative'],
  [['accounts', 'grant', 'ada', '1,5'], 2, 'US dollars'],
  [['audit', '--since', 'someday'], 2, '30d'],
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

it('a gateway serves while the identity provider is down, and ends with 0 on SIGTERM', async () => {
  const gateway = program.start(['serve'], { cwd, env: { ...env, AUTH_URL: 'http://127.0.0.1:9' } })
  await gateway.until('cannot be read')
  await gateway.until('Policy')

  expect((await svcctl('keys', 'list')).code).toBe(0)
  expect(await gateway.end('SIGTERM')).toBe(0)
})

it.each([
  ['127.0.0.1:9', 3],
  ['http://127.0.0.1:9/', 3],
  ['no address at all', 2],
])('SVCCTL_ADMIN=%s exits %i without a stack', async (SVCCTL_ADMIN, code) => {
  const ran = await svcctlWith({ SVCCTL_ADMIN }, 'keys', 'list')

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
  const ran = await svcctlWith({ SVCCTL_CONFIG: 'nope.yaml' }, 'validate')

  expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('nope.yaml') })
})

it('nothing at SVCCTL_ADMIN is exit 3', async () => {
  const listed = await svcctlWith({ SVCCTL_ADMIN: 'http://127.0.0.1:9' }, 'keys', 'list')

  expect(listed).toMatchObject({ code: 3, stdout: '' })
})

it('a key stays valid over a restart, and a revoked one dead; SIGINT ends a gateway with 0', async () => {
  const mint = async (account: string) => (await svcctl('keys', 'mint', '--plan', 'free', '--account', account)).stdout
  const kept = await mint('ada')
  const ended = await mint('bob')
  await svcctl('keys', 'revoke', '--yes', ended.trim())

  const gateway = program.start(['serve'], { cwd, env })
  const [, port] = /listens on http:\/\/127.0.0.1:(\d+)/.exec(await gateway.until('Policy')) ?? []
  const status = async (key: string) =>
    (await fetch(`http://127.0.0.1:${port}/billing/quota`, { headers: { authorization: `Bearer ${key.trim()}` } }))
      .status

  expect([await status(kept), await status(ended)]).toEqual([200, 401])
  expect(await gateway.end('SIGINT')).toBe(0)
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
    const exposed = { ...env, ADMIN: '0.0.0.0:0' }

    const refused = await program.run(['serve'], { cwd, env: exposed })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('SVCCTL_TOKEN') })

    const gateway = program.start(['serve'], { cwd, env: { ...exposed, SVCCTL_TOKEN: 'a-token-of-our-own' } })
    await gateway.until('Policy')
    expect(await gateway.end()).toBe(0)
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
