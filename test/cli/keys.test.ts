import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

    expect(await svcctl('keys', 'revoke', name)).toMatchObject({ code: 0, stderr: expect.stringContaining('revoked') })
    expect((await svcctl('keys', 'list')).stdout).toContain('revoked')
    expect(await svcctl('keys', 'revoke', name)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No active key'),
    })
  })

  it('an unknown plan is refused', async () => {
    const { code, stdout, stderr } = await svcctl('keys', 'mint', '--plan', 'gold', '--account', 'ada')

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('`gold`')
  })
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
  expect(stderr).toMatch(/could not be written .* svcctl keys revoke svc_/)
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
  await svcctl('keys', 'revoke', ended.trim())

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
