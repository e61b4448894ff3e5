import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

const DIST = new URL('../../../dist/console/', import.meta.url)
const manifest: Manifest = JSON.parse(readFileSync(new URL('manifest.json', DIST), 'utf8'))
const names = Object.keys(manifest.files)
/** Scripts and styles lie there in brotli alone. */
const bytesOf = (name: string) => brotliDecompressSync(readFileSync(new URL(`${name}.br`, DIST)))
const script = names.find(name => /^public-.*\.js$/.test(name)) ?? ''

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

describe('the page of the console', () => {
  it('may load, run and ask nothing but its own, and is never kept', async () => {
    const response = await fetch(`${test.url}/console`)

    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; connect-src 'self'",
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(await response.text()).not.toMatch(/<script>|<style|style=|%[A-Z]+%|="\.\//)
  })

  it.each(['/console/keys', '/console/callback?code=x&state=y'])('is the same at %s', async path => {
    expect(await (await fetch(test.url + path)).text()).toBe(await (await fetch(`${test.url}/console`)).text())
  })

  it('names every file by the path of the console, and each of them is there', async () => {
    const page = await (await fetch(`${test.url}/console/keys`)).text()
    const paths = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path)

    expect(paths).toContain('/console/icon.svg')
    expect(paths.length).toBeGreaterThan(2)
    for (const path of paths) expect((await fetch(test.url + path)).status).toBe(200)
  })

  it('cannot be left by a value of the files', async () => {
    const yaml = `errors: { topup: "https://x/?a=1&b=<i>'" }`
    const other = await startTestGateway({ onprem: [backend], yaml })

    const page = await (await fetch(`${other.url}/console`)).text()

    expect(page).toContain('https://x/?a=1&amp;b=&lt;i&gt;')
    expect(page.match(/<meta name="boot"/g)).toHaveLength(1)
    await other.close()
  })

  it('is in no log and no metric, as long as it is served', async () => {
    const before = test.log.length
    await fetch(`${test.url}/console`)
    await fetch(`${test.url}/console/none.js`)
    const log = await test.logged(before + 1)

    expect(log.slice(before).map(({ path, status }) => `${path} ${status}`)).toEqual(['/console/none.js 404'])
  })

  it('takes GET and HEAD alone', async () => {
    expect((await fetch(`${test.url}/console`, { method: 'POST' })).status).toBe(405)
    const head = await fetch(`${test.url}/console/${script}`, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
  })

  it.each([
    ['server.console is false', 'console: false', 'serves no console'],
    ['another page has its place', 'console_url: https://keys.example.com', 'https://keys.example.com'],
  ])('is a 404 where %s', async (_name, field, text) => {
    const other = await startTestGateway({ onprem: [backend] })
    await other.reload({}, yaml => yaml.replace('server:\n', `server:\n  ${field}\n`))

    for (const path of ['/console', '/console/keys', `/console/${script}`]) {
      const response = await fetch(other.url + path)
      expect(response.status).toBe(404)
      expect(await response.text()).toContain(text)
    }
    await other.close()
  })
})

describe('a file of the console', () => {
  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ])('is the same bytes where a client accepts %s', async (accepted, encoding, read) => {
    const { headers, body } = await raw(`/console/${script}`, { 'accept-encoding': accepted })

    expect(headers['content-encoding']).toBe(encoding)
    expect(headers.vary).toBe('accept-encoding')
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(read(body).equals(bytesOf(script))).toBe(true)
  })

  it('is not sent to a client that has it, and each of its forms has a mark of its own', async () => {
    const path = `/console/${script}`
    const [br, plain] = await Promise.all([raw(path, { 'accept-encoding': 'br' }), raw(path, {})])
    const again = await raw(path, { 'accept-encoding': 'br', 'if-none-match': `"x", W/${br.headers.etag}` })

    expect([again.status, again.body.length]).toEqual([304, 0])
    expect(br.headers.etag).not.toBe(plain.headers.etag)
    expect((await raw(path, { 'if-none-match': String(br.headers.etag) })).status).toBe(200)
  })

  it('without a hash in its name is asked for again after a day', async () => {
    expect((await raw('/console/icon.svg', {})).headers['cache-control']).toBe('public, max-age=86400')
  })

  it.each(['manifest.json', 'public.html', '..%2fpackage.json', '%2e%2e', `${script}.br`, '__proto__.x', '.'])(
    'is none of the name %s',
    async name => {
      expect((await raw(`/console/${name}`, {})).status).toBe(name === '%2e%2e' ? 200 : 404)
    },
  )
})

describe('what is built', () => {
  const gzipped = (name: string) => gzipSync(bytesOf(name)).length
  const files = names.filter(name => /\.(js|css)$/.test(name))

  it.each([
    ['public', 60],
    ['admin', 80],
  ])('of all that the door %s ever loads is at most %i kB compressed', (door, most) => {
    const own = files.filter(name => manifest.files[name]?.doors.includes(door))

    expect(own.length).toBeGreaterThan(3)
    expect(own.map(gzipped).reduce((sum, bytes) => sum + bytes)).toBeLessThan(most * 1000)
  })

  it.each([
    ['public', 31],
    ['admin', 34],
  ])('of the first load of the door %s is at most %i kB compressed', (door, most) => {
    const page = readFileSync(new URL(`${door}.html`, DIST), 'utf8')
    const first = files.filter(name => page.includes(name))

    expect(first.length).toBeGreaterThan(1)
    expect(first.map(gzipped).reduce((sum, bytes) => sum + bytes)).toBeLessThan(most * 1000)
  })
})

interface Manifest {
  readonly files: Readonly<Record<string, { readonly doors: readonly string[] }>>
}

interface Raw {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** As it goes over the line: fetch undoes compression, and dots in paths. */
const raw = (path: string, headers: Record<string, string>): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(test.url)
    request({ hostname, port, path, headers, agent: false }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) })
      })
    })
      .on('error', reject)
      .end()
  })
