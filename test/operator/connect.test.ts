import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { connectOperator } from '../../src/operator/connect.ts'
import { isRunning } from '../../src/operator/remote.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { VirtualClock } from '../support/clock.ts'

let home: string
let server: Server
let url: string
let answer: (request: IncomingMessage, response: ServerResponse) => void

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'open-'))
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterEach(async () => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  server.close()
  await removeFolder(home)
})

it('the token of a sign-in is not sent to SVCCTL_ADMIN, which may be anybody', async () => {
  mkdirSync(join(home, 'svcctl'))
  const texts = { gateway: url, issuer: url, clientId: 'svcctl', accessToken: 'canary', label: 'ada' }
  const sessions = { [url]: { ...texts, expiresAt: Date.now() + 3_600_000 } }
  writeFileSync(join(home, 'svcctl/session.json'), JSON.stringify({ version: 1, sessions }))
  vi.stubEnv('XDG_CONFIG_HOME', home)
  vi.stubEnv('SVCCTL_ADMIN', url)
  vi.stubEnv('SVCCTL_TOKEN', undefined)
  const heard: (string | undefined)[] = []
  answer = ({ headers }, response) => {
    heard.push(headers.authorization)
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"no"}')
  }

  await expect((await connectOperator('no.yaml')).list()).rejects.toThrow(/refuses the token/)

  expect(heard).toHaveLength(1)
  expect(heard[0] ?? '').not.toContain('canary')
})

it('a listener that does not answer within 5 s is no gateway', async () => {
  const clock = new VirtualClock(0)
  const asked = new Promise<void>(resolve => {
    answer = () => resolve()
  })
  const running = isRunning(url, undefined, clock.after)
  await asked

  clock.advance(5000)

  expect(await running).toBe(false)
})

it('a gateway that answers after 4.9 s runs', async () => {
  const clock = new VirtualClock(0)
  const asked = new Promise<ServerResponse>(resolve => {
    answer = (_, response) => resolve(response)
  })
  const running = isRunning(url, undefined, clock.after)
  const response = await asked

  clock.advance(4900)
  response.end('{}')

  expect(await running).toBe(true)
})

it('rows that break off are told of, and not taken for all that there are', async () => {
  vi.stubEnv('SVCCTL_ADMIN', url)
  const row = {
    at: '2026-11-21T12:00:00Z',
    by: 'operator',
    by_label: '',
    action: 'mint',
    account: 'acct_1',
    label: 'ada',
    before: '',
    after: '',
  }
  answer = (_, response) => void response.writeHead(200).write(`${JSON.stringify(row)}\n`, () => response.destroy())
  const control = await connectOperator('no.yaml')
  const read: unknown[] = []

  const all = async () => {
    for await (const each of control.audit({ since: '1d' })) read.push(each)
  }

  await expect(all()).rejects.toMatchObject({ message: expect.stringContaining('broke off'), exitCode: 3 })
  expect(read).toEqual([row])
})

it('each request says who runs the command', async () => {
  vi.stubEnv('SVCCTL_ADMIN', url)
  vi.stubEnv('SVCCTL_USER', 'ci/deploy-42')
  const named: unknown[] = []
  answer = (request, response) => {
    named.push(request.headers['x-svcctl-user'])
    response.end('{"object":"list","data":[]}')
  }

  await (await connectOperator('no.yaml')).list()

  expect(named).toEqual(['ci/deploy-42'])
})

it('the name that an operator wishes is sent beside it', async () => {
  vi.stubEnv('SVCCTL_ADMIN', url)
  const named: unknown[] = []
  answer = (request, response) => {
    named.push(request.headers['x-svcctl-as'])
    response.end('{"object":"list","data":[]}')
  }

  await (await connectOperator('no.yaml', { as: 'bob' })).list()
  await (await connectOperator('no.yaml')).list()

  expect(named).toEqual(['bob', undefined])
})

it('a token is not sent to where a redirect points', async () => {
  vi.stubEnv('SVCCTL_ADMIN', url)
  const asked: (string | undefined)[] = []
  answer = (request, response) => {
    asked.push(request.url)
    response.writeHead(307, { location: `${url}/elsewhere` }).end('{"error":"moved"}')
  }

  await expect((await connectOperator('no.yaml')).list()).rejects.toMatchObject({ exitCode: 1 })

  expect(asked).toEqual(['/admin/keys'])
})

it.each(['ftp://127.0.0.1', 'file:///etc/passwd', 'unix://a', 'mailto:a@b://c'])(
  'SVCCTL_ADMIN that is %s is wrong usage, and nothing is asked',
  async written => {
    vi.stubEnv('SVCCTL_ADMIN', written)

    await expect(connectOperator('no.yaml')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('http'),
    })
  },
)

/** The bearer of the only request of a listing. */
async function bearerAsked(config = 'no.yaml'): Promise<string | undefined> {
  let heard: string | undefined
  answer = ({ headers }, response) => {
    heard = headers.authorization
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
  }
  await (await connectOperator(config)).list()
  return heard
}

function keepProfiles(profiles: object, current?: string): void {
  mkdirSync(join(home, 'svcctl'), { recursive: true })
  writeFileSync(join(home, 'svcctl/profiles.json'), JSON.stringify({ version: 1, current, profiles }))
  vi.stubEnv('XDG_CONFIG_HOME', home)
}

it('a profile leads to its admin listener, with the token in its file as it is then', async () => {
  const tokenFile = join(home, 'token')
  keepProfiles({ prod: { admin: url, tokenFile } })
  vi.stubEnv('SVCCTL_PROFILE', 'prod')
  vi.stubEnv('SVCCTL_TOKEN', 'of-another')

  writeFileSync(tokenFile, 'one\n')
  expect(await bearerAsked()).toBe('Bearer one')
  writeFileSync(tokenFile, 'two\n')
  expect(await bearerAsked()).toBe('Bearer two')
  rmSync(tokenFile)
  await expect(connectOperator('no.yaml')).rejects.toThrow(/✗ the admin token cannot be read: ENOENT/)
})

it('the profile in use leads to its admin listener only where no configuration lies', async () => {
  keepProfiles({ prod: { admin: url } }, 'prod')
  vi.stubEnv('SVCCTL_TOKEN', 'mine')
  const config = join(home, 'config.yaml')

  expect(await bearerAsked(config)).toBe('Bearer mine')
  writeFileSync(config, 'server: { admin: "127.0.0.1:1", state_dir: ./data }\n')
  await expect(connectOperator(config)).rejects.not.toThrow(/refuses/)
})

it('a profile of a sign-in alone leads no operator anywhere', async () => {
  keepProfiles({ prod: { gateway: url, issuer: url, clientId: 'svcctl' } })
  vi.stubEnv('SVCCTL_PROFILE', 'prod')

  await expect(connectOperator('no.yaml')).rejects.toThrow(/profile prod has no admin listener/)
})
