import { expect, onTestFinished } from 'vitest'
import { registerDoctor } from '../../../src/cli/doctor/doctor.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import {
  answer,
  type Backend,
  type Behaviour,
  json,
  MODEL,
  sse,
  startBackend,
  status,
  stream,
} from '../../support/backend.ts'
import { runCommand } from '../run-command.ts'
import { keptFilesOf } from '../site.ts'

/** A finding of `svcctl doctor --json`. */
export interface Found {
  readonly check: string
  readonly subject: string
  readonly state: 'ok' | 'warning' | 'problem'
  readonly text: string
  readonly hint: string | null
  readonly replicas?: { readonly fit: number; readonly of: number }
}

/** Keys that no output may hold. */
export const KEY = 'sk-doctor-0123456789abcdef'
export const PASSWORD = 'redis-pass/word-42'

/** A backend that answers until the test is over. */
export async function startReplica(): Promise<Backend> {
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  return backend
}

/** A backend's answers to doctor; each is correct by default. */
export interface Answers {
  readonly models?: Behaviour
  readonly whole?: Behaviour
  readonly stream?: Behaviour
  /** Answers to requests for several choices, whole and streamed. */
  readonly choices?: Behaviour
  readonly call?: Behaviour
  readonly vector?: Behaviour
  readonly picture?: Behaviour
}

const CALL = { id: 'call_1', name: 'report_health', arguments: '{"healthy":true}' }
/** The first bytes of a PNG, and a few more. */
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]).toString('base64')

export const listOf = (...models: readonly object[]): Behaviour => json({ object: 'list', data: models })
export const vectorOf = (size: number): Behaviour =>
  json({ object: 'list', data: [{ index: 0, embedding: Array(size).fill(0.5) }], usage: { prompt_tokens: 1 } })

/** Answers with so many choices of twenty words as far as the cap leaves room, and the usage of so many of them. */
export function choicesOf(terms: {
  readonly made: number
  readonly counted: number
  readonly finish?: string
}): Behaviour {
  const { made, counted, finish = 'length' } = terms
  return exchange => {
    const { stream, max_tokens: cap } = exchange.seen.body
    const words = finish === 'length' ? Number(cap) / 2 : 20
    const tokens = finish === 'length' ? Number(cap) : 20
    const usage = { prompt_tokens: 9, completion_tokens: counted * tokens, total_tokens: 9 + counted * tokens }
    const content = 'one '.repeat(words)
    const indexes = Array.from({ length: made }, (_, index) => index)
    if (stream !== true) {
      const message = { role: 'assistant', content }
      const choices = indexes.map(index => ({ index, message, finish_reason: finish }))
      return json({ id: 'c', object: 'chat.completion', created: 1, model: MODEL, choices, usage })(exchange)
    }
    const event = (value: object) => `data: ${JSON.stringify({ id: 'c', model: MODEL, ...value })}\n\n`
    const chunks = indexes.map(index => event({ choices: [{ index, delta: { content }, finish_reason: finish }] }))
    return sse(`${chunks.join('')}${event({ choices: [], usage })}data: [DONE]\n\n`)(exchange)
  }
}

/** Has a backend answer each question of the doctor in its own way. */
export function script(backend: Backend, answers: Answers = {}): Backend {
  const {
    models = listOf({ id: 'test-model' }),
    whole = answer({ content: 'ok' }),
    choices = choicesOf({ made: 2, counted: 2 }),
    call = answer({ content: null, toolCalls: [CALL] }),
    vector = vectorOf(768),
    picture = json({ created: 1, data: [{ b64_json: PNG }] }),
  } = answers
  backend.probed(models)
  backend.always(exchange => {
    const { path, body } = exchange.seen
    if (path === '/v1/embeddings') return vector(exchange)
    if (path === '/v1/images/generations') return picture(exchange)
    if (path !== '/v1/chat/completions') return status(404)(exchange)
    if (body.n !== undefined) return choices(exchange)
    if (body.stream === true) return (answers.stream ?? stream({ chunks: ['ok'] }))(exchange)
    return (body.tools ? call : whole)(exchange)
  })
  return backend
}

/** A configuration of one pool of each kind; its plan has a tool. */
export const filesOf = (chats: readonly string[], more: Partial<Record<'pool' | 'main' | 'pools', string>> = {}) => ({
  'config.yaml': `version: 1
server: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", public_url: http://localhost, state_dir: ./state }
store: embedded:./state/store
plans: { pro: { models: all, tools: all, rpm: 10k, tpm: 100M, monthly_usd: 20 } }
models:
  svc-core: { kind: chat, tier: guest, serve: [onprem], context: 32k, usd_per_1m: { input: 1, output: 10 } }
${more.main ?? ''}
hosted_tools: { calculator: { builtin: calculator } }
default_model: svc-core
pools:
  onprem: { site: on-premises, model: test-model, replicas: ${JSON.stringify(chats)}${more.pool ?? ''} }
${more.pools ?? ''}
`,
})

/** Runs `svcctl doctor` in a directory with these files. */
export async function doctor(
  files: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const cwd = keptFilesOf(files)
  onTestFinished(() => removeFolder(cwd))
  return { cwd, ...(await doctorIn(cwd, args, env)) }
}

export async function doctorIn(cwd: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const all = { FORCE_COLOR: '', CLOUD_KEY: KEY, REDIS_PASSWORD: PASSWORD, ...env }
  const ran = await runCommand(registerDoctor, ['doctor', ...args], { cwd, env: all })
  for (const secret of [KEY, PASSWORD, encodeURIComponent(PASSWORD)])
    expect(ran.stdout + ran.stderr).not.toContain(secret)
  return ran
}

/** The findings as programs read them. */
export async function found(...args: Parameters<typeof doctor>): Promise<readonly Found[]> {
  const [files, options = [], env] = args
  const { stdout, code } = await doctor(files, [...options, '--json'], env)
  const list: readonly Found[] = JSON.parse(stdout)
  expect(code).toBe(list.some(({ state }) => state === 'problem') ? 1 : 0)
  return list
}

/** The findings on pools only. */
export const foundOfPools = async (...args: Parameters<typeof doctor>): Promise<readonly Found[]> =>
  (await found(...args)).filter(({ check }) => check === 'pools')

/** A text in which what differs from run to run has a name. */
export const normal = (text: string, names: Readonly<Record<string, string>> = {}): string =>
  Object.entries(names)
    .reduce((said, [value, name]) => said.replaceAll(value, name), text)
    .replace(/\b\d+(\.\d+)? ms\b/g, 'N ms')
    .replaceAll(process.versions.node, 'NODE')
    .replaceAll(process.execPath, '/bin/node')
