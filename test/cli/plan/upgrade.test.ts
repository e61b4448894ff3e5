import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { registerPlan } from '../../../src/cli/plan/plan.ts'
import type { Profile, ProviderName } from '../../../src/policy/providers/profile.ts'
import { PROFILES } from '../../../src/policy/providers/profiles.ts'
import { version } from '../../../src/server/version.ts'
import { compileProgram, type Program } from '../program.ts'
import { runCommand } from '../run-command.ts'
import { filesOf, type Site, startSite } from '../site.ts'

// The gateway is a process with the real table. svcctl runs in this process, where the tests change the table.

let program: Program
beforeAll(() => {
  program = compileProgram()
}, 60_000)
afterAll(() => program.end())

const rows = { ...PROFILES }
afterEach(() => Object.assign(PROFILES, rows))

const ROW: Partial<Record<ProviderName, Profile['facts']>> = {
  fireworks: {},
  mistral: {
    cap: [{ is: 'max_completion_tokens', source: ['owner/mistral#1'] }],
    callIds: rows.mistral.facts.callIds ?? [],
    drops: [{ is: ['seed', 'min_p'], source: ['owner/mistral#2'] }],
    developerRole: [{ is: false, models: ['large*'], source: ['owner/mistral#3'] }],
    firstContentTimeout: [{ is: 90_000, source: ['https://mistral.example/thinking', 'owner/mistral#4'] }],
  },
}

function changeTable(): void {
  for (const [name, facts] of Object.entries(ROW))
    Object.assign(PROFILES, { [name]: { ...PROFILES[name as ProviderName], facts } })
}

const YAML = `version: 1
server: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", public_url: http://localhost, state_dir: ./state }
store: embedded:./state/store
plans: { pro: { models: all, rpm: 10k, tpm: 100M, monthly_usd: 20 } }
models:
  m: { kind: chat, tier: guest, serve: [large, written, tiny, other], context: 32k, usd_per_1m: { input: 1, output: 10 } }
  e: { kind: embedding, tier: guest, serve: [vectors], context: 8k, usd_per_1m: { input: 1 } }
default_model: m
pools:
  large: { site: x, model: large-2, provider: mistral, replicas: ["http://127.0.0.1:9/v1"] }
  written: { site: x, model: small, provider: { is: mistral, drops: [min_p] }, cap: max_tokens, first_content_timeout: 5s, replicas: ["http://127.0.0.1:9/v1"] }
  tiny: { site: x, model: small, provider: mistral, replicas: ["\${SOMEWHERE:-http://127.0.0.1:9/v1}"] }
  other: { site: x, model: small, replicas: ["http://127.0.0.1:9/v1"] }
  vectors: { site: x, model: embed, provider: mistral, replicas: ["http://127.0.0.1:9/v1"] }
`

const files = () => filesOf({ 'config.yaml': YAML, 'next.yaml': YAML.replace('rpm: 10k', 'rpm: 5k') })

const plan = ({ dir, env }: Site, args: readonly string[] = [], more: Readonly<Record<string, string>> = {}) =>
  runCommand(registerPlan, ['plan', '-c', 'config.yaml', ...args], {
    cwd: dir,
    env: { ...env, FORCE_COLOR: '', NO_COLOR: '1', ...more },
  })

const GAINED = 'min_p'
const LOST = (rows.mistral.facts.drops ?? []).flatMap(({ is }) => is).filter(each => each !== 'seed' && each !== GAINED)

it('plan lists the facts of each pool that another table changes, with their sources', async () => {
  const site = await startSite(program, files(), 'config.yaml')
  changeTable()

  const { code, stdout, stderr } = await plan(site, ['--exit-code'])

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lost = `provider.drops loses ${LOST.join(', ')}`
  const [first, ...lines] = stdout.trimEnd().split('\n')
  expect(first).toMatch(/^no change in meaning against revision [0-9a-f]{12}$/)
  expect(lines.map(line => line.replace(/ {2,}(?=\S+$)/, '  '))).toEqual([
    '',
    `Provider profiles once the gateway runs this build of ${version}`,
    '  · pool large: cap max_tokens → max_completion_tokens  owner/mistral#1',
    '  · pool large: first_content_timeout 30s → 90s  https://mistral.example/thinking',
    `  · pool large: ${lost}`,
    '  · pool large: provider.stream_options false → true',
    '  · pool large: provider.thoughts parts → member',
    '  · pool large: provider.developer_role true → false  owner/mistral#3',
    `  · pool written: ${lost}`,
    '  · pool written: provider.stream_options false → true',
    '  · pool written: provider.thoughts parts → member',
    '  · pool tiny: cap max_tokens → max_completion_tokens  owner/mistral#1',
    '  · pool tiny: first_content_timeout 30s → 90s  https://mistral.example/thinking',
    `  · pool tiny: ${lost}`,
    '  · pool tiny: provider.stream_options false → true',
    '  · pool tiny: provider.thoughts parts → member',
  ])
})

it('plan lists no facts if the table is the same, whatever changes in the files', async () => {
  const site = await startSite(program, files(), 'config.yaml')

  const same = await plan(site)
  const json = await plan(site, ['-c', 'next.yaml', '--json'])

  expect(same.stdout).toMatch(/^no change in meaning against revision [0-9a-f]{12}\n$/)
  expect(JSON.parse(json.stdout)).toMatchObject({
    changes: [{ field: 'rpm' }],
    upgrade: { from: version, to: version, changes: [], uncompared: [] },
  })
})

it('the other formats list the same facts beside the changes of the files', async () => {
  const site = await startSite(program, files(), 'config.yaml')
  changeTable()
  const formatted = async (format: string) => (await plan(site, ['-c', 'next.yaml', '--format', format])).stdout

  const { upgrade } = JSON.parse(await formatted('json'))
  const github = await formatted('github')
  const markdown = await formatted('markdown')

  expect(upgrade.changes).toContainEqual({
    pool: 'large',
    field: 'provider.developer_role',
    ...{ from: 'true', to: 'false' },
    text: 'pool large: provider.developer_role true → false',
    sources: ['owner/mistral#3'],
  })
  expect(upgrade.changes).toContainEqual({
    pool: 'tiny',
    field: 'first_content_timeout',
    ...{ from: '30s', to: '90s' },
    text: 'pool tiny: first_content_timeout 30s → 90s',
    sources: ['https://mistral.example/thinking', 'owner/mistral#4'],
  })
  expect(github).toContain(
    `::notice title=provider profiles::Provider profiles once the gateway runs this build of ${version}: pool large: provider.developer_role true → false\n`,
  )
  expect(markdown).toContain('pool large: provider.developer_role true → false  (owner/mistral#3)\n')
})

it('a pool whose addresses differ in this shell is named and not compared', async () => {
  const site = await startSite(program, files(), 'config.yaml')
  changeTable()

  const { stdout, stderr } = await plan(site, ['--json'], { SOMEWHERE: 'http://127.0.0.1:10/v1' })

  expect(stderr).toBe(
    '▲ provider profiles are not compared for pools whose model or addresses differ in this shell: tiny\n',
  )
  const { changes, uncompared } = JSON.parse(stdout).upgrade
  expect(uncompared).toEqual(['tiny'])
  expect(changes.some(({ pool }: { pool: string }) => pool === 'tiny')).toBe(false)
})

it('with --against both sides have the table of this version', async () => {
  const dir = files()
  changeTable()

  const { stdout } = await runCommand(registerPlan, ['plan', '-c', 'next.yaml', '--against', 'config.yaml', '--json'], {
    cwd: dir,
  })

  expect(JSON.parse(stdout)).toMatchObject({ changes: [{ field: 'rpm' }], upgrade: null })
})
