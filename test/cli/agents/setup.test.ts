import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { signInTo } from '../../support/identity/signed-in.ts'
import { openSignInSite, type SignInSite } from '../sign-ins.ts'

let program: SignInSite['program']
let turns: SignInSite['turns']
let test: SignInSite['test']
let oidc: SignInSite['oidc']
let newHome: SignInSite['newHome']
let home: string

openSignInSite({ ada: { plan: 'pro' } }, site => {
  ;({ program, turns, test, oidc, newHome } = site)
})
beforeEach(async () => {
  home = newHome()
  await signInTo(oidc, 'ada', join(home, '.config'))
})

const FILES = { claude: '.claude/settings.json', opencode: '.config/opencode/opencode.json' }
const pathOf = (agent: keyof typeof FILES) => join(home, FILES[agent])
const setup = (agent: string, ...args: readonly string[]) =>
  turns.run(['agents', 'setup', agent, ...args], {
    cwd: home,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') },
  })
const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const read = (path: string) => readFileSync(path, 'utf8')
const OWN = '{ "permissions": { "deny": ["WebFetch"] } }\n'
const keys = async () => {
  const [row] = (await test.ledger()).slice(-1)
  return (await test.gateway.store.keys.listOf(row?.account ?? '')).filter(({ status }) => status === 'active').length
}

it('the change is shown before it is made, and --dry-run makes none', async () => {
  put(pathOf('claude'), OWN)
  const ran = await setup('claude', '--dry-run')

  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(ran.stdout).toContain(`- ${OWN.trim()}`)
  expect(ran.stdout).toMatch(/^\+ {3}"apiKeyHelper": ".* token --audience http:/m)
  expect(read(pathOf('claude'))).toBe(OWN)
  expect((await setup('claude')).code).toBe(2)
  expect(read(pathOf('claude'))).toBe(OWN)
})

it('a key is minted for an agent without a credential command, shown nowhere, and revoked by --undo with all files gone', async () => {
  const ran = await setup('opencode', '--yes', '--model', 'svc-core')
  expect(ran, ran.stderr).toMatchObject({ code: 0 })
  const [value = ''] = /svc_\w{42}/.exec(read(pathOf('opencode'))) ?? []

  expect((await test.chat(value)).status).toBe(200)
  expect(ran.stdout + ran.stderr).not.toContain(value)
  expect(statSync(pathOf('opencode')).mode & 0o777).toBe(0o600)
  expect(await setup('opencode', '--yes')).toMatchObject({ code: 1 })

  expect(await setup('opencode', '--undo', '--yes')).toMatchObject({ code: 0 })
  expect((await test.chat(value)).status).toBe(401)
  expect(existsSync(dirname(pathOf('opencode')))).toBe(false)
  expect(await keys()).toBe(0)
})

it('a link to the real file stays a link, and its target gets the change', async () => {
  put(join(home, 'dotfiles/claude.json'), OWN)
  mkdirSync(dirname(pathOf('claude')))
  symlinkSync('../dotfiles/claude.json', pathOf('claude'))
  expect(await setup('claude', '--yes')).toMatchObject({ code: 0 })

  expect(lstatSync(pathOf('claude')).isSymbolicLink()).toBe(true)
  expect(read(join(home, 'dotfiles/claude.json'))).toContain('apiKeyHelper')
  await setup('claude', '--undo', '--yes')
  expect([lstatSync(pathOf('claude')).isSymbolicLink(), read(pathOf('claude'))]).toEqual([true, OWN])
})

it.each<readonly [name: string, says: string, arrange: (path: string) => void]>([
  ['a link that leads nowhere', 'leads nowhere', path => symlinkSync('/nowhere/at/all', path)],
  ['a folder', 'is not a regular file', path => mkdirSync(path)],
  ['a device behind a link', 'is not a regular file', path => symlinkSync('/dev/zero', path)],
  [
    'a file with a second name',
    'hard link',
    path => {
      writeFileSync(path, OWN)
      linkSync(path, `${path}.other`)
    },
  ],
  [
    'a file of somebody else, or one that may not be written',
    'Nothing was changed',
    path => {
      writeFileSync(path, OWN)
      if (process.getuid?.() === 0) chownSync(path, 4242, 4242)
      else chmodSync(path, 0o400)
    },
  ],
  ['a file that is not UTF-8', 'is not UTF-8', path => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]))],
  ['a file with comments', 'Change it by hand', path => writeFileSync(path, '{ // mine\n}')],
  ['a file larger than a megabyte', 'cannot be read', path => writeFileSync(path, `{"a":"${'x'.repeat(1_100_000)}"}`)],
])('%s is refused before a key is minted, and stays as it is', async (_, says, arrange) => {
  const path = pathOf('opencode')
  mkdirSync(dirname(path), { recursive: true })
  arrange(path)
  const before = lstatSync(path)
  const ran = await setup('opencode', '--yes')

  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain(says)
  expect([lstatSync(path).ino, lstatSync(path).mtimeMs]).toEqual([before.ino, before.mtimeMs])
  expect(readdirSync(join(home, '.config/svcctl'))).toEqual(['session.json'])
  expect(await keys()).toBe(0)
})

it('a setup whose trial request is refused puts the files back and revokes its key', async () => {
  put(pathOf('opencode'), OWN)
  const ran = await setup('opencode', '--yes', '--model', 'nonesuch')

  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain('The files are as they were')
  expect(read(pathOf('opencode'))).toBe(OWN)
  expect(await keys()).toBe(0)
})

it('--undo keeps what was changed since, and says which of its settings it left', async () => {
  put(pathOf('claude'), OWN)
  await setup('claude', '--yes')
  const changed = JSON.parse(read(pathOf('claude')))
  writeFileSync(pathOf('claude'), JSON.stringify({ ...changed, theme: 'dark', apiKeyHelper: 'my-own' }, null, 2))
  const ran = await setup('claude', '--undo', '--yes')

  expect(ran.code).toBe(0)
  expect(ran.stderr).toContain('apiKeyHelper was changed since and stays')
  expect(JSON.parse(read(pathOf('claude')))).toEqual({ ...JSON.parse(OWN), theme: 'dark', apiKeyHelper: 'my-own' })
})

it('run says which program it lacks, and leaves no key', async () => {
  const ran = await program.run(['run', 'opencode', '--', 'x'], {
    cwd: home,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), PATH: '/nonexistent' },
  })
  expect(ran).toMatchObject({ code: 1 })
  expect(ran.stderr).toContain('opencode is not on the PATH: install OpenCode')
  expect(await keys()).toBe(0)
})
