import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

const MANIFEST = new URL('../../../dist/console/manifest.json', import.meta.url)
const files = Object.keys(JSON.parse(readFileSync(MANIFEST, 'utf8')).files)
const onlyOf = (door: string) => files.filter(name => name.startsWith(`${door}-`))

let backend: Backend
let test: TestGateway

beforeAll(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
})
afterAll(async () => {
  await test.close()
  await backend.close()
})

/** Asks the admin listener under any host. */
const under = (host: string, path = '/console'): Promise<{ readonly status?: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(test.admin)
    request({ hostname, port, path, headers: { host }, agent: false }, async response => {
      const text = (await response.toArray()).join('')
      resolve({ ...(response.statusCode !== undefined && { status: response.statusCode }), text })
    })
      .on('error', reject)
      .end()
  })

describe('the console of operators', () => {
  it('may load, run and ask nothing but its own, and is never kept', async () => {
    const response = await fetch(`${test.admin}/console`)

    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; connect-src 'self'",
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
    })
    expect(await response.text()).toMatch(/content="{&quot;door&quot;:&quot;admin&quot;/)
  })

  it('names files that its listener has', async () => {
    const page = await (await fetch(`${test.admin}/console/pools`)).text()
    const paths = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path)

    expect(paths.length).toBeGreaterThan(2)
    for (const path of paths) expect([path, (await fetch(test.admin + path)).status]).toEqual([path, 200])
  })

  it('is nowhere on the listener for clients, and theirs nowhere here', async () => {
    expect(onlyOf('admin').length).toBeGreaterThan(1)
    expect(onlyOf('public')).not.toEqual([])
    for (const name of onlyOf('admin')) expect((await fetch(`${test.url}/console/${name}`)).status).toBe(404)
    for (const name of onlyOf('public')) expect((await fetch(`${test.admin}/console/${name}`)).status).toBe(404)
  })

  it('is not served where server.console is false', async () => {
    const other = await startTestGateway({ onprem: [backend] })
    await other.reload({}, yaml => yaml.replace('server:\n', 'server:\n  console: false\n'))

    expect((await fetch(`${other.admin}/console`)).status).toBe(404)
    await other.close()
  })

  it.each(['/console', '/console/pools', `/console/${onlyOf('admin')[0]}`])(
    'is refused under a name that leads here by chance: %s',
    async path => {
      expect((await under('evil.test', path)).status).toBe(421)
      expect((await under('localhost:9090', path)).status).toBe(200)
      expect((await under('[::1]', path)).status).toBe(200)
    },
  )

  it('stands where server.admin_url says, and offers a sign-in to nobody without admins', async () => {
    await test.reload({}, yaml => yaml.replace('server:\n', 'server:\n  admin_url: https://ops.example.com/gateway\n'))
    const behind = await under('ops.example.com')

    expect(behind.status).toBe(200)
    expect(behind.text).toContain('&quot;console_url&quot;:&quot;/gateway/console&quot;')
    expect(behind.text).toContain('src="/gateway/console/admin-')
    expect(behind.text).toContain('&quot;client_id&quot;:null')
    expect((await under('127.0.0.1')).text).toContain('src="/console/admin-')
  })
})
