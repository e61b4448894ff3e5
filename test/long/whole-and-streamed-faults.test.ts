import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { load } from '../../src/config/load.ts'
import { mintKey } from '../../src/gateway/accounts/accounts.ts'
import type { RunningGateway } from '../../src/server/compose/gateway.ts'
import { startSingle } from '../../src/server/compose/single.ts'
import { world } from '../../src/server/world.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import {
  answer,
  type Backend,
  type Behaviour,
  contextTooLong,
  cutBody,
  errorFrame,
  garbledStream,
  halfThenHang,
  hang,
  headersThenHang,
  json,
  malformed,
  refusal,
  sse,
  startBackend,
  status,
  stream,
  streamThenReset,
} from '../support/backend.ts'

const TEXT = 'The answer is whole.'
const PIECES = ['The ', 'answer ', 'is ', 'whole.']
/** How long a client waits before it gives up. */
const PATIENCE_MS = 45_000

const good: Behaviour = exchange => {
  const model = String(exchange.seen.body.model)
  const asked =
    exchange.seen.body.stream === true ? stream({ chunks: PIECES, model }) : answer({ content: TEXT, model })
  return asked(exchange)
}
const completion = {
  model: 'primary',
  choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
}

/** The first pool's behaviour, in whole answers and in streams; the second pool answers. */
interface Scenario {
  readonly id: string
  readonly fault: string
  readonly whole: Behaviour
  readonly streamed: Behaviour
}
const both = (id: string, fault: string, behaviour: Behaviour): Scenario => ({
  ...{ id, fault, whole: behaviour, streamed: behaviour },
})

const scenarios: readonly Scenario[] = [
  both('F01', 'a bare 429', refusal(429, { message: 'slow down' })),
  both('F02', '429, Retry-After: 1', refusal(429, { message: 'slow down' }, { 'retry-after': '1' })),
  both('F03', '429, Retry-After: 60', refusal(429, { message: 'slow down' }, { 'retry-after': '60' })),
  both('F04', '503', status(503, 'unavailable')),
  both('F05', '400, served elsewhere', refusal(400, { message: 'no such model', code: 'model_not_found' })),
  both('F06', 'hangs before its headers', hang),
  { id: 'F07', fault: 'hangs before its first token', whole: halfThenHang(completion), streamed: headersThenHang },
  {
    ...{ id: 'F08', fault: 'cut in the middle' },
    whole: cutBody(completion),
    streamed: streamThenReset({ chunks: PIECES.slice(0, 2) }),
  },
  {
    ...{ id: 'F09', fault: 'an error inside a 200' },
    whole: json({ error: { message: 'out of memory', code: 500 } }),
    streamed: errorFrame({ message: 'out of memory', code: 500 }),
  },
  {
    id: 'F10',
    fault: 'truncated JSON',
    whole: malformed,
    streamed: garbledStream(PIECES.slice(0, 2), PIECES.slice(2)),
  },
  { id: 'F11', fault: 'empty', whole: status(200, ''), streamed: sse('data: [DONE]\n\n') },
  {
    ...{ id: 'F12', fault: 'a slow trickle' },
    whole: async exchange => {
      await sleep(1500)
      await good(exchange)
    },
    streamed: exchange => stream({ chunks: PIECES, gapMs: 500, model: String(exchange.seen.body.model) })(exchange),
  },
  both('F13', 'a wrong content type', status(200, '<html>hello</html>', { 'content-type': 'text/html' })),
  both('F14', 'the context is too long', contextTooLong),
  both('F15', 'the key is refused', refusal(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' })),
  both('F16', 'an outage that ends', status(503, 'unavailable')),
]

const settings = [
  { name: 'defaults', plan: 'plain', fields: '' },
  { name: 'commit: complete', plan: 'held', fields: '' },
  {
    ...{ name: 'tuned', plan: 'held' },
    fields:
      ', headers_timeout: 3s, first_content_timeout: 3s, idle_timeout: 3s, answer_timeout: 4s, wait_for_retry_after: 2s, eject: { after: 3, for: 1s }',
  },
] as const

/** `safe` is an error that says so, or an answer that was given up: no success that is none. */
type Verdict = 'pass' | 'safe' | 'FAIL'

interface Run extends Scenario {
  readonly setting: (typeof settings)[number]
  readonly mode: 'whole' | 'streamed'
  readonly model: string
  readonly primary: Backend
  readonly secondary: Backend
}

const backends: Backend[] = []
let dir = ''
let gateway: RunningGateway
let keys: Readonly<Record<string, string>>
let runs: readonly Run[]

beforeAll(async () => {
  const open = async (behaviour: Behaviour) => {
    const backend = await startBackend()
    backend.always(behaviour)
    backends.push(backend)
    return backend
  }
  const wanted = scenarios.flatMap(each =>
    settings.flatMap(setting => (['whole', 'streamed'] as const).map(mode => ({ ...each, setting, mode }))),
  )
  runs = await Promise.all(
    wanted.map(async (each, n) => ({
      ...each,
      model: `svc-m${n}`,
      primary: await open(each[each.mode]),
      secondary: await open(good),
    })),
  )
  dir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const file = join(dir, 'config.yaml')
  writeFileSync(file, yamlOf())
  const loaded = load(file, {}, dir)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  gateway = await startSingle(loaded.loaded, world, {
    adminToken: 'bench',
    log: () => {},
    alarm: () => {},
    main: file,
  })
  const mint = async (plan: string) =>
    (await mintKey(gateway.store.keys, randomBytes, { brand: 'svc', label: plan, plan, most: 1, by: 'bench' })).value ??
    ''
  keys = { plain: await mint('plain'), held: await mint('held') }
})

afterAll(async () => {
  await gateway.close(0)
  await Promise.all(backends.map(backend => backend.close()))
  await removeFolder(dir)
})

function yamlOf(): string {
  const model = ({ model: name }: Run) =>
    `  ${name}: { kind: chat, tier: guest, serve: [${name}-a, ${name}-b], context: 128k, usd_per_1m: { input: 1, output: 1 } }`
  const pool = (name: string, { url }: Backend, context: string, more: string) =>
    `  ${name}: { site: x, model: ${name}, replicas: ["${url}"], context: ${context}${more} }`
  const pools = ({ model: name, primary, secondary, setting: { fields } }: Run) =>
    [pool(`${name}-a`, primary, '8k', fields), pool(`${name}-b`, secondary, '128k', fields)].join('\n')
  return `
version: 1
server: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", public_url: http://localhost, state_dir: ${dir} }
store: embedded:${dir}/store
plans:
  plain: { models: all, rpm: 100k, tpm: 100M, monthly_usd: 1000 }
  held: { models: all, rpm: 100k, tpm: 100M, monthly_usd: 1000, commit: complete }
models:
${runs.map(model).join('\n')}
default_model: svc-m0
pools:
${runs.map(pools).join('\n')}
`
}

interface Said {
  readonly verdict: Verdict
  readonly upstream?: string
}

async function ask({ model, mode, setting }: Run): Promise<Said> {
  try {
    const response = await fetch(`http://127.0.0.1:${gateway.listen.port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[setting.plan]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream: mode === 'streamed', messages: [{ role: 'user', content: 'Hello' }] }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const text = await response.text()
    if (response.status !== 200) return { verdict: response.headers.has('x-svc-error-code') ? 'safe' : 'FAIL' }
    const said = mode === 'streamed' ? saidInStream(text) : saidWhole(text)
    if (said === undefined) return { verdict: 'safe' }
    const upstream = response.headers.get('x-svc-upstream') ?? ''
    // The model of an answer is that of the pool that gave it. Headers that went out early name the pool of then.
    const isHonest = said.model.startsWith(`${model}-`) && (mode === 'streamed' || said.model === upstream)
    return { verdict: said.text === TEXT && isHonest ? 'pass' : 'FAIL', upstream: said.model }
  } catch {
    // The client lost its patience, or its connection: it took nothing for an answer.
    return { verdict: 'safe' }
  }
}

interface Answer {
  readonly model: string
  readonly text: string
}

function saidWhole(text: string): Answer {
  const { model, choices } = JSON.parse(text) as { model: string; choices: { message: { content: string } }[] }
  return { model, text: choices[0]?.message.content ?? '' }
}

/** Undefined for a stream that says itself that it is not whole. */
function saidInStream(text: string): Answer | undefined {
  const events = text.split('\n\n').flatMap(event => (event.startsWith('data: ') ? [event.slice(6)] : []))
  if (events.at(-1) !== '[DONE]') return undefined
  const chunks = events
    .slice(0, -1)
    .map(each => JSON.parse(each) as { model: string; choices: { delta: { content?: string } }[] })
  return {
    model: chunks[0]?.model ?? '',
    text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''),
  }
}

/** Fails until it is ejected, then is well again: it serves before long. */
async function recovers(run: Run): Promise<Verdict> {
  for (let n = 0; n < 6; n++) if ((await ask(run)).verdict !== 'pass') return 'FAIL'
  run.primary.always(good)
  for (const end = performance.now() + 15_000; performance.now() < end; await sleep(250)) {
    const { verdict, upstream } = await ask(run)
    if (verdict !== 'pass') return verdict
    if (upstream === `${run.model}-a`) return 'pass'
  }
  return 'safe'
}

/** The worst of three in a row: a lesson from the first must not spoil the others. */
async function judged(run: Run): Promise<Verdict> {
  if (run.id === 'F16') return recovers(run)
  const verdicts: Verdict[] = []
  for (let n = 0; n < 3 && !verdicts.some(each => each !== 'pass'); n++) verdicts.push((await ask(run)).verdict)
  return verdicts.find(each => each !== 'pass') ?? 'pass'
}

it('at defaults no fault reads as a success, and tuned every one of sixteen is survived', async () => {
  const found = await Promise.all(runs.map(async run => ({ ...run, verdict: await judged(run) })))

  const of = (id: string, name: string, mode: string) =>
    found.find(each => each.id === id && each.setting.name === name && each.mode === mode)?.verdict ?? ''
  const columns = settings.flatMap(({ name }) => [`${name}, whole`, `${name}, streamed`])
  const lines = scenarios.map(({ id, fault }) =>
    [
      id,
      fault.padEnd(29),
      ...columns.map(each => of(id, ...(each.split(', ') as [string, string])).padEnd(each.length)),
    ].join('  '),
  )
  console.log(['     '.concat('what the first pool does'.padEnd(31), columns.join('  ')), ...lines].join('\n'))
  expect(
    found.filter(({ verdict }) => verdict === 'FAIL').map(({ id, mode, setting }) => [id, mode, setting.name]),
  ).toEqual([])
  const tuned = found.filter(({ setting, verdict }) => setting.name === 'tuned' && verdict !== 'pass')
  expect(tuned.map(({ id, mode }) => [id, mode])).toEqual([])
})
