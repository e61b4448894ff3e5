// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of YAML.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { csvRow, recordsCsv } from '../../../src/wire/csv.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { openTurns, type Turns } from '../in-turn.ts'
import { compileProgram, type Program, type Running } from '../program.ts'

/** Enough rows to fill a pipe twice, so that a writer feels its reader leave. */
const ADAS = 300
const FORMULA = '=HYPERLINK("http://x"),1'

let program: Program
let turns: Turns
let backend: Backend
let cwd: string
let gateway: Running | undefined
const svcctl = (...args: string[]) => turns.run(args, { cwd, env: {} })
const lines = (text: string) => text.split('\n').slice(0, -1)

const yaml = (url: string, admin: number) => `version: 1
server: { listen: "127.0.0.1:0", admin: "127.0.0.1:${admin}", public_url: http://localhost, state_dir: ./state }
store: embedded:./store
plans:
  free: { models: all, rpm: 100k, tpm: 10M, monthly_usd: 1000 }
models:
  svc-core: { kind: chat, tier: t, serve: [near], context: 32k, usd_per_1m: { input: 1, output: 10 } }
  svc-dear: { kind: chat, tier: t, serve: [near], context: 32k, usd_per_1m: { input: 20, output: 200 } }
default_model: svc-core
pools:
  near: { site: here, model: m, replicas: ["${url}"] }
`

/** A gateway that serves, and the address of its API. */
async function start() {
  const running = program.start(['serve'], { cwd })
  const [, url = ''] = /listens on (\S+)/.exec(await running.until('Policy')) ?? []
  return { running, url }
}

beforeAll(async () => {
  program = compileProgram()
  turns = openTurns(program)
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
  cwd = mkdtempSync(join(tmpdir(), 'svc-usage-'))
  writeFileSync(join(cwd, 'config.yaml'), yaml(backend.url, await freePort()))
  const { running, url } = await start()
  const mint = async (label: string) =>
    (await svcctl('keys', 'mint', '--plan', 'free', '--account', label)).stdout.trim()
  const chat = async (key: string, model: string) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(response.status).toBe(200)
  }
  const [ada, bob] = [await mint('ada'), await mint(FORMULA)]
  // A few at a time: on a busy machine many would wait for their connections too long.
  for (let asked = 0; asked < ADAS; asked += 10)
    await Promise.all(Array.from({ length: Math.min(10, ADAS - asked) }, () => chat(ada, 'svc-core')))
  await chat(bob, 'svc-dear')
  await running.end()
}, 60_000)

afterAll(async () => {
  await turns.end()
  await program.end()
  await backend.close()
  await removeFolder(cwd)
})

describe.each([
  ['where no gateway runs, on the store itself', false],
  ['where one runs, through its admin listener', true],
])('%s', (_name, serving) => {
  beforeAll(async () => {
    if (serving) gateway = (await start()).running
  })

  afterAll(async () => {
    await gateway?.end()
    gateway = undefined
  })

  it('a table adds up, with its points below each other', async () => {
    const { code, stdout, stderr } = await svcctl('usage', '--by', 'model')

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(lines(stdout)).toEqual([
      'MODEL     REQUESTS  TOKENS IN  CACHED  CACHE WRITES  TOKENS OUT      USD',
      'svc-core       300       2700       0             0         900  0.0117',
      'svc-dear         1          9       0             0           3  0.00078',
      'TOTAL          301       2709       0             0         903  0.01248',
    ])
  })

  it('an account is shown by its id and its label, and neither its comma nor its formula gets out of its cell', async () => {
    const { stdout } = await svcctl('usage', '--by', 'account', '--csv')

    const [header, ada, bob, ...rest] = stdout.split('\r\n')
    expect(header).toBe(
      'account,label,requests,input_tokens,output_tokens,cost_nano_usd,usd,cached_tokens,cache_write_tokens,saved_nano_usd,saved_usd',
    )
    expect(ada).toMatch(/^acct_\w{20},ada,300,2700,900,11700000,0\.0117,0,0,,$/)
    expect(bob).toMatch(/^acct_\w{20},"'=HYPERLINK\(""http:\/\/x""\),1",1,9,3,780000,0\.00078,0,0,,$/)
    expect(rest).toEqual([''])
  })

  it('keys are shown with the account that they are of, and one of them can be asked for', async () => {
    const { stdout } = await svcctl('usage', '--by', 'key', '--csv')

    const [header, ada = '', bob, ...rest] = stdout.split('\r\n')
    expect(header).toBe(
      'key,label,requests,input_tokens,output_tokens,cost_nano_usd,usd,cached_tokens,cache_write_tokens,saved_nano_usd,saved_usd',
    )
    expect(ada).toMatch(/^key_\w+,ada,300,2700,900,11700000,0\.0117,0,0,,$/)
    expect(bob).toMatch(/^key_\w+,"'=HYPERLINK\(""http:\/\/x""\),1",1,9,3,780000,0\.00078,0,0,,$/)
    expect(rest).toEqual([''])
    const [key = ''] = ada.split(',')
    expect(lines((await svcctl('usage', '--by', 'model', '--key', key, '--csv')).stdout)).toEqual([
      'model,requests,input_tokens,output_tokens,cost_nano_usd,usd,cached_tokens,cache_write_tokens,saved_nano_usd,saved_usd\r',
      'svc-core,300,2700,900,11700000,0.0117,0,0,,\r',
    ])
  })

  it('several groups have a column each, and the label of the account in front of its id', async () => {
    const table = lines((await svcctl('usage', '--by', 'model,account', '--account', 'ada')).stdout)
    const csv = (await svcctl('usage', '--by', 'model,account', '--account', 'ada', '--csv')).stdout.split('\r\n')

    expect(table.map(line => line.replace(/acct_\w+/, 'ID').split(/ +/))).toEqual([
      ['MODEL', 'ACCOUNT', 'ID', 'REQUESTS', 'TOKENS', 'IN', 'CACHED', 'CACHE', 'WRITES', 'TOKENS', 'OUT', 'USD'],
      ['svc-core', 'ada', 'ID', '300', '2700', '0', '0', '900', '0.0117'],
      ['TOTAL', '300', '2700', '0', '0', '900', '0.0117'],
    ])
    expect(csv[0]).toMatch(/^model,account,label,requests,/)
    expect(csv[1]).toMatch(/^svc-core,acct_\w+,ada,300,/)
  })

  it('what was used before a day, in a month and of a key alone is asked for by the same words everywhere', async () => {
    const month = new Date().toISOString().slice(0, 7)
    const requests = async (...words: string[]) => {
      const { data } = JSON.parse((await svcctl('usage', '--by', 'plan', '--json', ...words)).stdout)
      return data.map((line: { requests: number }) => line.requests)
    }
    const rows = async (...words: string[]) => lines((await svcctl('usage', 'export', ...words)).stdout).length

    expect(await requests('--since', 'yesterday')).toEqual([ADAS + 1])
    expect(await requests('--until', 'yesterday')).toEqual([])
    expect(await requests('--month', month)).toEqual([ADAS + 1])
    expect(await requests('--month', '2020-01')).toEqual([])
    expect(await rows('--until', 'yesterday')).toBe(0)
    expect(await rows('--month', month, '--key', FORMULA)).toBe(1)
  })

  it('days are the default, and JSON holds integers', async () => {
    const { stdout } = await svcctl('usage', '--json')

    const { by, data } = JSON.parse(stdout) as { by: string; data: { group: string; cost_nano_usd: number }[] }
    expect(by).toBe('day')
    expect(data.reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0)).toBe(12_480_000)
    for (const { group } of data) expect(group).toMatch(/^\d{4}-\d\d-\d\d$/)
  })

  it('where nothing was used the sum is 0', async () => {
    const { code, stdout } = await svcctl('usage', '--since', '2999-01-01')

    expect({ code, rows: lines(stdout) }).toEqual({
      code: 0,
      rows: [
        'DAY    REQUESTS  TOKENS IN  CACHED  CACHE WRITES  TOKENS OUT  USD',
        'TOTAL         0          0       0             0           0    0',
      ],
    })
  })

  it('an export has a line for every request, each a JSON object', async () => {
    const { code, stdout, stderr } = await svcctl('usage', 'export')

    const rows = lines(stdout).map(line => JSON.parse(line))
    expect({ code, stderr, rows: rows.length }).toEqual({ code: 0, stderr: '', rows: ADAS + 1 })
    expect(rows[0]).toMatchObject({
      model: 'svc-core',
      pool: 'near',
      cost_nano_usd: nanoUsd(39_000),
      usd: '0.000039',
      route: null,
      tools: null,
    })
    expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(ADAS + 1)
  })

  it('an export begins when it is told to, and an option before its command is refused', async () => {
    const later = await svcctl('usage', 'export', '--since', '2999-01-01')
    const early = await svcctl('usage', '--since', '2999-01-01', 'export')

    expect(later).toMatchObject({ code: 0, stdout: '' })
    expect(early).toMatchObject({ code: 2, stdout: '' })
    expect(early.stderr).toContain('put --since after `usage export`')
  })

  it('an export of one account as CSV has its rows alone', async () => {
    const { stdout } = await svcctl('usage', 'export', '--account', FORMULA, '--format', 'csv', '--since', '1h')

    const [header, row, ...rest] = stdout.split('\r\n')
    expect(header).toBe(
      'request_id,account,plan,asked,model,pool,input_tokens,output_tokens,cost_nano_usd,usd,kind,estimated,admitted_at,settled_at,revision,route,cause,tools,cached_tokens,cache_write_tokens,key,label,charges,labels,session,saved_nano_usd,billing_day,mirror',
    )
    expect(row).toMatch(
      /^req_\w+,acct_\w+,free,svc-dear,svc-dear,near,9,3,780000,0\.00078,settle,false,\d{4}-\S+Z,\d{4}-\S+Z,[0-9a-f]{12},,,,0,0,key_\w+,"'=HYPERLINK\(""http:\/\/x""\),1",input@\d+:9 output@\d+:3 allowance@\d+:1,,,,,$/,
    )
    expect(rest).toEqual([''])
  })

  it('where nothing was wasted the sum is 0, and the table says nothing of it', async () => {
    const ran = async (...words: string[]) => lines((await svcctl('usage', ...words)).stdout)

    expect(await ran('--failed-attempts')).toEqual([
      'POOL   FAILED ATTEMPTS  TOKENS IN  CACHED  CACHE WRITES  TOKENS OUT  USD',
      'TOTAL                0          0       0             0           0    0',
    ])
    expect(await ran('--failed-attempts', '--csv')).toEqual([
      'pool,attempts,input_tokens,output_tokens,cost_nano_usd,usd,cached_tokens,cache_write_tokens\r',
    ])
    expect(JSON.parse((await ran('--json')).join())).toMatchObject({ waste: [] })
  })

  it('an account that is not there is told apart from one without requests', async () => {
    const ran = await svcctl('usage', 'export', '--account', 'nobody')

    expect(ran).toEqual({ code: 1, stdout: '', stderr: '✗ account: there is no account `nobody`\n' })
  })

  it.each([
    ['usage export | head -1', 1],
    ['usage export --format csv | head -2', 2],
    ['usage | head -1', 1],
  ])('%s ends quietly', async (words, count) => {
    const command = `set -o pipefail; node ${program.main} ${words}`

    const { code, stdout, stderr } = await program.shell(command, { cwd })

    expect({ code, stderr, count: lines(stdout).length }).toEqual({ code: 0, stderr: '', count })
  })

  it('what could not be written is no success', async () => {
    const { code, stderr } = await program.shell(`node ${program.main} usage export > /dev/full`, { cwd })

    expect(code).toBe(1)
    expect(stderr).toMatch(/^✗ cannot write to stdout: .*ENOSPC.*\n$/)
  })
})

it('what was wasted stands beneath what clients used, and is exported with its cause, with a gateway as without one', async () => {
  const store = await openEmbeddedStore({ path: join(cwd, 'store'), now: () => Date.now() })
  for await (const row of store.ledger.readRows()) {
    if (row.model !== 'svc-dear') continue
    const { charges: _charges, ...charged } = row
    const bill = { ...charged, pool: 'far', cost: nanoUsd(1500), estimated: true }
    await store.ledger.recordWaste([1, 2].map(attempt => ({ attempt, bill, cause: 'status 500, =no' })))
  }
  await store.close()

  for (const serving of [false, true]) {
    const running = serving ? (await start()).running : undefined
    const table = lines((await svcctl('usage', '--by', 'plan')).stdout)
    const csv = (await svcctl('usage', '--failed-attempts', '--csv')).stdout
    const exported = (await svcctl('usage', 'export', '--account', FORMULA, '--format', 'csv')).stdout
    const rows = lines((await svcctl('usage', 'export', '--account', FORMULA)).stdout).map(line => JSON.parse(line))
    await running?.end()

    expect(table).toEqual([
      'PLAN   REQUESTS  TOKENS IN  CACHED  CACHE WRITES  TOKENS OUT      USD',
      'free        301       2709       0             0         903  0.01248',
      'TOTAL       301       2709       0             0         903  0.01248',
      '',
      'POOL   FAILED ATTEMPTS  TOKENS IN  CACHED  CACHE WRITES  TOKENS OUT       USD',
      'far                  2         18       0             0           6  0.000003',
      'TOTAL                2         18       0             0           6  0.000003',
    ])
    expect(csv.split('\r\n').slice(1)).toEqual(['far,2,18,6,3000,0.000003,0,0', ''])
    expect(exported.split('\r\n')[2]).toMatch(
      /far,9,3,1500,0\.0000015,waste,true,\S+,\S+,[0-9a-f]{12},,"status 500, =no",,0,0,key_\w+,"'=HYPERLINK\(""http:\/\/x""\),1",,,,,,$/,
    )
    expect(rows.map(({ kind, cause }) => [kind, cause])).toEqual([
      ['settle', null],
      ['waste', 'status 500, =no'],
      ['waste', 'status 500, =no'],
    ])
  }
})

it.each([
  [['--since', 'someday'], 'Write a duration such as 30d or 12h, a date such as 2026-11-01, a time such as'],
  [['--since', '2026-13-01'], 'Write a duration'],
  [['export', '--since', '30'], 'Write a duration'],
  [['--until', 'someday'], 'Write a duration'],
  [['--month', '2026-13'], 'Write a month such as 2026-10, this or last.'],
  [['--month', '2026-10', '--since', '1d'], 'cannot be used with'],
  [['--by', 'model,Week'], 'Allowed are day, hour, plan, model, account'],
  [['--failed-attempts', '--account', 'ada'], 'cannot be used with'],
  [['--by', 'model,model'], 'Allowed are day, hour, plan, model, account'],
  [['--csv', '--json'], 'cannot be used with'],
  [['--csv', '--format', 'json'], '--csv goes without --format json'],
  [['--format', 'xml'], 'Allowed choices are text, json, csv, ndjson'],
  [['--failed-attempts', '--by', 'model'], 'cannot be used with'],
  [['export', '--format', 'xlsx'], 'Allowed choices are text, json, csv, ndjson'],
])('usage %j is wrong usage', async (words, told) => {
  const { code, stdout, stderr } = await svcctl('usage', ...words)

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(told)
})

it('a Redis that is not there is exit 3, without its password', async () => {
  const elsewhere = temporaryFolder('svc-usage')
  const config = yaml(backend.url, await freePort()).replace('embedded:./store', 'redis://:${PASSWORD}@127.0.0.1:9')
  writeFileSync(join(elsewhere, 'config.yaml'), config)
  const env = { PASSWORD: 'sk-4242' }

  for (const words of [['serve'], ['usage'], ['keys', 'list']]) {
    const { code, stdout, stderr } = await turns.run(words, { cwd: elsewhere, env })

    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(/^✗ the store redis:\/\/127\.0\.0\.1:9 cannot be reached: .*\n$/)
    expect(stderr).not.toContain('4242')
  }
})

it.each([
  ['a', 'a'],
  ['a,"b"', '"a,""b"""'],
  ['a\nb', '"a\nb"'],
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['+1', "'+1"],
  ['-1+1', "'-1+1"],
  ['-0.5', '-0.5'],
  [-3, '-3'],
  ['a\u001b[2J\u202eb', 'a [2J b'],
  [null, ''],
  [true, 'true'],
])('%j is written as %s', (cell, written) => {
  expect(csvRow([cell])).toBe(`${written}\r\n`)
})

it('records have a column for each field that any of them has, in the order in which they come', () => {
  const records = [
    { id: 'a', window: { start: 1, end: null }, models: ['x', '=y'] },
    { id: '=b', limits: [{ rpm: 1 }], gone: undefined },
  ]

  expect(recordsCsv(records).split('\r\n')).toEqual([
    'id,window.start,window.end,models,limits',
    'a,1,,x =y,',
    `'=b,,,,"[{""rpm"":1}]"`,
    '',
  ])
  expect(recordsCsv([])).toBe('')
})
