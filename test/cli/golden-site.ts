import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { removeFolder } from '../lanes/remove-folder.ts'
import { answer, type Backend, startBackend, status } from '../support/backend.ts'
import type { Program } from './program.ts'
import { type Site, siteOf } from './site.ts'

/** A gateway on the files of golden/site that has served and refused, and what commands need to be told of it. */
export interface GoldenSite extends Site {
  /** Requests by what happened to them. */
  readonly requests: Readonly<Record<'served' | 'gated', string>>
  /** The key of bob, whose plan is pro. */
  readonly bob: string
  /** Where somebody is signed in, and the audience of that. */
  readonly signedIn: { readonly home: string; readonly audience: string }
  close(): Promise<void>
}

const files = fileURLToPath(new URL('golden/site', import.meta.url))
const token = { SVCCTL_TOKEN: 'golden-admin-token' }

/** Starts it, and sends it what the golden outputs tell of. */
export async function startGoldenSite(program: Program): Promise<GoldenSite> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-golden-'))
  cpSync(files, dir, { recursive: true })
  // Not among those files: they are kept in the style.
  writeFileSync(join(dir, 'ugly.yaml'), 'plans:   {free: {rpm:    4}}\n')
  const [onprem, cloud] = [await startBackend(), await startBackend()]
  const usage = { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 }
  for (const backend of [onprem, cloud]) backend.always(answer({ content: 'Hi', usage }))
  const backends = { ONPREM: onprem.url, CLOUD: cloud.url }
  const site = await siteOf(dir, program.start(['serve'], { cwd: dir, env: { ...token, ...backends } }), token)
  const issuer = await startIssuer()
  return {
    ...site,
    env: { ...site.env, ...backends, XDG_CONFIG_HOME: join(dir, 'home') },
    ...(await seed(site, onprem)),
    signedIn: { home: signIn(dir, issuer.url), audience: issuer.url },
    close: async () => {
      await Promise.all([site.gateway.end('SIGKILL'), onprem.close(), cloud.close()])
      issuer.server.closeAllConnections()
      issuer.server.close()
      await removeFolder(dir)
    },
  }
}

/** Served, refused by the plan, routed, failed over, and refused by the minute. */
async function seed(site: Site, onprem: Backend) {
  const [ada, bob] = [await mint(site, 'ada', 'free'), await mint(site, 'bob@example.com', 'pro')]
  const idOf = async (key: string, body: object) => (await site.chat(key, body)).headers.get('x-request-id') ?? ''
  const served = await idOf(ada, { model: 'svc-core' })
  const gated = await idOf(ada, { model: 'svc-pro' })
  await idOf(bob, { messages: [{ role: 'user', content: 'Prove it' }] })
  onprem.next(status(503))
  await idOf(bob, { model: 'svc-core' })
  for (let sent = 0; sent < 4; sent++) await idOf(ada, {})
  await usesKept(site)
  return { bob, requests: { served, gated } }
}

async function mint({ env }: Site, account: string, plan: string): Promise<string> {
  const response = await fetch(`${env.SVCCTL_ADMIN}/admin/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.SVCCTL_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ account, plan }),
  })
  const { value } = (await response.json()) as { readonly value: string }
  return value
}

/** Listings say when keys were used only once the store keeps it, soon after their requests. */
async function usesKept({ env }: Site): Promise<void> {
  const list = async () => {
    const headers = { authorization: `Bearer ${env.SVCCTL_TOKEN}` }
    const response = await fetch(`${env.SVCCTL_ADMIN}/admin/keys`, { headers })
    return ((await response.json()) as { readonly data: readonly { readonly last_used: number | null }[] }).data
  }
  while ((await list()).some(({ last_used }) => last_used === null)) await setTimeout(50)
}

/** Answers the only request that `whoami` sends. */
async function startIssuer(): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((_, response) => response.end('{"planSlug":"pro"}'))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` }
}

/** Leaves a session as `login` would. */
function signIn(dir: string, gateway: string): string {
  const home = join(dir, 'signed-in')
  const expiresAt = Date.now() + 3_600_000
  const claims = { iss: gateway, sub: 'ada', aud: gateway, exp: Math.floor(expiresAt / 1000) }
  const accessToken = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`
  const session = { gateway, issuer: gateway, clientId: 'svcctl', accessToken, expiresAt, label: 'ada@example.com' }
  mkdirSync(join(home, 'svcctl'), { recursive: true })
  writeFileSync(join(home, 'svcctl/session.json'), JSON.stringify({ version: 1, sessions: { [gateway]: session } }))
  return home
}
