import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lockDirectory } from '../../../src/adapters/embedded/store-directory.ts'
import { checkNode, clockFinding, type Watched } from '../../../src/cli/doctor/check-machine.ts'
import { findingsText, keySource } from '../../../src/cli/doctor/report.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { status } from '../../support/backend.ts'
import { Door, hangs, says, saysJson } from '../../support/door.ts'
import { startHttpTool } from '../../support/http-tool.ts'
import { startOidc } from '../../support/identity/oidc.ts'
import { startMcpServer } from '../../support/mcp-server.ts'
import { keptFilesOf } from '../site.ts'
import { doctor, doctorIn, type Found, filesOf, found, KEY, normal, script, startReplica, vectorOf } from './site.ts'

/** Findings apart from pools, which are not checked here. */
async function foundOf(check: string, edit: (yaml: string) => string, args: readonly string[] = []): Promise<Found> {
  const files = filesOf(['http://127.0.0.1:1/v1'])
  const list = await found({ 'config.yaml': edit(files['config.yaml']) }, args)
  const [first, ...others] = list.filter(each => each.check === check)
  expect(others).toEqual([])
  if (!first) throw new Error(`nothing is said of ${check}`)
  return first
}

const same = (yaml: string) => yaml

async function startDoor(...answers: ConstructorParameters<typeof Door>): Promise<Door> {
  const door = new Door(...answers)
  await door.open()
  onTestFinished(() => door.close())
  return door
}

describe('the whole output', () => {
  /** A site on which something of everything is wrong, or nothing is. */
  const siteOf = async (isGood: boolean) => {
    const core = script(await startReplica())
    const embed = script(await startReplica(), isGood ? {} : { vector: vectorOf(384) })
    const cloud = script(await startReplica(), isGood ? {} : { models: status(401), whole: status(401) })
    const oidc = await startOidc({ audience: 'http://localhost' })
    onTestFinished(() => oidc.stop())
    const mcp = await startMcpServer()
    onTestFinished(() => mcp.close())
    const tool = await startHttpTool()
    onTestFinished(() => tool.close())
    if (!isGood) await oidc.stop()
    if (!isGood) mcp.tools.delete('echo')
    const yaml = `version: 1
server: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", public_url: ${isGood ? 'http://localhost' : 'http://llm.example.com'}, state_dir: ./state }
store: embedded:./state/store
identity: { issuer: "${oidc.issuer}", default_plan: pro }
plans: { pro: { models: all, tools: all, rpm: 10k, tpm: 100M, monthly_usd: 20 } }
models:
  svc-core: { kind: chat, tier: guest, serve: [onprem-core, cloud-core], context: 32k, usd_per_1m: { input: 1, output: 10 } }
  svc-embed: { kind: embedding, tier: guest, serve: [onprem-embed], context: 512, usd_per_1m: { input: 1 } }
default_model: svc-core
hosted_tools:
  say: { mcp: "${mcp.url}", tool: echo }
  convert: { http: "${tool.url}", description: Converts., parameters: { type: object } }
pools:
  onprem-core: { site: on-premises, model: test-model, replicas: ["${core.url}"] }
  onprem-embed: { site: on-premises, model: test-model, replicas: ["${embed.url}"] }
  cloud-core: { site: cloud, model: test-model, key: "\${CLOUD_KEY}", replicas: ["${cloud.url}"] }
`
    const names = {
      [new URL(core.url).host]: 'CORE',
      [new URL(embed.url).host]: 'EMBED',
      [new URL(cloud.url).host]: 'CLOUD',
      [new URL(oidc.issuer).host]: 'ISSUER',
      [new URL(mcp.url).host]: 'MCP',
      [new URL(tool.url).host]: 'TOOL',
    }
    return { files: { 'config.yaml': yaml }, names, tool }
  }

  it.each([
    ['good', true, 0],
    ['bad', false, 1],
  ])('of a %s site is golden, as text and as JSON, and exits with what it found', async (name, isGood, code) => {
    const { files, names, tool } = await siteOf(isGood)
    const text = await doctor(files)
    const jsonRun = await doctor(files, ['--json'])

    expect([text.code, jsonRun.code, text.stderr, jsonRun.stderr]).toEqual([code, code, '', ''])
    const dirs = (cwd: string) => ({ ...names, [cwd]: '/dir' })
    await expect(normal(text.stdout, dirs(text.cwd))).toMatchFileSnapshot(`golden/${name}.txt`)
    await expect(normal(jsonRun.stdout, dirs(jsonRun.cwd))).toMatchFileSnapshot(`golden/${name}.json.txt`)
    expect(tool.requests.map(({ method }) => method)).toEqual(['OPTIONS', 'OPTIONS'])
  })

  it('is coloured where that is wanted, and plain otherwise', () => {
    const findings = [
      { check: 'node', subject: 'n', state: 'ok', text: 'a' },
      { check: 'pools', subject: 'p', state: 'warning', text: 'b', hint: 'c', replicas: { fit: 1, of: 2 } },
      { check: 'pools', subject: 'longer', state: 'problem', text: 'd' },
    ] as const
    expect(findingsText(findings, true)).toBe(
      '  \u001b[32m✓\u001b[0m node       a\n  \u001b[35m▲\u001b[0m pools      p 1/2   b\n                 c\n  \u001b[31m✗\u001b[0m pools      longer  d\n\n1 problem, 1 warning\n',
    )
    expect(findingsText(findings, false)).not.toContain('\u001b')
  })

  it('of files that cannot be loaded tells the first error, and of this machine', async () => {
    const { stdout, code } = await doctor({ 'config.yaml': 'version: 1\nplans: 7\nmodle: 8\n' })

    expect(code).toBe(1)
    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(/^ {2}✓ node {7}\d+\.\d+\.\d+$/)
    expect(lines[1]).toMatch(/^ {2}✗ config {5}\d+ errors: config\.yaml:\d+:\d+ {2}\S/)
    expect(lines[2]).toMatch(/^ {17}svcctl validate shows all/)
    expect(lines.slice(3)).toEqual(['', '1 problem, 0 warnings', ''])
  })
})

it.each([
  ['20.19.0', 'ok'],
  ['20.20.2', 'ok'],
  ['24.0.0', 'ok'],
  ['20.9.5', 'problem'],
  ['18.20.4', 'problem'],
])('Node %s is %s where 20.19 is needed', (version, state) => {
  expect(checkNode(version, '>=20.19').state).toBe(state)
})

it.each([
  [`key: \${CLOUD_KEY}`, 'CLOUD_KEY'],
  [`key: "\${CLOUD_KEY}", replicas: []`, 'CLOUD_KEY'],
  ['"key": file:secrets/cloud', 'the key in secrets/cloud'],
  ["'file:a b'", 'the key in a'],
  ['*anchor', undefined],
])('%s says that the key is %s', (text, source) => {
  const at = { file: 'f.yaml', line: 2, column: 3 }

  expect(keySource(at, new Map([['f.yaml', `a\n  ${text}\n`]]))).toBe(source)
  expect(keySource(undefined, new Map())).toBeUndefined()
})

describe('ports', () => {
  it('that another process has are a problem', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const yaml = (text: string) => text.replace('listen: "127.0.0.1:0"', `listen: "127.0.0.1:${port}"`)

    expect(await foundOf('ports', yaml)).toMatchObject({
      state: 'problem',
      text: `127.0.0.1:${port} is taken by another process`,
    })
  })

  it('at an address of another machine are a problem', async () => {
    const yaml = (text: string) => text.replace('listen: "127.0.0.1:0"', 'listen: "203.0.113.9:8080"')

    expect(await foundOf('ports', yaml)).toMatchObject({
      state: 'problem',
      text: '203.0.113.9 is not an address of this machine',
    })
  })

  it('where something else than a gateway says that it lives are a problem', async () => {
    const door = await startDoor(saysJson({ hello: 'there' }))
    const { host } = new URL(door.origin)
    const yaml = (text: string) => text.replace('admin: "127.0.0.1:0"', `admin: "${host}"`)

    expect(await foundOf('ports', yaml)).toMatchObject({
      state: 'problem',
      text: `the process at ${host} is not a gateway`,
    })
  })
})

describe('the embedded store', () => {
  it('need not be there, and is not begun', async () => {
    const { stdout, cwd } = await doctor(filesOf([script(await startReplica()).url]))

    expect(stdout).toContain(`✓ store      embedded in ${join(cwd, 'state/store')}\n`)
    expect(() => rmSync(join(cwd, 'state'))).toThrow(/ENOENT/)
  })

  it('that another process holds is a problem, and stays locked', async () => {
    const cwd = keptFilesOf({ ...filesOf(['http://127.0.0.1:1/v1']), 'state/store/x': '' })
    onTestFinished(() => removeFolder(cwd))
    const lock = await lockDirectory(join(cwd, 'state/store'))

    const { stdout } = await doctorIn(cwd)
    expect(stdout).toMatch(/✗ store .* is in use by another process, and no gateway answers at server\.admin\n/)
    await expect(lockDirectory(join(cwd, 'state/store'))).rejects.toThrow(/in use/)
    await lock.release()
    expect((await doctorIn(cwd)).stdout).toContain('✓ store ')
  })

  it('where a file stands in the way is a problem', async () => {
    const files = { ...filesOf(['http://127.0.0.1:1/v1']), state: 'a file' }
    const list = await found(files)

    expect(list.find(({ check }) => check === 'store')).toMatchObject({
      state: 'problem',
      text: expect.stringMatching(/state is not a directory$/),
    })
  })
})

describe('the identity provider', () => {
  const withIssuer = (issuer: string) => (yaml: string) =>
    `${yaml}identity: { issuer: "${issuer}", default_plan: pro }\n`

  it('need not be: then only operators mint keys', async () => {
    expect(await foundOf('identity', same)).toMatchObject({ state: 'ok', text: 'none: only operators mint keys' })
  })

  it('that does not answer is a problem, with the line that names it', async () => {
    expect(await foundOf('identity', withIssuer('http://127.0.0.1:1'))).toMatchObject({
      state: 'problem',
      subject: 'http://127.0.0.1:1',
      text: 'http://127.0.0.1:1 does not answer: ECONNREFUSED',
      hint: expect.stringMatching(/^Sign-in, and keys .* do not work .*serve --demo.* \(config\.yaml:\d+\)$/),
    })
  })

  it('that hangs is a problem', async () => {
    const { origin } = await startDoor(hangs)

    expect(await foundOf('identity', withIssuer(origin), ['--timeout', '0.3'])).toMatchObject({
      state: 'problem',
      text: `${origin} does not answer within 0.3 s`,
    })
  })

  it.each<[string, object, RegExp, RegExp]>([
    [
      'of another issuer',
      { issuer: 'https://other.example.com', jwks_uri: 'x' },
      /discovery document is of another issuer: "https:\/\/other\.example\.com"$/,
      /^Write the issuer as the provider does/,
    ],
    ['without keys', { issuer: 'ISSUER', jwks_uri: 'ISSUER/jwks' }, /holds no usable key/, /Is the issuer right/],
    [
      'without a place of keys',
      { issuer: 'ISSUER' },
      /jwks_uri must be an https address: none$/,
      /Is the issuer right/,
    ],
  ])('%s is a problem', async (_, document, text, hint) => {
    const door: Door = await startDoor((...exchange) =>
      saysJson(
        exchange[0].path === '/jwks'
          ? { keys: [] }
          : JSON.parse(JSON.stringify(document).replaceAll('ISSUER', door.origin)),
      )(...exchange),
    )

    expect(await foundOf('identity', withIssuer(door.origin))).toMatchObject({
      state: 'problem',
      text: expect.stringMatching(text),
      hint: expect.stringMatching(hint),
    })
  })

  it('whose clock goes wrong is told of by the line of the clock', async () => {
    const at = (ms: number) => ({ date: new Date(Date.now() + ms).toUTCString() })
    let off = -3_600_000
    const door = await startDoor((...exchange) => says(503, 'text/plain', '', at(off))(...exchange))

    expect(await foundOf('clock', withIssuer(door.origin))).toMatchObject({
      state: 'problem',
      text: expect.stringMatching(/^(3600|3599) s ahead of the identity provider$/),
      hint: expect.stringContaining('NTP'),
    })
    off = 20_000
    expect(await foundOf('clock', withIssuer(door.origin))).toMatchObject({
      state: 'warning',
      text: expect.stringMatching(/^(1[6-9]|20) s behind the identity provider$/),
    })
  })
})

describe('the clock', () => {
  const NOON = Date.UTC(2026, 10, 21, 12)
  const watched = (kind: Watched['kind'], off: number): Watched => ({
    who: kind === 'redis' ? 'redis' : kind === 'identity' ? 'the identity provider' : 'core (10.0.0.1:8000)',
    kind,
    readings: [{ theirs: NOON - off, from: NOON, to: NOON + 1 }],
  })

  it.each([
    [[], 'ok', 'not compared: no other machine reported its time'],
    [[watched('redis', 3)], 'ok', '2 ms off redis'],
    [
      [watched('redis', 1999), watched('identity', 0), watched('backend', 5)],
      'ok',
      '1998 ms off redis, within 2 s of the identity provider and 1 backend',
    ],
    [[watched('redis', 2500)], 'warning', '2 s ahead of redis'],
    [[watched('redis', -2500)], 'warning', '2 s behind redis'],
    [[watched('backend', 2999)], 'ok', 'within 2 s of 1 backend'],
    [[watched('backend', 3100), watched('redis', 31_000)], 'problem', '31 s ahead of redis, and off from 1 more'],
  ])('%#', (all, state, text) => {
    expect(clockFinding(all)).toMatchObject({ state, text })
  })

  it('is taken from the answer that was fastest to tell', () => {
    const slow = { theirs: NOON, from: NOON, to: NOON + 60_000 }

    expect(
      clockFinding([{ ...watched('backend', 50_000), readings: [slow, ...watched('backend', 50_000).readings] }]).state,
    ).toBe('ok')
  })

  it('of a backend is seen in its answers', async () => {
    const date = new Date(Date.now() - 600_000).toUTCString()
    const models = status(200, { data: [{ id: 'test-model' }] }, { date })
    const late = (value: unknown) => status(200, value as object, { date })
    const whole = late({ choices: [{ message: { content: 'ok' } }], usage: { prompt_tokens: 1, completion_tokens: 1 } })
    const backend = script(await startReplica(), { models, whole, stream: whole, call: whole })
    const list = await found(filesOf([backend.url]))

    expect(list.find(({ check }) => check === 'clock')).toMatchObject({
      state: 'problem',
      text: expect.stringMatching(/^(599|600|601) s ahead of onprem \(127\.0\.0\.1:\d+\)$/),
    })
  })
})

describe('hosted tools', () => {
  const withTool = (tool: string) => (yaml: string) =>
    yaml.replace('calculator: { builtin: calculator }', `mine: ${tool}`)

  it.each([['streamable_http'], ['sse']] as const)(
    'of an MCP server over %s are learnt, and not called',
    async transport => {
      const server = await startMcpServer({ transport, key: KEY })
      onTestFinished(() => server.close())
      const tool = `{ mcp: "${server.url}", tool: echo, transport: ${transport}, key: "\${CLOUD_KEY}" }`

      expect(await foundOf('tools', withTool(tool))).toMatchObject({
        subject: 'mine',
        state: 'ok',
        text: `MCP tool echo of ${new URL(server.url).host}`,
      })
      expect(server.calls).toEqual([])
    },
  )

  it.each([
    ['does not list it', 'nothing', 'HOST: the server lists no such tool', /`tool: nothing`/],
    ['says it with a broken schema', 'odd', /^HOST: .*schema/, /`tool: odd`/],
  ])('of an MCP server that %s are a problem', async (_, tool, text, hint) => {
    const server = await startMcpServer()
    onTestFinished(() => server.close())
    server.tools.set('odd', { inputSchema: { type: 'array' }, run: () => ({ content: [] }) })
    const { host } = new URL(server.url)
    const first = await foundOf('tools', withTool(`{ mcp: "${server.url}", tool: ${tool} }`))

    expect({ ...first, text: first.text.replace(host, 'HOST') }).toMatchObject({
      state: 'problem',
      text: typeof text === 'string' ? text : expect.stringMatching(text),
      hint: expect.stringMatching(hint),
    })
  })

  it('of an MCP server that refuses the key name the variable', async () => {
    const server = await startMcpServer({ key: 'another' })
    onTestFinished(() => server.close())
    const first = await foundOf('tools', withTool(`{ mcp: "${server.url}", tool: echo, key: "\${CLOUD_KEY}" }`))

    expect(first).toMatchObject({
      state: 'problem',
      text: `${new URL(server.url).host}: it answers 401: is CLOUD_KEY right?`,
    })
  })

  it('of a server that hangs are a problem, and nobody waits for it', async () => {
    const { origin } = await startDoor(hangs)
    const { host } = new URL(origin)

    expect(
      await foundOf('tools', withTool(`{ mcp: "${origin}/mcp", tool: echo }`), ['--timeout', '0.3']),
    ).toMatchObject({ state: 'problem', text: `${host} did not list its tools within 0.3 s` })
    const http = `{ http: "${origin}", description: x, parameters: { type: object } }`
    expect(await foundOf('tools', withTool(http), ['--timeout', '0.3'])).toMatchObject({
      state: 'problem',
      text: `${host} does not answer within 0.3 s`,
    })
  })

  it.each<[number, string, string]>([
    [404, 'ok', 'HTTP tool of HOST, which answers; it is not called'],
    [501, 'ok', 'HTTP tool of HOST, which answers; it is not called'],
    [401, 'warning', 'HOST: it answers 401: is CLOUD_KEY right?'],
    [502, 'warning', 'HOST answers 502'],
  ])('over HTTP that answer %i are %s', async (code, state, text) => {
    const tool = await startHttpTool()
    onTestFinished(() => tool.close())
    tool.always(says(code, undefined))
    const first = await foundOf(
      'tools',
      withTool(`{ http: "${tool.url}", key: "\${CLOUD_KEY}", description: x, parameters: { type: object } }`),
    )

    expect({ ...first, text: first.text.replace(new URL(tool.url).host, 'HOST') }).toMatchObject({ state, text })
    expect(tool.requests.map(({ method }) => method)).toEqual(['OPTIONS'])
  })

  it('that nobody serves are a problem', async () => {
    const http = '{ http: "http://127.0.0.1:1/", description: x, parameters: { type: object } }'

    expect((await foundOf('tools', withTool(http))).text).toMatch(/^127\.0\.0\.1:1 does not answer: .*ECONNREFUSED/)
    expect(await foundOf('tools', withTool('{ mcp: "http://127.0.0.1:1/mcp", tool: x }'))).toMatchObject({
      state: 'problem',
      text: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

describe('exposure', () => {
  const exposed = async (files: Readonly<Record<string, string>>, prepare: (cwd: string) => void = () => {}) => {
    const cwd = keptFilesOf(files)
    onTestFinished(() => removeFolder(cwd))
    prepare(cwd)
    const { stdout } = await doctorIn(cwd, ['--json'])
    const list: readonly Found[] = JSON.parse(stdout)
    return list
      .filter(({ check }) => check === 'exposure')
      .map(each => ({ ...each, text: each.text.replaceAll(cwd, '/dir') }))
  }
  const files = filesOf(['http://127.0.0.1:1/v1'])

  it('to nobody is one line', async () => {
    expect(await exposed(files)).toMatchObject([{ state: 'ok', text: 'no unexpected exposure' }])
  })

  it('of keys by http, and of the admin listener, are warnings', async () => {
    const yaml = files['config.yaml']
      .replace('http://localhost', 'http://llm.example.com')
      .replace('admin: "127.0.0.1:0"', 'admin: "0.0.0.0:0"')

    expect(await exposed({ 'config.yaml': yaml })).toMatchObject([
      { state: 'warning', text: 'public_url is http: keys would travel in clear text' },
      { state: 'warning', text: expect.stringMatching(/^the admin listener on 0\.0\.0\.0:0 has no TLS/) },
    ])
  })

  it.each([
    [0o750, 'warning', 'server.state_dir /dir/state may be read by others (0750)'],
    [0o777, 'problem', 'server.state_dir /dir/state may be written by everybody (0777)'],
  ])('of state_dir with mode %o is a %s', async (mode, state, text) => {
    const found = await exposed(files, cwd => {
      mkdirSync(join(cwd, 'state'))
      chmodSync(join(cwd, 'state'), mode)
    })

    expect(found).toMatchObject([{ state, text, hint: expect.stringMatching(/^chmod 700 \//) }])
  })

  it('of a file with a secret is a warning, and what it holds is not told', async () => {
    const secret = filesOf(['http://127.0.0.1:1/v1'], { pool: ', key: file:cloud.key' })
    const found = await exposed(secret, cwd => {
      writeFileSync(join(cwd, 'cloud.key'), KEY)
      chmodSync(join(cwd, 'cloud.key'), 0o644)
    })
    expect(found).toMatchObject([
      { state: 'warning', text: 'the secret in cloud.key is readable by others (0644)', hint: 'chmod 600 cloud.key' },
    ])

    expect(await exposed(secret, cwd => writeFileSync(join(cwd, 'cloud.key'), KEY, { mode: 0o600 }))).toMatchObject([
      { state: 'ok' },
    ])
  })
})
