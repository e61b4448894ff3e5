import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileProgram, type Program } from '../cli/program.ts'
import { blocksOf } from '../docs/page.ts'
import { Reader } from '../docs/reader.ts'
import { HANGS_MS } from '../lanes/hangs.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { freePort } from '../support/free-port.ts'
import { type OidcServer, startOidc } from '../support/identity/oidc.ts'
import { ScriptedModel } from './model/model.ts'
import { isInstalled } from './support/installed.ts'

const PAGE = 'docs/how-to/developers.md'
const AGENTS_PAGE = 'docs/how-to/agents.md'
const BIN = new URL('node_modules/.bin', import.meta.url).pathname
const AGENTS = ['@anthropic-ai/claude-code', '@openai/codex'].every(name => isInstalled({ registry: 'npm', name }))
const QUIET = {
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  IS_SANDBOX: '1',
}

/** Plan and org by the groups, as Okta lists them. */
const TEAMS = [
  { groups: ['Everyone', 'eng-web', 'eng-all'], plan: 'pro', org: 'org:engineering' },
  { groups: ['Everyone', 'contractors'], plan: 'free', org: 'org:contractors' },
  { groups: ['Everyone', 'sales'], plan: 'free', org: null },
  { groups: ['llm-admins', 'Everyone', 'eng-platform'], plan: 'pro', org: 'org:engineering' },
] as const
const CREW = Array.from({ length: 197 }, (_, at) => ({ name: `dev-${at}`, team: TEAMS[at % TEAMS.length] ?? TEAMS[0] }))
const USERS = Object.fromEntries([
  ['ada', { email: 'ada@example.com', groups: TEAMS[0].groups }],
  ['bob', { email: 'bob@example.com', groups: TEAMS[1].groups }],
  ['cleo', { email: 'cleo@example.com', groups: TEAMS[3].groups }],
  ...CREW.map(({ name, team }) => [name, { email: `${name}@example.com`, groups: team.groups }] as const),
])

interface Listed {
  readonly label: string
  readonly plan: string
  readonly org: string | null
}

describe.skipIf(!AGENTS)('a company of 200 developers', { timeout: 10 * HANGS_MS }, () => {
  let program: Program
  let backend: Backend
  let oidc: OidcServer
  let reader: Reader
  let gateway: string
  /** The person who opens the address that `svcctl login` prints. */
  let person = 'ada'

  beforeAll(async () => {
    program = compileProgram()
    backend = await startBackend()
    backend.always(new ScriptedModel(() => ({ text: 'Hello from the model.' })).answer)
    const port = await freePort()
    gateway = `http://127.0.0.1:${port}`
    oidc = await startOidc({ audience: gateway, users: USERS })
    reader = await Reader.arrive({
      main: program.main,
      ports: { 8000: backend.port, 8080: port },
      words: [
        ['https://llm.example.com', gateway],
        ['https://acme.okta.com/oauth2/default', oidc.issuer],
        ['https://auth.example.com', oidc.issuer],
      ],
      env: QUIET,
      watch: written => {
        const [, address] = /^Open {2}(\S+)\nCode/m.exec(written) ?? []
        if (address !== undefined && !opened.has(address)) {
          opened.add(address)
          void oidc.approve(address, person)
        }
      },
    })
    // The shell reads the page from its standard input, which is not for the agents.
    await reader.run(
      [
        `export PATH="$PATH:${BIN}"`,
        'claude() { command claude "$@" </dev/null; }',
        'codex() { command codex "$@" </dev/null; }',
      ].join('\n'),
    )
  }, 5 * HANGS_MS)
  afterAll(async () => {
    await reader.leave()
    await oidc.stop()
    await backend.close()
    await program.end()
  })
  const opened = new Set<string>()

  /** Commands in the home of somebody else, on a machine of their own. */
  const as = (name: string, commands: string): Promise<string> => {
    person = name
    const home = join(reader.home, name)
    mkdirSync(home, { recursive: true })
    return reader.run(`(export HOME=${home} XDG_CONFIG_HOME=${home}/.config; cd ${home}; ${commands}) </dev/null`)
  }

  it('gets from an empty machine to Claude Code and Codex by the commands of docs/how-to/developers.md', () =>
    reader.read(PAGE))

  it('gives agents tokens by the commands and the settings of docs/how-to/agents.md', async () => {
    person = 'ada'
    await reader.run(
      [
        'svcctl agents setup claude --undo --yes',
        'svcctl agents setup codex --undo --yes',
        'git init --quiet',
        // The reader of the page answers the question with yes. Programs do not read the page, which is the shell's input.
        'svcctl() { [ "$*" = "agents setup claude" ] && set -- "$@" --yes; command svcctl "$@" </dev/null; }',
      ].join('\n'),
    )
    await reader.read(AGENTS_PAGE)
    expect(await reader.run('svcctl token')).toMatch(/^\S{100,}$/)
    await reader.run('svcctl agents setup claude --undo --yes')

    const settings = { json: '.claude/settings.json', toml: '.codex/config.toml' }
    for (const { language, text } of blocksOf(AGENTS_PAGE)) {
      if (language !== 'json' && language !== 'toml') continue
      const file = join(reader.home, settings[language])
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text.replaceAll('https://llm.example.com', gateway))
    }
    expect(await reader.run('claude --model svc-core -p "Say hello."')).toContain('Hello from the model.')
    expect(await reader.run('codex exec --model svc-core --skip-git-repo-check "Say hello."')).toContain(
      'Hello from the model.',
    )
  })

  it('has an account for each of 200 people, with the plan and org of the groups', async () => {
    const signIn = `svcctl login --issuer ${oidc.issuer} --audience ${gateway}`
    expect(await as('bob', `${signIn} && svcctl run codex -- exec --skip-git-repo-check "Say hello."`)).toContain(
      'Hello from the model.',
    )
    expect(await as('cleo', `${signIn} && svcctl run claude -- -p "Say hello."`)).toContain('Hello from the model.')
    for (const { name } of CREW) {
      const { accessToken } = await oidc.signIn(name)
      const asked = await fetch(`${gateway}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'Say hello.' }] }),
      })
      expect(asked.status, name).toBe(200)
      await asked.arrayBuffer()
    }

    const { data } = JSON.parse(await reader.run('svcctl accounts list --limit 1000 --json')) as { data: Listed[] }
    const listed = new Map(data.map(({ label, plan, org }) => [label, { plan, org }]))
    expect([data.length, listed.size]).toEqual([200, 200])
    for (const { name, team } of CREW)
      expect(listed.get(`${name}@example.com`)).toEqual({ plan: team.plan, org: team.org })
    expect(listed.get('ada@example.com')).toEqual({ plan: 'pro', org: 'org:engineering' })
    expect(listed.get('bob@example.com')).toEqual({ plan: 'free', org: 'org:contractors' })
  })
})
