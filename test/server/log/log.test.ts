import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type LogSettings, Secret, type Settings } from '../../../src/config/settings.ts'
import type { LogEntry } from '../../../src/http/log-entry.ts'
import type { Config } from '../../../src/policy/config.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { streamOut } from '../../../src/server/log/line-out.ts'
import { KnownSecrets, ProcessLog } from '../../../src/server/log/log.ts'
import { compileProgram, type Program } from '../../cli/program.ts'
import { filesOf, yamlOf } from '../../cli/site.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { childEnv } from '../../support/child-env.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const config = { defaultModel: { name: 'svc-auto' } } as Config
const KEY = `svc_A1b2${'x'.repeat(38)}`
const TOKEN = 'operators-own-token'
const served: LogEntry = {
  at: 0,
  requestId: 'req_1',
  method: 'POST',
  path: '/v1/chat/completions',
  status: 200,
  ms: 312,
  account: 'acct_ada',
  plan: 'pro',
  asked: '',
  model: 'svc-core',
  pool: 'cloud',
  rule: 'urgent',
  inputTokens: 9,
  outputTokens: 41,
  cost: nanoUsd(17_000),
  failures: [{ pool: 'onprem', cause: 'status 503' }],
}

interface Printed {
  readonly out: string[]
  readonly err: string[]
}

function logOf(
  settings: Partial<LogSettings>,
  secrets = new KnownSecrets(TOKEN),
): Printed & { readonly log: ProcessLog } {
  const [out, err]: [string[], string[]] = [[], []]
  const into = (lines: string[]) => ({ write: (line: string) => lines.push(line), dropped: 0, flush: async () => {} })
  const all: LogSettings = { format: 'json', level: 'info', ...settings }
  const ports = { secrets, gateway: 'one:1', now: () => 0, settings: () => all }
  return { out, err, log: new ProcessLog({ ...ports, out: into(out), err: into(err) }) }
}

const only = (lines: readonly string[]): Record<string, unknown> => {
  expect(lines).toHaveLength(1)
  return JSON.parse(lines[0] ?? '')
}

describe('a line of JSON', () => {
  it('tells who answered a request, how long it took and what it cost, and whose it was by ids', () => {
    const { log, out } = logOf({})
    log.request({ ...served, key: 'key_1' }, config)

    const { time, ...line } = only(out)
    expect(String(time)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(line).toEqual({
      level: 'info',
      gateway: 'one:1',
      msg: 'request',
      request_id: 'req_1',
      method: 'POST',
      path: '/v1/chat/completions',
      status: 200,
      ms: 312,
      account: 'acct_ada',
      key: 'key_1',
      plan: 'pro',
      asked: 'svc-auto',
      model: 'svc-core',
      route: 'urgent',
      pool: 'cloud',
      input_tokens: 9,
      output_tokens: 41,
      cost_usd: '0.000017',
      failures: [{ pool: 'onprem', cause: 'status 503' }],
    })
  })

  it('of an alarm has its level, and a stack stays on it', () => {
    const { log, err } = logOf({})
    log.alarm('a replica is ejected', { pool: 'onprem', failures: 5 })
    log.alarm('unexpected error', { stack: 'Error: x\n    at y' })

    expect(err.map(line => JSON.parse(line))).toMatchObject([
      { level: 'warn', msg: 'a replica is ejected', pool: 'onprem', failures: 5 },
      { level: 'error', msg: 'unexpected error', stack: 'Error: x\n    at y' },
    ])
  })

  it('is one line, whatever a client wrote, as long as it may be and moves no cursor', () => {
    const { log, out } = logOf({})
    log.request({ ...served, asked: `a\nb\u001b[2J\u202e\u2028${'z'.repeat(100_000)}` }, config)

    expect(out[0]).toMatch(/^[\x20-\x7e]+$/)
    expect(out[0]?.length).toBeLessThan(1000)
  })
})

describe.each(['json', 'text'] as const)('secrets are in no line of %s', format => {
  const secrets = {
    backends: new Map([['cloud', { key: new Secret('backend-key-1234') }]]),
    tools: new Map([['search', { key: new Secret('tool"key\\1234') }]]),
    guests: { secrets: [new Secret('root-of-all-guests-12345678901234')] },
    store: { kind: 'redis', url: new Secret('redis://me:pass%20word@localhost:6379/0'), shown: '', tls: {} },
    metrics: { public: false, token: new Secret('token-of-metrics-1') },
    traces: { headers: new Map([['authorization', new Secret('Basic Y29sbGVjdG9y')]]) },
  } as unknown as Settings
  const words = [
    ...[TOKEN, 'backend-key-1234', 'tool"key\\1234', 'root-of-all-guests-12345678901234', 'pass%20word', 'pass word'],
    ...[
      'a-root-of-its-own-1234567890123456',
      'token-of-metrics-1',
      'Y29sbGVjdG9y',
      KEY,
      'sk-somebodys-1234',
      'eyJhbGciOi.eyJzdWIi.c2ln',
    ],
  ]

  it.each(words)('wherever it comes up: %s', word => {
    const known = new KnownSecrets(TOKEN)
    known.know({ settings: secrets, guestSecrets: [new Secret('a-root-of-its-own-1234567890123456')] })
    const { log, out, err } = logOf({ format }, known)
    const text = `before ${word} after`
    log.request(
      { ...served, path: `/x/${word}`, asked: text, interrupted: text, failures: [{ pool: 'p', cause: text }] },
      config,
    )
    log.alarm('a fault', { error: text, stack: text })
    log.say(text)

    const printed = [...out, ...err].join('\n')
    expect(printed).toContain('after')
    expect(printed).not.toContain(word)
    expect(printed).not.toContain(JSON.stringify(word).slice(1, -1))
  })
})

it.each([
  ['info', ['200', '429', '503'], ['warn', 'error', 'info']],
  ['warn', ['503'], ['warn', 'error']],
  ['error', [], ['error']],
] as const)('the level %s prints what is at least as grave', (level, statuses, alarms) => {
  const { log, out, err } = logOf({ level })
  for (const status of [200, 429, 503]) log.request({ ...served, status }, config)
  log.alarm('one')
  log.alarm('two', { error: 'x' })
  log.say('three')

  expect(out.map(line => String(JSON.parse(line).status))).toEqual(statuses)
  expect(err.map(line => JSON.parse(line).level)).toEqual(alarms)
})

it('an answer that a backend broke off is a warning, and a WebSocket that a limit or its client ended is none', () => {
  const { log, out } = logOf({ level: 'warn' })
  const ends = [
    { status: 200, interrupted: 'client gone' },
    { status: 200, interrupted: 'ECONNRESET' },
    { status: 101, interrupted: 'idle for too long' },
    { status: 101, interrupted: 'backend: broke off' },
  ]
  for (const end of ends) log.request({ ...served, ...end }, config)

  expect(out.map(line => JSON.parse(line).interrupted)).toEqual(['ECONNRESET', 'backend: broke off'])
})

it.each(['json', 'text'] as const)('names of the files stay in %s as they are', format => {
  const { log, out, err } = logOf({ format })
  log.request({ ...served, asked: 'svc-ultra-pro-maximum', pool: 'sk', rule: 'svc_everything_urgent' }, config)
  log.alarm('a replica is ejected', { replica: 'http://10.0.0.11:8000/v1', pool: 'onprem-ultra-pro' })

  for (const name of ['svc-ultra-pro-maximum', 'svc_everything_urgent']) expect(out[0]).toContain(name)
  for (const name of ['http://10.0.0.11:8000/v1', 'onprem-ultra-pro']) expect(err[0]).toContain(name)
})

describe('a reader of the log', () => {
  /** Both ends of a connection. */
  async function pair(): Promise<{ readonly ours: Socket; readonly readers: Socket }> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const ours = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
    const [readers] = (await once(server, 'connection')) as [Socket]
    onTestFinished(() => {
      for (const socket of [ours, readers]) socket.destroy()
      server.close()
    })
    return { ours, readers }
  }

  it('that reads no more holds nobody up: lines beyond a bound are dropped and counted', async () => {
    const { ours, readers } = await pair()
    readers.pause()
    const out = streamOut(ours, { most: 100_000 })
    const line = 'x'.repeat(1000)
    for (let n = 0; n < 20_000; n++) {
      out.write(line)
      if (n % 100 === 0) await new Promise(setImmediate)
    }

    expect(out.dropped).toBeGreaterThan(0)
    expect(ours.writableLength).toBeLessThanOrEqual(100_000)
    let read = ''
    readers.on('data', bytes => (read += bytes)).resume()
    await out.flush()
    await expect.poll(() => read.length).toBe((20_000 - out.dropped) * 1001)
  })

  it('that has left breaks nothing', async () => {
    const { ours, readers } = await pair()
    const out = streamOut(ours, { most: 100_000 })
    readers.destroy()
    await once(ours, 'close')
    for (let n = 0; n < 10; n++) out.write('x')

    expect(out.dropped).toBe(10)
    await out.flush()
  })
})

describe('svcctl serve with `log: { format: json }`', () => {
  let program: Program
  let backend: Backend
  beforeAll(async () => {
    program = compileProgram()
    backend = await startBackend()
  })
  afterAll(async () => {
    await program.end()
    await backend.close()
  })

  function start(stdout: 'pipe' | number) {
    const cwd = filesOf({ 'config.yaml': `${yamlOf(backend.url)}log: { format: json }\n` })
    const env = childEnv({ SVCCTL_TOKEN: TOKEN })
    const child = spawn(process.execPath, [program.main, 'serve'], { cwd, env, stdio: ['ignore', stdout, 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }

  const urlIn = (text: string): string => /"listen":"([^"]+)"/.exec(text)?.[1] ?? ''

  it('goes on, and ends, while nobody reads what it prints', async () => {
    const child = start('pipe')
    const { stdout } = child
    if (!stdout) throw new Error('its output is a pipe')
    const [first] = (await once(stdout, 'data')) as [Buffer]
    stdout.pause()
    const url = urlIn(first.toString())

    // 400 KB of lines: twice what the kernel keeps for who does not read.
    for (let n = 0; n < 30; n++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => fetch(`${url}/v1/${'nothing'.repeat(60)}`).then(({ status }) => status)),
      )
      // An address may ask so often for what is not there.
      expect([404, 429]).toEqual(expect.arrayContaining(answers))
    }
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect((await ended)[0]).toBe(0)
  })

  it('prints nothing else, also into a file, in which the last line is whole', async () => {
    const dir = temporaryFolder('svc-log')
    const file = join(dir, 'log')
    const child = start(openSync(file, 'w'))
    let stderr = ''
    child.stderr?.on('data', bytes => (stderr += bytes))
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('"listen"')
    const url = urlIn(readFileSync(file, 'utf8'))
    for (let n = 0; n < 5; n++) await fetch(`${url}/v1/models/${KEY}`)
    child.kill('SIGHUP')
    await expect.poll(() => stderr).toContain('nothing to reload')
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended

    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    const messages = lines.map(line => JSON.parse(line).msg)
    expect(messages).toEqual(['serving', ...Array(5).fill('request'), 'stopping'])
    expect(lines.join()).not.toContain(KEY.slice(0, 20))
    for (const line of stderr.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('level')
  })
})
