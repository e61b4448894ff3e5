import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { signInTo } from '../../support/identity/signed-in.ts'
import { did } from '../../support/operator.ts'
import { openSignInSite, type SignInSite } from '../sign-ins.ts'

let program: SignInSite['program']
let turns: SignInSite['turns']
let test: SignInSite['test']
let oidc: SignInSite['oidc']
let newHome: SignInSite['newHome']
let home: string

openSignInSite({ ada: { plan: 'pro' }, bob: { plan: 'free' } }, site => {
  ;({ program, turns, test, oidc, newHome } = site)
})
beforeEach(() => {
  home = newHome()
})

const token = (...args: readonly string[]) =>
  turns.run(['token', ...args], { cwd: home, env: { XDG_CONFIG_HOME: home } })
const issued = () => test.log.filter(({ path, status }) => path === '/v1/agent-tokens' && status === 200).length
const served = async (line: string) => (await test.chat(line.trim(), { max_tokens: 10 })).status

it('prints a token alone, which the gateway serves, and the same one again until --new asks for another', async () => {
  await signInTo(oidc, 'ada', home)
  const [first, again] = [await token(), await token()]
  test.clock.advance(1000)
  const [other, short] = [await token('--new'), await token('--expires-in', '5m')]

  expect(first).toEqual({ code: 0, stderr: '', stdout: expect.stringMatching(/^svct_[0-9a-f]{64}\.[\w-]+\n$/) })
  expect(again.stdout).toBe(first.stdout)
  expect(new Set([first.stdout, other.stdout, short.stdout]).size).toBe(3)
  expect(await Promise.all([first, other, short].map(({ stdout }) => served(stdout)))).toEqual([200, 200, 200])
  expect(readdirSync(join(home, 'svcctl')).sort()).toEqual(['agent-tokens.json', 'session.json'])
  expect(statSync(join(home, 'svcctl/agent-tokens.json')).mode & 0o777).toBe(0o600)
})

it('agents that start at once ask the gateway for one token together', async () => {
  await signInTo(oidc, 'ada', home)
  const before = issued()
  const env = { XDG_CONFIG_HOME: home }
  const all = await Promise.all(Array.from({ length: 4 }, () => program.run(['token'], { cwd: home, env })))

  expect(new Set(all.map(({ code, stderr }) => `${code} ${stderr}`))).toEqual(new Set(['0 ']))
  expect([new Set(all.map(({ stdout }) => stdout)).size, issued() - before]).toEqual([1, 1])
})

it('without a sign-in it prints nothing on stdout, says how to sign in, and exits 4', async () => {
  expect(await token()).toEqual({ code: 4, stdout: '', stderr: expect.stringContaining('not signed in: svcctl login') })
})

it('a logout forgets the tokens, and another person gets one of their own', async () => {
  await signInTo(oidc, 'ada', home)
  const ada = await token()
  await signInTo(oidc, 'bob', home)
  const bob = await token()
  await turns.run(['logout'], { cwd: home, env: { XDG_CONFIG_HOME: home } })

  expect(bob.stdout).not.toBe(ada.stdout)
  expect((await token()).code).toBe(4)
})

it('a person whose account is frozen gets none, in words', async () => {
  await signInTo(oidc, 'bob', home)
  const account = JSON.parse(
    (await turns.run(['whoami', '--json'], { cwd: home, env: { XDG_CONFIG_HOME: home } })).stdout,
  ).account
  await did(test, 'accounts/freeze', { account })

  const ran = await token()
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toContain('issues no agent token')
})

it('a life of more than an hour is wrong usage', async () => {
  expect(await token('--expires-in', '2h')).toMatchObject({ code: 2, stdout: '' })
})

it('a token that still works is printed while the gateway is away', async () => {
  await signInTo(oidc, 'ada', home)
  const first = await token()
  await test.gateway.close(0)

  expect(await token()).toMatchObject({ code: 0, stdout: first.stdout })
  expect(await token('--new')).toMatchObject({ code: 0, stdout: first.stdout })
  expect(await token('--expires-in', '1m')).toMatchObject({ code: 3, stdout: '' })
})
