import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeFolder } from '../lanes/remove-folder.ts'
import type { Program, Running } from './program.ts'

const TOKEN = 'cli-admin-token'

/** A `svcctl serve` of its own, on files of its own. */
export interface Site {
  readonly dir: string
  readonly gateway: Running
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  write(name: string, text: string): void
  /** A key of a fresh account, on the plan `pro` unless another one is named. */
  key(account?: string, plan?: string): Promise<string>
  chat(key: string, body?: object): Promise<Response>
}

export const yamlOf = (backend: string, more = ''): string => `version: 1
server: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", public_url: http://localhost, state_dir: ./state${more} }
store: embedded:./state/store
plans: { pro: { models: all, rpm: 10k, tpm: 100M, monthly_usd: 20 } }
models:
  svc-core: { kind: chat, tier: guest, serve: [onprem], context: 32k, usd_per_1m: { input: 1, output: 10 } }
default_model: svc-core
pools: { onprem: { site: on-premises, model: test-model, replicas: ["${backend}"] } }
limits: { shed_load: false } # what these tests hold is no matter of how busy the machine is
`

/** A directory with files that goes when the test is over. */
export function filesOf(files: Readonly<Record<string, string>>): string {
  const dir = keptFilesOf(files)
  onTestFinished(() => removeFolder(dir))
  return dir
}

/** A directory with files that stays until somebody removes it. */
export function keptFilesOf(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-cli-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  return dir
}

/** Starts `svcctl serve` on a configuration of this directory, and ends it with the test. */
export function startSite(program: Program, dir: string, config: string, ...options: string[]): Promise<Site> {
  const gateway = serve(program, dir, config, ...options)
  onTestFinished(async () => void (await gateway.end('SIGKILL')))
  return siteOf(dir, gateway)
}

/** A site that runs until somebody ends it. */
export const startKeptSite = (program: Program, dir: string, config: string): Promise<Site> =>
  siteOf(dir, serve(program, dir, config))

const env = { SVCCTL_TOKEN: TOKEN }
const serve = (program: Program, dir: string, config: string, ...options: string[]) =>
  program.start(['serve', '-c', config, ...options], { cwd: dir, env })

/** A site, once its gateway serves; `env` is what it was told of its operators' token. */
export async function siteOf(dir: string, gateway: Running, { SVCCTL_TOKEN } = env): Promise<Site> {
  const banner = await gateway.until(/^ +Policy/m)
  const url = /listens on (\S+)/.exec(banner)?.[1] ?? ''
  const admin = /^ +Admin +(\S+)/m.exec(banner)?.[1] ?? ''
  return {
    dir,
    gateway,
    url,
    env: { SVCCTL_TOKEN, SVCCTL_ADMIN: admin, SVCCTL_USER: 'ada@laptop' },
    write: (name, text) => writeFileSync(join(dir, name), text),
    key: async (account = 'ada', plan = 'pro') => {
      const response = await fetch(`${admin}/admin/keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${SVCCTL_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ account, plan }),
      })
      return ((await response.json()) as { value: string }).value
    },
    chat: (key, body = {}) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50, ...body }),
      }),
  }
}
