import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { compileProgram, type Program } from '../program.ts'
import { filesOf, siteOf, yamlOf } from '../site.ts'

let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

const [FIRST, SECOND] = ['the-first-admin-token', 'the-second-admin-token']

const folderWith = (token: string) =>
  filesOf({ 'config.yaml': yamlOf('http://127.0.0.1:9/v1', ', admin_token: file:token'), token })

async function started(...options: string[]) {
  const dir = folderWith(`${FIRST}\n`)
  const gateway = program.start(['serve', '-c', 'config.yaml', ...options], { cwd: dir })
  onTestFinished(async () => void (await gateway.end('SIGKILL')))
  const { env } = await siteOf(dir, gateway, { SVCCTL_TOKEN: FIRST })
  const statusOf = async (token: string) =>
    (await fetch(`${env.SVCCTL_ADMIN}/admin/whoami`, { headers: { authorization: `Bearer ${token}` } })).status
  const posted = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${FIRST}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await (await fetch(`${env.SVCCTL_ADMIN}/admin/console/${path}`, init)).json()) as Record<string, string>
  }
  return { dir, gateway, posted, statusOf, put: (text: string) => writeFileSync(join(dir, 'token'), text) }
}

it('with --watch a token that its file has anew is the only one, without a restart, and sessions of the one before are over', async () => {
  const { dir, posted, statusOf, put } = await started('--watch')
  const { token: session = '' } = await posted('session', { code: (await posted('code', {})).code })
  expect([await statusOf(FIRST), await statusOf(session)]).toEqual([200, 200])

  put(SECOND)

  await expect.poll(() => statusOf(SECOND)).toBe(200)
  expect([await statusOf(FIRST), await statusOf(session)]).toEqual([401, 401])
  expect(readFileSync(join(dir, 'state/admin.token'), 'utf8')).toBe(`${SECOND}\n`)
})

it('a reload that finds the file empty says so, and the token before stays', async () => {
  const { gateway, statusOf, put } = await started()
  put('')

  gateway.signal('SIGHUP')

  await gateway.until('`token` is empty')
  expect(await statusOf(FIRST)).toBe(200)
})

it('a start is refused where SVCCTL_TOKEN is another one, or the file has none', async () => {
  const serve = (token: string, env = {}) =>
    program.run(['serve', '-c', 'config.yaml'], { cwd: folderWith(token), env: { ...env } })

  expect(await serve(FIRST, { SVCCTL_TOKEN: SECOND })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('SVCCTL_TOKEN and server.admin_token are different tokens'),
  })
  expect(await serve('')).toMatchObject({ code: 1, stderr: expect.stringContaining('`token` is empty') })
})
