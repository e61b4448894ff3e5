import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { registerModels } from '../../../src/cli/models/models.ts'
import { configText } from '../../../src/cli/show/run.ts'
import { registerShow } from '../../../src/cli/show/show.ts'
import { configFile } from '../../../src/config/check/check.ts'
import { load } from '../../../src/config/load.ts'
import type { Loaded } from '../../../src/config/settings.ts'
import { loadFiles } from '../../config/files.ts'
import { runCommand } from '../run-command.ts'
import { filesOf } from '../site.ts'

const cwd = fileURLToPath(new URL('../golden', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))
const secrets = {
  REDIS_PASSWORD: 'secret-of-redis',
  GUEST_SECRET: 'secret-of-guests'.repeat(3),
  CLOUD_KEY: 'secret-of-cloud',
  DOCS_KEY: 'secret-of-docs',
}
const run = (...args: string[]) =>
  runCommand(args[0] === 'show' ? registerShow : registerModels, args, { cwd, env: secrets })

test.each([
  ['show.txt', ['show']],
  ['show.json.txt', ['show', '--json']],
  ['matrix.txt', ['show', '--matrix']],
  ['matrix.json.txt', ['show', '--matrix', '--json']],
  ['models.txt', ['models']],
  ['models.json.txt', ['models', '--json']],
])('%s is what svcctl prints, without a secret', async (file, args) => {
  const { code, stdout, stderr } = await run(...args)

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  await expect(stdout.replaceAll(cwd, '/dir')).toMatchFileSnapshot(`../golden/${file}`)
  expect(stdout).not.toMatch(/secret-of/)
})

test('show --json is a main file of the same schema', async () => {
  const { stdout } = await run('show', '--json')

  expect(
    configFile.errorsIn(JSON.parse(stdout)).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`),
  ).toEqual(['/guests/secret format', '/pools/cloud/key format', '/hosted_tools/docs_search/key format'])
})

test('show and show --json say the same', async () => {
  const [text, json] = [await run('show'), await run('show', '--json')]

  expect(parse(text.stdout)).toEqual(JSON.parse(json.stdout))
})

test('show shows what has a name, under its section, as the whole has it', async () => {
  const whole = JSON.parse((await run('show', '--json')).stdout)
  const [plan] = Object.keys(whole.plans)
  const [route] = whole.routes

  expect(JSON.parse((await run('show', '--json', plan ?? '')).stdout)).toMatchObject({
    plans: { [plan ?? '']: whole.plans[plan ?? ''] },
  })
  expect(parse((await run('show', route.name)).stdout).routes).toEqual([route])
  expect(JSON.parse((await run('show', '--json', 'limits')).stdout)).toEqual({ limits: whole.limits })
})

test('show of a name that nothing has says which there are', async () => {
  const { code, stdout, stderr } = await run('show', 'nothing-of-this-name')

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^nothing in the configuration is named `nothing-of-this-name` \(known: `/)
})

/** Everything that is known of a configuration but where it stands, and by which entry a plan includes what. */
const comparable = ({ config, settings }: Loaded) => {
  const bare = (key: string, value: unknown): unknown => {
    if (['at', 'fields', 'by', 'revision'].includes(key)) return undefined
    if (value instanceof Map) return Object.fromEntries([...value].sort(([a], [b]) => (a < b ? -1 : 1)))
    return value
  }
  return JSON.parse(JSON.stringify({ config, settings }, bare))
}

test('what show prints of the shipped configuration is that configuration', () => {
  const shipped = load('config.example.yaml', { CLOUD_KEY: 'a-key' }, root)
  if (!shipped.ok) throw new Error('the shipped configuration has a problem')

  const text = configText(shipped.loaded).replaceAll('"[redacted]"', `\${CLOUD_KEY}`)
  const again = loadFiles({ 'config.yaml': text }, { CLOUD_KEY: 'a-key' })

  expect(again.ok ? [] : again.problems).toEqual([])
  if (again.ok) expect(comparable(again.loaded)).toEqual(comparable(shipped.loaded))
})

/** Many plans that include many models by their tiers. */
function manyOf(count: number): string {
  const lines = (entry: (n: number) => string) => Array.from({ length: count }, (_, n) => `  ${entry(n)}\n`).join('')
  return `version: 1
plans:
${lines(n => `p${n}: { models: [tier:t${n % 3}, tier:t${(n + 1) % 3}, m${(n + 2) % count}], rpm: ${n + 1}, tpm: 1k, monthly_usd: 1 }`)}models:
${lines(n => `m${n}: { kind: chat, tier: t${n % 3}, serve: [a], context: 8k, usd_per_1m: { input: 1, output: 1 } }`)}default_model: m0
pools: { a: { site: here, model: x, replicas: ["http://10.0.0.1/v1"] } }
`
}

test('show of a large configuration prints an entry a line, which is that configuration, and --full all of it', async () => {
  const cwd = filesOf({ 'config.yaml': manyOf(120) })
  const large = load('config.yaml', {}, cwd)
  if (!large.ok) throw new Error('the configuration has a problem')
  const shown = async (...args: string[]) => (await runCommand(registerShow, ['show', ...args], { cwd })).stdout

  const brief = await shown()
  const again = loadFiles({ 'config.yaml': brief }, {})
  if (!again.ok) throw new Error(brief)
  expect(comparable(again.loaded)).toEqual(comparable(large.loaded))
  expect(brief.split('\n').length).toBeLessThan(2 * 120 + 120)
  expect(parse(brief).plans.p1.models).toEqual(['tier:t1', 'tier:t2', 'm3'])
  expect(parse(await shown('--full')).plans.p1.models).toHaveLength(81)
  expect(parse(await shown('p1')).plans.p1.models).toHaveLength(81)
})

test('show has what is kept of responses, and none of the keys that encrypt it', () => {
  const files = { 'config.yaml': RESPONSES }
  const loaded = loadFiles(files, { NEW: 'secret-of-new'.padEnd(43, 'A'), OLD: 'secret-of-old'.padEnd(43, 'A') })
  if (!loaded.ok) throw new Error('the configuration has a problem')

  const text = configText(loaded.loaded)

  expect(parse(text).responses).toEqual({
    keep: '1d',
    key: '[redacted]',
    former_key: '[redacted]',
    max_bytes_per_account: '16MB',
    max_responses_per_account: 1000,
    max_bytes_total: '1000MB',
    guests: false,
  })
  expect(text).not.toMatch(/secret-of/)
})

const RESPONSES = `
version: 1
responses: { keep: 24h, key: "\${NEW}", former_key: "\${OLD}" }
plans: { pro: { models: all, rpm: 1, tpm: 1k, monthly_usd: 1 } }
models: { m: { kind: chat, tier: t, serve: [p], context: 1k, max_output: 100, usd_per_1m: { input: 1, output: 1 } } }
default_model: m
pools: { p: { site: on-premises, model: m, replicas: ["http://10.0.0.1/v1"] } }
`

test.each([['show'], ['models']])(
  '%s of a configuration with a problem shows it on stderr, and exits 1',
  async command => {
    const broken = filesOf({ 'config.yaml': 'version: 1\nnonsense: 1\n' })

    const { code, stdout, stderr } = await runCommand(command === 'show' ? registerShow : registerModels, [command], {
      cwd: broken,
    })

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('unknown field `nonsense`')
  },
)
