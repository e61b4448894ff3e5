import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerAccounts } from '../../src/cli/accounts/accounts.ts'
import { registerAudit } from '../../src/cli/audit/audit.ts'
import { registerKeys } from '../../src/cli/keys/keys.ts'
import { registerModels } from '../../src/cli/models/models.ts'
import { registerPools } from '../../src/cli/pools/pools.ts'
import { registerQuota } from '../../src/cli/quota/quota.ts'
import { registerReload } from '../../src/cli/reload/reload.ts'
import { registerRollback } from '../../src/cli/rollback/rollback.ts'
import { registerShow } from '../../src/cli/show/show.ts'
import { registerUsage } from '../../src/cli/usage/usage.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { compileProgram, type Program, type Running } from './program.ts'
import { runCommand } from './run-command.ts'
import { filesOf, keptFilesOf } from './site.ts'

/** A configuration with a secret in every place that can hold one. */
const yamlOf = (admin: number) => `version: 1
server: { listen: "127.0.0.1:0", admin: "\${ADMIN:-127.0.0.1:${admin}}", public_url: http://localhost, state_dir: ./state }
store: embedded:./state/store
metrics: { token: "\${METRICS_TOKEN}" }
guests: { plan: small, usd_per_day_total: 1, secret: "\${GUEST_SECRET}" }
include: [policies/*.yaml]
`
const POLICY = `plans:
  pro: { models: all, rpm: 60, tpm: 100k, monthly_usd: 20 }
  small: { models: [tier:guest], rpm: 6, tpm: 10k, monthly_usd: 1 }
models: { svc-core: { kind: chat, tier: guest, serve: [cloud], context: 32k, usd_per_1m: { input: 1, output: 10 } } }
default_model: svc-core
pools: { cloud: { site: cloud, model: m, replicas: ["\${CLOUD_URL}"], key: "\${CLOUD_KEY}" } }
`
const SECRETS = {
  METRICS_TOKEN: 'a-token-that-reads-metrics',
  GUEST_SECRET: 'what-the-keys-of-guests-are-derived-from',
  CLOUD_URL: 'http://127.0.0.1:1/v1',
  CLOUD_KEY: 'a-key-of-the-cloud',
}

let program: Program
let gateway: Running
let cwd: string
let port: number

beforeAll(async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as { port: number }).port
  server.close()
  program = compileProgram()
  cwd = keptFilesOf({ 'config.yaml': yamlOf(port), 'policies/all.yaml': POLICY })
  gateway = program.start(['serve'], { cwd, env: SECRETS })
  await gateway.until('Policy')
}, 60_000)

afterAll(async () => {
  await program.end()
  await removeFolder(cwd)
})

const COMMANDS: readonly (readonly [string, (program: Command) => void, readonly string[], RegExp])[] = [
  ['keys mint', registerKeys, ['keys', 'mint', '--plan', 'pro', '--account', 'ada'], /^svc_/],
  ['keys list', registerKeys, ['keys', 'list'], /ada/],
  ['accounts show', registerAccounts, ['accounts', 'show', 'ada'], /plan +pro/],
  ['pools', registerPools, ['pools'], /cloud/],
  ['usage', registerUsage, ['usage'], /TOTAL/],
  ['quota show', registerQuota, ['quota', 'show'], /ada/],
  ['audit', registerAudit, ['audit'], /mint/],
  ['rollback --list', registerRollback, ['rollback', '--list'], /serves/],
  ['reload', registerReload, ['reload'], /^$/],
]
const run = (register: (program: Command) => void, args: readonly string[], directory = cwd) =>
  runCommand(register, args, { cwd: directory })

describe('in a shell without any variable of the gateway', () => {
  it.each(COMMANDS)('%s speaks to the gateway that runs', async (_name, register, args, said) => {
    expect(await run(register, args)).toMatchObject({ code: 0, stdout: expect.stringMatching(said) })
  })

  it.each([
    ['models', registerModels, /svc-core/],
    ['show', registerShow, /svc-core/],
  ] as const)('%s tells what the files say, and which variables are not set', async (name, register, said) => {
    const { code, stdout, stderr } = await run(register, [name])

    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(said) })
    expect(stderr).toMatch(/CLOUD_KEY is not set/)
  })

  it('what is shown in place of a variable names it', async () => {
    expect((await run(registerShow, ['show'])).stdout).toContain('cloud-url.unset.invalid')
  })
})

describe.each([
  ['a mistake in a file that it includes', yamlOf, 'plans: { pro: [ }'],
  ['an unknown field of its own', (admin: number) => `${yamlOf(admin)}nonsense: 1\n`, POLICY],
  ['a quote that is not closed, behind what is needed', (admin: number) => `${yamlOf(admin)}brand: "svc\n`, POLICY],
  ['a limit that is none', (admin: number) => `${yamlOf(admin)}limits: { body: much }\n`, POLICY],
])('a configuration with %s', (_name, main, policy) => {
  it('still leads to the gateway that runs', async () => {
    // The folder that the running gateway keeps its token in.
    const text = main(port).replace('state_dir: ./state', `state_dir: ${join(cwd, 'state')}`)
    const directory = filesOf({ 'config.yaml': text, 'policies/all.yaml': policy })

    expect(await run(registerPools, ['pools'], directory)).toMatchObject({ code: 0 })
    expect(await run(registerKeys, ['keys', 'list'], directory)).toMatchObject({ code: 0 })
  })
})

describe('what is needed is asked for by its name', () => {
  const refused = async (main: string) => {
    const { code, stderr } = await run(registerPools, ['pools'], filesOf({ 'config.yaml': main }))
    return `${code} ${stderr}`
  }

  it('an admin address in a variable that is not set', async () => {
    const said = await refused(`version: 1\nserver: { admin: "\${WHERE}" }\npools: { a: { key: "\${CLOUD_KEY}" } }\n`)

    expect(said).toMatch(/^1 .*WHERE is not set/)
    expect(said).not.toContain('CLOUD_KEY')
  })

  it('an admin address that is none', async () => {
    expect(await refused('version: 1\nserver: { admin: here }\n')).toMatch(/^1 .*`here` is not a listen address/)
  })

  it('a mistake that may hide the address', async () => {
    expect(await refused('version: 1\nserver:\n  listen: "127.0.0.1:0\n  admin: 127.0.0.1:1\n')).toMatch(/^1 .*quote/)
  })

  it('a file that is not there', async () => {
    const { code, stderr } = await run(registerPools, ['pools'], filesOf({}))

    expect(`${code} ${stderr}`).toMatch(/^1 .*there is no file `config.yaml`/)
  })
})

describe('where no gateway runs', () => {
  const stopped = () => filesOf({ 'config.yaml': yamlOf(1), 'policies/all.yaml': POLICY })

  it('the store is opened without the secrets of backends', async () => {
    const env = { GUEST_SECRET: SECRETS.GUEST_SECRET }

    expect(await runCommand(registerKeys, ['keys', 'list'], { cwd: stopped(), env })).toMatchObject({ code: 0 })
  })

  it('but not without the secret that keys of guests are derived from, which is named', async () => {
    const { code, stderr } = await run(registerKeys, ['keys', 'list'], stopped())

    expect(code).toBe(1)
    expect(stderr).toContain('GUEST_SECRET is not set')
    expect(stderr).not.toContain('CLOUD_KEY')
  })
})
