import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { svcctl } from '../../src/cli/program.ts'
import { sealOf } from '../../src/gateway/backup/seal.ts'
import { type GoldenSite, startGoldenSite } from './golden-site.ts'
import { HOSTILE, UNPRINTABLE } from './hostile-text.ts'
import { openTurns, type Turns } from './in-turn.ts'
import { compileProgram, type Program } from './program.ts'
import { request, standing } from './quota/tail/events.ts'

let program: Program
let site: GoldenSite
let turns: Turns
let gateway: Awaited<ReturnType<typeof startForeignGateway>>

beforeAll(async () => {
  program = compileProgram()
  site = await startGoldenSite(program)
  gateway = await startForeignGateway(site)
  turns = openTurns(program)
  foreignFiles(site.dir)
}, 60_000)

afterAll(async () => {
  await turns.end()
  await program.end()
  gateway.server.closeAllConnections()
  gateway.server.close()
  await site.close()
})

/**
 * For each command what it is run with here, where it prints what others chose: files, accounts, backups, a gateway's answers.
 * A new command fails the test below until it stands here.
 */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  serve: ['-c hostile.yaml'],
  reload: [''],
  validate: ['-c hostile.yaml'],
  test: ['-c hostile.yaml', 'hostile.test.yaml'],
  plan: ['-c hostile.yaml', '-c next.yaml', '-c next.yaml --against hostile.yaml'],
  apply: ['-c next.yaml --yes'],
  rollback: ['--list', '--yes', '1 --yes'],
  explain: ['-c hostile.yaml --chat hi', '--account ada', '--request SERVED', '--request GATED'],
  init: ['hostile.yaml'],
  'import litellm': ['litellm.yaml', 'hostile.yaml'],
  'import portkey': ['portkey.yaml'],
  'import bifrost': ['bifrost.yaml'],
  fmt: ['hostile.yaml'],
  show: ['-c hostile.yaml', '--matrix'],
  models: ['-c hostile.yaml'],
  'prices check': ['-c hostile.yaml', '-c hostile.yaml --patch'],
  reconcile: ['--bill hostile.yaml', '--bill hostile.csv --pool cloud'],
  doc: ['plans.rpm'],
  doctor: ['-c hostile.yaml'],
  replay: ['hostile.ndjson -c next.yaml', 'state/decisions -c hostile.yaml'],
  'keys mint': ['--plan free --account zoe', '--plan gold --account zoe'],
  'keys list': ['', '--format csv', '--json'],
  'keys show': ['ada', 'nobody'],
  'keys rotate': ['zoe --yes', 'nobody --yes'],
  'keys revoke': ['zoe --yes', 'nobody --yes'],
  'accounts list': ['', '--format csv', '--json'],
  'accounts orgs': [''],
  'accounts show': ['ada', 'nobody'],
  'accounts set-plan': ['ada pro --yes', 'ada gold --yes'],
  'accounts set-overage': ['ada on'],
  'accounts grant': ['ada 1'],
  'accounts set-org': ['ada org:acme'],
  'accounts set-limit': ["ada 'usd 5 per day'"],
  'accounts unset-limit': ["ada 'usd per day'"],
  'accounts freeze': ['bob@example.com --yes'],
  'accounts thaw': ['bob@example.com --yes'],
  'accounts invite': ['ada', 'nobody'],
  'accounts uninvite': ['ada', 'nobody'],
  alarms: ['', '--open', '--json'],
  audit: ['', '--format csv', '--json'],
  'notices list': ['', '--format csv', '--json'],
  'notices contacts': ['ada', 'ada --json'],
  'notices test': ['ops'],
  'notices retry': ['--all'],
  usage: ['', '--by account', '--by model', '--by account --csv'],
  'usage export': ['', '--format csv', '--format text'],
  invoice: ['ada --month 2020-01'],
  invoices: ['--month 2020-01', '--month 2020-01 --lines'],
  'archive status': [''],
  'archive schema': [''],
  fleet: ['', '--format csv'],
  backup: ['made.backup'],
  'backup verify': ['hostile.backup --unsigned', 'hostile.backup', 'hostile.yaml'],
  restore: ['hostile.backup --unsigned --files ./served', 'hostile.backup --unsigned', 'hostile.backup'],
  'store check': ['embedded:./state/store', 'embedded:./nowhere'],
  'store migrate': ['embedded: redis://127.0.0.1:1'],
  pools: ['', '--json'],
  'pools compare': ['onprem cloud', 'onprem cloud --json'],
  'pools drain': ['cloud --yes'],
  'pools undrain': ['cloud'],
  'pools probe': ['cloud'],
  'quota show': ['', 'ada'],
  'quota grant': ['ada 1'],
  'requests list': ['', '--errors', '--format ndjson'],
  'requests show': ['SERVED', 'GATED'],
  console: [''],
  login: ['--issuer GATEWAY'],
  logout: [''],
  whoami: [''],
  token: ['--audience GATEWAY'],
  'agents setup': ['claude --audience GATEWAY --dry-run'],
  run: ['claude --audience GATEWAY -- --version'],
  'profile add': ['hostile --admin GATEWAY'],
  'profile list': ['', '--format csv'],
  'profile use': ['hostile'],
  'profile show': ['hostile'],
  version: ['', '--check'],
}

/** Commands that end with the gateway's events. On a terminal `quota tail` moves the cursor itself: quota/tail/foreign-events.test.ts. */
const LIVE: Readonly<Record<string, readonly string[]>> = {
  'quota tail': [''],
  'requests tail': ['', '--json', '--errors'],
}
/** Commands that print only text of svcctl itself. */
const OWN = ['completion', 'names']

const leavesOf = (command: Command, path: readonly string[] = []): readonly string[] => {
  const below = command.commands.flatMap(each => leavesOf(each, [...path, each.name()]))
  const acts = path.length > 0 && '_actionHandler' in command && command._actionHandler
  return [...(acts ? [path.join(' ')] : []), ...below]
}

it('each command stands in the table of those that print what others chose, or in the lists of those that do not', async () => {
  expect([...Object.keys(COMMANDS), ...Object.keys(LIVE), ...OWN].sort()).toEqual([...leavesOf(await svcctl())].sort())
})

it.each(['answers', 'errors', 'garbage'] as const)(
  'no command prints what moves a cursor where a gateway gives hostile %s',
  async kind => {
    gateway.gives(kind)
    const silent: string[] = []
    for (const [command, runs] of Object.entries({ ...COMMANDS, ...LIVE }))
      for (const more of runs) {
        if (kind !== 'answers' && /-c hostile|\.yaml|backup/.test(more)) continue
        const { stdout, stderr } = await run(command, more)
        const printed = stdout + stderr
        const found = UNPRINTABLE.exec(printed)
        const around = found ? JSON.stringify(printed.slice(Math.max(0, found.index - 60), found.index + 20)) : ''
        expect(around, `${command} ${more}`).toBe('')
        if (printed === '') silent.push(`${command} ${more}`)
      }
    expect(silent.length, silent.join(', ')).toBeLessThan(8)
  },
  120_000,
)

function run(command: string, more: string) {
  const { served, gated } = site.requests
  const words = `${command} ${more}`.replace('SERVED', served).replace('GATED', gated).replace('GATEWAY', gateway.url)
  const args = (words.match(/'[^']*'|\S+/g) ?? []).map(word => word.replaceAll("'", ''))
  const env = { ...site.env, NO_COLOR: '1', SVCCTL_ADMIN: gateway.url, BAD: HOSTILE }
  return turns.run(args, { cwd: site.dir, env })
}

/** Passes on what the gateway of the site says, with hostile texts in place of what others chose. */
async function startForeignGateway({ env }: GoldenSite) {
  let kind: 'answers' | 'errors' | 'garbage' = 'answers'
  const hostile = JSON.stringify(HOSTILE).slice(1, -1)
  const CHOSEN =
    /"(label|name|by_label|before|after|error|message|reason|reasons|model|asked|problem|why|why_none|text|owner|user|path|host|hint|failed|say|from|to)":"((?:[^"\\]|\\.)*)"/g
  const passOn = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = 'GET', url = '', headers } = request
    const { host: _host, connection: _connection, 'content-length': _length, ...more } = headers
    const answered = await fetch(`${env.SVCCTL_ADMIN}${url}`, {
      method,
      headers: more as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const type = answered.headers.get('content-type') ?? ''
    const body = Buffer.from(await answered.arrayBuffer())
    const given = body.toString().replace('"why_none":', '"notes":[""],"why_none":')
    const text = type.includes('json')
      ? given.replace(CHOSEN, `"$1":"$2${hostile}"`).replace('"notes":[""]', `"notes":["${hostile}"]`)
      : body
    response.writeHead(answered.status, { 'content-type': type }).end(text)
  }
  const ERROR = JSON.stringify({ error: `no ${HOSTILE}`, code: 'VALIDATION_ERROR', text: HOSTILE })
  const server: Server = createServer((request, response) => {
    if (kind === 'answers' && request.url?.startsWith('/admin/events')) eventsTo(response)
    else if (kind === 'answers') void passOn(request, response)
    else if (kind === 'garbage') response.writeHead(500).end(HOSTILE)
    else response.writeHead(400, { 'content-type': 'application/json' }).end(ERROR)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const gives = (next: typeof kind) => {
    kind = next
  }
  return { server, url, gives }
}

/** Events of strangers, and no more of them. */
function eventsTo(response: ServerResponse): void {
  const ada = standing(`ada${HOSTILE}`, { plan: HOSTILE })
  const events = [
    ada,
    request(ada),
    request(ada, { status: 503, code: HOSTILE, type: HOSTILE, model: HOSTILE, pool: HOSTILE, interrupted: HOSTILE }),
    request(null, { path: HOSTILE, method: HOSTILE, failures: [{ pool: HOSTILE, cause: HOSTILE }] }),
    { event: 'gateway', gateway: HOSTILE, followed: false, problem: HOSTILE },
    { event: 'dropped', count: 1 },
  ]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''))
}

/** Files of strangers: configurations of three gateways, one of this one, a log, a test and a backup. */
function foreignFiles(dir: string): void {
  const bad = JSON.stringify(`a${HOSTILE}b`)
  const write = (name: string, text: string | Uint8Array) => writeFileSync(join(dir, name), text)
  const config = readFileSync(join(dir, 'config.yaml'), 'utf8')
  write('hostile.yaml', `${config}\n${bad}: { ${bad}: ${bad} }\n`)
  write(
    'hostile.test.yaml',
    `- name: ${bad}\n  request: { plan: ${bad}, model: ${bad} }\n  expect: { model: ${bad} }\n`,
  )
  write(
    'hostile.csv',
    `usage_date_utc,model,token_type,cost_usd\n2026-10-01,"${HOSTILE}",output,1\n2026-10-01,"${HOSTILE}",output,${HOSTILE.replaceAll('"', '')}\n`,
  )
  write('hostile.ndjson', `{"v":1,"id":${bad}}\n${HOSTILE}\n`)
  const params = `{ model: ${JSON.stringify(`openai/gpt${HOSTILE}`)}, api_key: os.environ/KEY, ${bad}: ${bad} }`
  write(
    'litellm.yaml',
    `model_list:\n  - { model_name: ${bad}, litellm_params: ${params}, ${bad}: 1 }\n  - { model_name: good, litellm_params: { model: openai/gpt-4, api_key: os.environ/KEY } }\nrouter_settings: { ${bad}: ${bad}, fallbacks: [{ ${bad}: [${bad}] }] }\n${bad}: 1\n`,
  )
  write(
    'portkey.yaml',
    `strategy: { mode: fallback, ${bad}: ${bad} }\ntargets:\n  - { provider: ${bad}, api_key: ${bad}, override_params: { model: ${bad} } }\n  - { provider: openai, api_key: k, override_params: { model: gpt-4 }, ${bad}: 1 }\n`,
  )
  write(
    'bifrost.yaml',
    `providers:\n  openai: { keys: [{ name: ${bad}, value: env.KEY, models: [gpt-4, ${bad}], weight: 1 }], ${bad}: ${bad} }\n  ${bad}: { keys: [] }\n${bad}: 1\n`,
  )
  const lines = [
    {
      ...{ svc_backup: 1, gateway: HOSTILE, began: 0, store: 'embedded', rows_since: 0 },
      config: { revision: HOSTILE, files: [{ file: `dir/${HOSTILE}\nx.yaml`.replaceAll('\0', ''), text: 'a' }] },
    },
    [
      'total',
      {
        ...{ account: HOSTILE, plan: 'p', model: 'm', day: 1 },
        ...{ requests: 1, inputTokens: 1, outputTokens: 1, cost: 1 },
      },
    ],
    { end: { total: 1 } },
  ]
  const packed = gzipSync(lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  write('hostile.backup', Buffer.concat([packed, sealOf(createHash('sha256').update(packed).digest())]))
  mkdirSync(join(dir, 'home/svcctl'), { recursive: true })
}
