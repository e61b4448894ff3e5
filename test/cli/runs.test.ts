import { spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GoldenSite, startGoldenSite } from './golden-site.ts'
import { type Command, onTerminal, piped, runInTurn, unread } from './in-turn.ts'
import { withPlaceholders } from './placeholders.ts'
import { compileProgram, type Program, type Ran, type Running } from './program.ts'

let program: Program
let site: GoldenSite
let tails: Readonly<Record<'quota' | 'requests', Running>>

beforeAll(async () => {
  program = compileProgram()
  site = await startGoldenSite(program)
  const tail = (what: string) => program.start([what, 'tail'], { cwd: site.dir, env: site.env })
  tails = { quota: tail('quota'), requests: tail('requests') }
}, 60_000)

afterAll(async () => {
  await program.end()
  await site.close()
})

const golden = (text: string) => withPlaceholders(text, site.dir)
/** Commands that read and change nothing, by the file that holds what they print; each is asked for `--json` too. */
const READS: Readonly<Record<string, readonly string[]>> = {
  // First, as it tells of the last minute.
  quota: ['quota show', 'quota show ada'],
  'explain-account': [
    'explain --account bob@example.com --model svc-core --max-tokens 50 --chat hi',
    'explain --account ada --model svc-pro --chat-tokens 20',
  ],
  pools: ['pools'],
  fleet: ['fleet'],
  version: ['version', 'version --check'],
  keys: ['keys list', 'keys show ada'],
  accounts: ['accounts show bob@example.com'],
  'accounts-list': [
    'accounts list',
    'accounts list --plan pro',
    'accounts list --limit 1 --plan free',
    'accounts list --sort spend --search A',
    'accounts list --search nobody',
  ],
  usage: [
    'usage',
    'usage --by plan',
    'usage --by model',
    'usage --by account',
    'usage --by account,model',
    'usage --failed-attempts',
  ],
  invoice: ['invoice ada', 'invoice ada --month 2020-01'],
  invoices: ['invoices --month 2020-01'],
  audit: ['audit', 'audit --since 2999-01-01'],
  validate: ['validate -c next.yaml', 'validate -c bad.yaml'],
  show: ['show', 'show --matrix'],
  models: ['models'],
  doc: ['doc plans.rpm'],
  explain: [
    'explain --plan free --model svc-pro --chat hi --now 2030-01-01T12:00:00Z',
    'explain --plan pro --chat prove --usage month_usd=20 --now 2030-01-01T12:00:00Z',
    'explain --plan free --chat hi --usage requests=4,oldest=20s --now 2030-01-01T12:00:00Z',
  ],
  'explain-past': ['explain --request SERVED', 'explain --request GATED', 'explain --request GATED -c next.yaml'],
  test: ['test --coverage', 'test wrong.test.yaml'],
  plan: ['plan -c next.yaml --against config.yaml', 'plan --against config.yaml --exit-code'],
  replay: ['replay state/decisions -c next.yaml'],
  whoami: ['whoami --audience AUDIENCE', 'whoami --audience http://nowhere.example'],
  profile: ['profile list'],
}

/** Variants of commands without `--json`, or with another format. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  fmt: ['fmt --check', 'fmt --check ugly.yaml'],
  formats: [
    'validate -c bad.yaml --format github',
    'plan -c next.yaml --against config.yaml --format github',
    'usage --by account --csv',
    'usage --by account --format ndjson',
    'usage --failed-attempts --csv',
    'usage export',
    'usage export --format csv',
    'usage export --format json',
    'usage export --format text',
    'requests list --format ndjson',
    'requests list --account ada --until 2020-01-02 --since 2020-01-01',
    'requests list --errors --model svc-pro --json',
    'requests list --errors --pool cloud',
    'requests show SERVED --json',
    'requests show GATED --json',
    'keys list --format csv',
    'accounts list --format csv',
    'accounts orgs --format ndjson',
    'audit --format ndjson',
    'models --format csv',
    'pools --format ndjson',
    'fleet --format ndjson',
    'fleet --format csv',
    'profile list --format csv',
    'invoice ada --month 2020-01 --format csv',
    'invoice ada --format csv',
    'invoices --month 2020-01 --format csv',
    'invoices --month 2020-01 --lines --format csv',
    'keys list --json --format csv',
  ],
  help: ['login --help', 'keys mint --help', 'quota tail --help', 'requests tail --help'],
}

/** Commands that change something, in the order in which they are run. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  'keys-changes': [
    'keys mint --plan free --account eve',
    'keys mint --plan free --account eve',
    'keys mint --plan free --account eve --if-missing',
    'keys mint --plan pro --account kim --json',
    'keys mint --plan pro --account lee --name ci --expires 90d --usd-per-day 5 --models svc-core --addresses 10.0.0.0/8 --json',
    'keys mint --account lee --name ci',
    "keys mint --account lee --name b --limit 'usd five per day'",
    'keys mint --account lee --name b --models svc-none',
    'keys mint --account nobody --name ci',
    'keys show lee',
    'keys mint --account lee --name b',
    'keys list --account lee',
    'keys list --expiring 91d',
    'keys list --expiring 14d',
    'keys rotate lee --yes',
    'keys mint --guest phone-1',
    'keys mint --account new',
    'keys rotate eve',
    'keys rotate eve --yes',
    'keys rotate kim --yes --json',
    'keys revoke eve --yes',
    'keys revoke kim --yes --json',
    'keys show nobody',
    'keys list',
    'keys list --limit 1',
  ],
  'accounts-changes': [
    'accounts set-plan ada pro --yes',
    'accounts set-plan ada gold --yes',
    'accounts set-overage ada 5',
    'accounts set-overage ada on --json',
    'accounts set-overage ada',
    'quota grant ada 2.50',
    'quota grant ada much',
    'accounts freeze ada',
    'accounts freeze ada --yes',
    'accounts show ada',
    'accounts thaw ada --as on-call/bob',
    'accounts thaw ada --as (local)',
    'accounts show ada',
    "accounts set-limit ada 'usd 500 per month'",
    "accounts set-limit ada 'tokens 2M per 30d of key for svc-core' --json",
    "accounts set-limit ada 'usd 500 per year'",
    'accounts set-org ada org:acme',
    "accounts set-limit org:acme 'requests 5k per day'",
    'accounts set-org ada acme',
    'accounts freeze org:acme --yes',
    'accounts orgs',
    'accounts orgs --json',
    'accounts list --org org:acme',
    'accounts show org:acme',
    'accounts show org:acme --json',
    'accounts show ada',
    'audit --account org:acme',
    'accounts thaw org:acme',
    "accounts unset-limit ada 'usd per month'",
    "accounts unset-limit ada 'usd per month'",
    "accounts unset-limit org:acme 'requests per day'",
    'accounts set-org ada --clear',
    'accounts set-plan org:acme pro --yes',
    'audit --account ada',
    'audit --account ada --limit 2',
  ],
  'pools-changes': ['pools drain cloud', 'pools drain cloud --yes', 'pools', 'pools undrain cloud', 'pools drain east'],
  reload: ['reload'],
  init: ['init new --brand acme --no-probe', 'init new'],
  'profile-changes': [
    'profile show',
    'profile add prod --audience http://llm.example.com --issuer http://auth.example.com',
    'profile add prod --audience https://llm.example.com --issuer https://auth.example.com',
    'profile use prod',
    'profile list',
    'profile list --json',
    'profile show',
    'profile show --json',
    'profile use test',
    'profile add ops --admin 127.0.0.1:9090 --token-file nowhere.token',
    'profile add ops --admin 127.0.0.1:9090 --token-file config.yaml',
    'profile add ops --token-file config.yaml',
    'profile list',
    'profile show ops --json',
    'profile show ops',
    '-p nosuch fleet',
    '-p prod fleet',
  ],
}

const NOBODY_THERE = { SVCCTL_ADMIN: 'http://127.0.0.1:9' }
const NO_ADDRESS = { SVCCTL_ADMIN: 'ftp://127.0.0.1' }
const NO_TOKEN = { SVCCTL_TOKEN: 'not-it' }

/** Commands that are refused, by the file that holds what they say. */
const REFUSED: Readonly<Record<string, { readonly own: readonly string[]; readonly env: Command['env'] & {} }>> = {
  unreachable: { own: ['pools', 'reload', 'keys list', 'quota tail', 'requests tail'], env: NOBODY_THERE },
  'no-address': { own: ['pools', 'reload', 'keys list', 'quota show'], env: NO_ADDRESS },
  'wrong-token': { own: ['pools', 'reload', 'keys list', 'quota show', 'quota tail'], env: NO_TOKEN },
  'bad-files': {
    own: [
      'show -c bad.yaml',
      'models -c bad.yaml --json',
      'test -c bad.yaml',
      'plan -c bad.yaml --against config.yaml',
      'plan -c next.yaml --against bad.yaml',
      'explain -c bad.yaml --plan free --chat hi',
      'keys list -c bad.yaml',
      'keys list -c nowhere.yaml',
    ],
    env: { SVCCTL_ADMIN: '' },
  },
  'wrong-usage': {
    own: ['nosuch', 'keys', 'completion tcsh', 'usage --since x', 'doc plans.rpn', 'show --jsom'],
    env: {},
  },
}

/** Commands with colours on a terminal, by golden file. */
const READS_WITH_COLOUR = ['explain', 'explain-past', 'test', 'plan']

/** But for those of them that have nothing to point at. */
const UNCOLOURED = ['plan --against config.yaml --exit-code']

/** A util-linux program that runs a command in its own terminal. */
const hasScript = spawnSync('script', ['--version']).status === 0
if (!hasScript) console.warn('SKIPPED: tests of colours on a terminal. Install script, of util-linux')

/** Those that succeed and tell something on stderr all the same. */
const TALKS = [
  'requests list --account ada --until 2020-01-02 --since 2020-01-01',
  'requests list --errors --pool cloud',
  'accounts list --search nobody',
  'fmt --check',
  'fleet',
  'audit --since 2999-01-01',
  'profile list',
]

/** Replaces placeholders in READS and PLAIN with values that are known only once the site runs. */
function command(line: string): Command {
  const { requests, signedIn } = site
  const known: Readonly<Record<string, string>> = {
    SERVED: requests.served,
    GATED: requests.gated,
    AUDIENCE: signedIn.audience,
  }
  // As a shell takes them apart.
  const words = line.match(/'[^']*'|\S+/g) ?? []
  const args = words.map(word => known[word] ?? word.replaceAll("'", ''))
  return line.startsWith('whoami') ? { args, env: { XDG_CONFIG_HOME: signedIn.home } } : { args }
}

const lines = Object.values(READS).flat()
const json = lines.map(line => `${line} --json`)
const plain = Object.values(PLAIN).flat()
const run = (all: readonly string[], around: (command: string) => string, env: Readonly<Record<string, string>> = {}) =>
  runInTurn(program, all.map(command), { dir: site.dir, env: { ...site.env, ...env }, around })

/** The result of each command in a pipe, by its line. */
let left: ReadonlyMap<string, Ran>
beforeAll(async () => {
  // Commands that count the last minute run first.
  const all = [...lines.flatMap(line => [line, `${line} --json`]), ...plain]
  const ran = await run(all, piped)
  left = new Map(all.map((line, index) => [line, ran[index] ?? { code: null, stdout: '', stderr: '' }]))
})
const ranOf = (line: string): Ran => left.get(line) ?? { code: null, stdout: '', stderr: `${line} was not run` }

const labelOf = (text: string) => /"label":"(\w+)/.exec(text)?.[1] ?? ''
const byLabel = (a: string, b: string) => labelOf(a).localeCompare(labelOf(b))

/** Commands with what they left, as a terminal would show it; what went to stderr is marked. */
const transcript = (all: readonly (readonly [line: string, ran: Ran])[]): string =>
  all
    .map(([line, { code, stdout, stderr }]) => {
      const told = stderr.replace(/^(?=.)/gm, '2> ')
      // In the order of ids, which are random.
      const shown =
        line === 'quota show --json'
          ? stdout
              .split(/(?<=\n)/)
              .sort(byLabel)
              .join('')
          : stdout
      return golden(`$ svcctl ${line}\n${shown}${told}${code === 0 ? '' : `exit ${code}\n`}`)
    })
    .join('\n')

it.each(Object.entries({ ...READS, ...PLAIN }))('what %s prints into a pipe is its golden text', async (name, own) => {
  await expect(transcript(own.map(line => [line, ranOf(line)]))).toMatchFileSnapshot(`golden/runs/${name}.txt`)
})

it.each(Object.entries(READS))('what %s prints for programs is its golden JSON', async (name, own) => {
  const asked = own.map(line => `${line} --json`)
  await expect(transcript(asked.map(line => [line, ranOf(line)]))).toMatchFileSnapshot(`golden/runs/${name}.json.txt`)
})

it('into a pipe no command writes an escape code, and where it succeeds nothing on stderr that is not meant so', () => {
  const escaped = [...left].filter(([, { stdout, stderr }]) => `${stdout}${stderr}`.includes('\u001b'))
  const talking = [...left].filter(([line, { code, stderr }]) => code === 0 && stderr !== '' && !TALKS.includes(line))

  expect({ escaped, talking }).toEqual({ escaped: [], talking: [] })
})

it('what is printed for programs is JSON, of accounts a line each', () => {
  for (const line of json) {
    const { code, stdout } = ranOf(line)
    // Those that could not be asked say so on stderr alone.
    if (stdout === '') expect(code, line).toBeGreaterThan(1)
    for (const part of line.startsWith('quota') ? stdout.trimEnd().split('\n') : [stdout].filter(Boolean)) {
      expect(() => JSON.parse(part), line).not.toThrow()
    }
  }
})

it('a reader that has left before the first byte is no failure of any command', async () => {
  const all = [...lines, ...plain]
  const ran = await run(all, unread)

  const told = ran.map(({ code, stderr }) => ({ code, stderr }))
  expect(told).toEqual(all.map(line => ({ code: ranOf(line).code, stderr: ranOf(line).stderr })))
})

it.each([
  ['fmt --check', 0],
  ['nosuch', 2],
  ['keys', 2],
  ['keys list -c nowhere.yaml', 1],
  ['whoami --audience http://nowhere.example', 4],
])('a reader of stderr that has left does not change the exit code of svcctl %s', async (line, expected) => {
  const command = `'${process.execPath}' '${program.main}' ${line}`
  const { code, stderr } = await program.shell(
    `{ ${command} 2>&1 >/dev/null; echo $? >&3; } 3>.code | true; exit $(cat .code)`,
    { cwd: site.dir, env: { ...site.env, SVCCTL_ADMIN: '' } },
  )

  expect({ code, stderr }).toEqual({ code: expected, stderr: '' })
})

describe.skipIf(!hasScript)('on a terminal', () => {
  // Counts of the last minute differ a little later.
  const lasting = lines.filter(line => !/^(quota|explain --account)/.test(line))
  const words = (text: string) => golden(text.replaceAll('\r\n', '\n'))

  it('with NO_COLOR every command says what it says to a pipe, without an escape code', async () => {
    const ran = await run(lasting, onTerminal, { NO_COLOR: '1' })

    expect(ran.map(({ stdout }) => words(stdout))).toEqual(lasting.map(line => golden(ranOf(line).stdout)))
  })

  it('what is wrong, tested, changed and explained has colours, JSON has none, and the words are the same', async () => {
    const coloured = ['validate -c bad.yaml', ...READS_WITH_COLOUR.flatMap(name => READS[name] ?? [])]
    const all = [...coloured, ...coloured.map(line => `${line} --json`)]
    const ran = await run(all, onTerminal)

    const escapes = ran.map(({ stdout }, index) => [all[index], stdout.includes('\u001b[')])
    expect(escapes).toEqual(all.map(line => [line, !line.endsWith('--json') && !UNCOLOURED.includes(line)]))
    const bare = ran.map(({ stdout }) => words(stripVTControlCharacters(stdout)))
    expect(bare).toEqual(all.map(line => golden(ranOf(line).stdout)))
  })

  it('nothing is dim but places in files, rules, counts and margins, which can be read elsewhere too', async () => {
    const all = ['validate -c bad.yaml', ...READS_WITH_COLOUR.flatMap(name => READS[name] ?? [])]
    const ran = await run(all, onTerminal)

    const dim = ran.flatMap(({ stdout }) =>
      stdout
        .split('\u001b[2m')
        .slice(1)
        .map(text => text.slice(0, text.indexOf('\u001b'))),
    )
    expect(dim.length).toBeGreaterThan(20)
    expect(dim.filter(text => !/^(\S+:\d+|[a-z]+(-[a-z]+)+|\d+ (cell|combination)s?| *\d* │)$/.test(text))).toEqual([])
  })
})

it('tails write golden lines into a pipe, until they are told to stop', async () => {
  const [quota, requests] = [tails.quota.until('"event":"standing"'), tails.requests]
  // Nothing tells when a tail begins to follow, but what it follows.
  await expect.poll(async () => (await site.chat('svc_nobody')) && requests.said()).not.toBe('')
  await quota
  await site.chat(site.bob, { model: 'svc-core' })
  const said = { quota: await tails.quota.until(/"status":200.*\n/), requests: await requests.until(/ {2}200 .*\n/) }
  // How much of the last minute is left is a matter of how busy the machine is.
  const lasting = (text: string) =>
    golden(text)
      .replace(/("(?:requests|tokens)":)\d+/g, '$1N')
      .replace(/("per":"minute".*?"used":)"\d+"(.*?"remaining":)"\d+"/g, '$1"N"$2"N"')
  const first = (what: string, of: RegExp) => lasting(of.exec(what)?.[0] ?? '')
  const shown = [
    '$ svcctl quota tail',
    first(said.quota, /^\{"event":"standing".*"label":"ada".*$/m),
    first(said.quota, /^\{"event":"request".*"status":401.*$/m),
    first(said.quota, /^\{"event":"request".*"status":200.*$/m),
    '',
    '$ svcctl requests tail',
    first(said.requests, /^.* {2}401 .*$/m),
    first(said.requests, /^.* {2}200 .*$/m),
  ]

  await expect(`${shown.join('\n')}\n`).toMatchFileSnapshot('golden/runs/tails.txt')
  expect(await Promise.all([tails.quota.end(), requests.end()])).toEqual([0, 0])
})

describe('what changes something, or cannot be done', () => {
  const all = [
    ...Object.entries(CHANGES).map(([name, own]) => ({ name, own, env: {} })),
    ...Object.entries(REFUSED).map(([name, { own, env }]) => ({ name, own, env })),
  ]
  const ran = new Map<string, readonly Ran[]>()
  beforeAll(async () => {
    const told = all.flatMap(({ own, env }) => own.map(line => ({ ...command(line), env })))
    const left = [...(await runInTurn(program, told, { dir: site.dir, env: site.env, around: piped }))]
    for (const { name, own } of all) ran.set(name, left.splice(0, own.length))
  })

  it.each(all)('what $name prints is its golden text', async ({ name, own }) => {
    const told = own.map((line, index) => [line, ran.get(name)?.[index] ?? ranOf(line)] as const)
    await expect(transcript(told)).toMatchFileSnapshot(`golden/runs/${name}.txt`)
  })
})
