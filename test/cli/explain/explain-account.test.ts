import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { registerAccounts } from '../../../src/cli/accounts/accounts.ts'
import { registerExplain } from '../../../src/cli/explain/explain.ts'
import { registerKeys } from '../../../src/cli/keys/keys.ts'
import type { ShownExplained } from '../../../src/wire/admin/explained.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { runHere } from '../here.ts'

// The check of a store is a process of its own, which runs compiled modules alone.
vi.mock('../../../src/server/store-check.ts', () => ({ refuseDamaged: async () => {} }))

let dir: string
let file: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-explain-'))
  file = join(dir, 'config.yaml')
  writeFileSync(
    file,
    `version: 1
server: { listen: 127.0.0.1:0, admin: 127.0.0.1:1, public_url: http://localhost, state_dir: ${dir} }
store: embedded:${dir}/store
plans:
  free: { models: [svc-core], tools: [clock], rpm: 20, tpm: 40k, monthly_usd: 1 }
  pro: { models: all, tools: all, rpm: 60, tpm: 400k, monthly_usd: 20 }
models:
  svc-core: { kind: chat, tier: basic, serve: [main], context: 32k, usd_per_1m: { input: 0.1, output: 0.4 } }
  svc-pro: { kind: chat, tier: premium, serve: [main], context: 32k, usd_per_1m: { input: 1, output: 4 } }
hosted_tools: { clock: { builtin: current_time }, calculator: { builtin: calculator } }
default_model: svc-core
pools:
  main: { site: here, model: m, replicas: ["http://127.0.0.1:1/v1"] }
`,
  )
  vi.stubEnv('SVCCTL_ADMIN', undefined)
  vi.stubEnv('SVCCTL_PROFILE', undefined)
})

afterEach(async () => {
  process.exitCode = undefined
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await removeFolder(dir)
})

const explain = (...options: string[]) => runHere(registerExplain, ['explain', '-c', file, ...options])
const asJson = async (...options: string[]): Promise<ShownExplained> =>
  JSON.parse((await explain(...options, '--json')).stdout)
const mint = (...options: string[]) =>
  runHere(registerKeys, ['keys', 'mint', '-c', file, '--account', 'ada', ...options, '--json'])

it('where no gateway runs, the store says what a request of an account would get, and that pools were not asked', async () => {
  await mint('--plan', 'free')

  const { stdout, exitCode } = await explain('--account', 'ada', '--chat', 'hi', '--max-tokens', '50', '--exit-code')

  const plain = stdout
    .replace(/acct_\w+/g, 'acct_X')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(dir, 'DIR')
  expect(`\n${plain}`).toMatchInlineSnapshot(`
    "
    POST /v1/chat/completions · no model named · ada (acct_X) · TIME

      1 who    ✓ acct_X on plan free                                DIR/config.yaml:5
      2 body   ✓ 1 message, at most 22 input tokens, 50 output                         DIR/config.yaml:8
      3 model  ✓ none named, so svc-core                                               DIR/config.yaml:8
      4 route  · no route applies
      5 gate   ✓ plan free includes svc-core by svc-core                               DIR/config.yaml:5
      6 rate   ✓ 0 of 20 requests a minute, 0 of 40000 tokens a minute (this one: 72)  DIR/config.yaml:5
      7 quota  ✓ $0 of $1 used, this one: $0.0000222 at most                           DIR/config.yaml:5
      8 send   ✓ main                                                                  DIR/config.yaml:8

    served · svc-core · main · max_tokens 50 · reserves $0.0000222 at most

    LIMIT                KEY  MOST   USED   RESERVED  LEFT   RESETS
    requests per minute       20     0      0         20     -
    tokens per minute         40000  0      0         40000  -
    usd per month             $1.00  $0.00  $0.00     $1.00  TIME

    Price: $0.10 for 1M input tokens, $0.40 for 1M output tokens

    Hosted tools: clock; not in the plan: calculator

    ▲ No gateway runs, so every pool counts as healthy.
    "
  `)
  expect(exitCode).toBe(0)
})

it('a refusal ends with exit code 1 where it is asked for, and names what would help', async () => {
  await mint('--plan', 'free')

  const { stdout, exitCode } = await explain('--account', 'ada', '--model', 'svc-pro', '--exit-code')

  expect(stdout).toContain('✗ plan free does not include svc-pro, which is tier premium')
  expect(stdout).toContain('429 rate_limit_exceeded, plan_limit')
  expect(exitCode).toBe(1)
})

it('tools, streams and whole bodies are asked about as they are sent', async () => {
  await mint('--plan', 'free')
  const body = join(dir, 'body.json')
  writeFileSync(body, JSON.stringify({ model: 'svc-core', input: 'Hello', max_output_tokens: 30 }))

  expect(await asJson('--account', 'ada', '--tool', 'calculator')).toMatchObject({ answer: { status: 429 } })
  expect(await asJson('--account', 'ada', '--tool', 'clock', '--stream')).toMatchObject({ verdict: 'allow' })
  expect(await asJson('--account', 'ada', '--body', body, '--path', '/v1/responses')).toMatchObject({
    path: '/v1/responses',
    verdict: 'allow',
    max_tokens: 30,
  })
})

it('a key is named by its id, and is refused once its account is frozen', async () => {
  const { id } = JSON.parse((await mint('--plan', 'free')).stdout) as { readonly id: string }
  expect(await asJson('--key', id)).toMatchObject({ verdict: 'allow', key: { id } })

  await runHere(registerAccounts, ['accounts', 'freeze', 'ada', '-c', file, '--yes'])

  expect(await asJson('--key', id)).toMatchObject({ verdict: 'deny', answer: { status: 403 } })
})

it.each<[string, string[], string]>([
  ['the value of a key', ['--key', 'svc_0123456789abcdef'], 'takes the id of a key'],
  ['an address without a key', ['--account', 'ada', '--address', '10.0.0.1'], '--address needs --key'],
  ['a path without a body', ['--account', 'ada', '--path', '/v1/messages'], '--path says where a --body is sent'],
  ['a plan beside an account', ['--account', 'ada', '--plan', 'pro'], 'cannot be used with option'],
  ['usage beside an account', ['--account', 'ada', '--usage', 'requests=3'], 'cannot be used with option'],
  ['an account and a key', ['--account', 'ada', '--key', 'key_1'], 'cannot be used with option'],
])('%s is wrong usage', async (_what, options, message) => {
  await expect(explain(...options)).rejects.toThrow(message)
})
