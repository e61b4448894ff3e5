import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compileProgram, type Program } from '../cli/program.ts'
import { filesOf, type Site, startSite, yamlOf } from '../cli/site.ts'
import { answer, type Backend, startBackend, stream } from '../support/backend.ts'
import { heldStream, reading } from '../support/held.ts'

const STREAMS = 50
/** Signals that come closer to each other are taken for one. */
const APART_MS = 150

let program: Program
let backend: Backend

beforeAll(async () => {
  program = compileProgram()
  backend = await startBackend()
}, 60_000)

afterAll(async () => {
  await program.end()
  await backend.close()
})

const start = (server = '') =>
  startSite(program, filesOf({ 'config.yaml': yamlOf(backend.url, server) }), 'config.yaml')

/** The rows that the gateway left behind. */
async function ledgerOf({ dir }: Site): Promise<{ estimated: boolean; output_tokens: number }[]> {
  const { stdout } = await program.run(['usage', 'export'], { cwd: dir })
  return stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
}

/** Streams that have begun, and wait. */
async function begin(site: Site, count: number) {
  const key = await site.key()
  const held = heldStream()
  backend.always(held.behaviour)
  const streams = await Promise.all(
    Array.from({ length: count }, async () => reading(await site.chat(key, { stream: true }))),
  )
  await Promise.all(streams.map(({ until }) => until('Hello')))
  return { streams, letGo: held.letGo }
}

it(`${STREAMS} streams over SIGTERM all finish, all are in the ledger, and the exit code is 0`, async () => {
  const site = await start()
  const key = await site.key()
  backend.always(stream({ chunks: Array.from({ length: 30 }, (_, i) => `word ${i} `), gapMs: 20 }))
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, async () => reading(await site.chat(key, { stream: true }))),
  )
  await Promise.all(streams.map(({ until }) => until('word 0')))

  const exit = site.gateway.end('SIGTERM')

  const texts = await Promise.all(streams.map(({ rest }) => rest()))
  expect(texts.filter(text => text.includes('word 29') && text.endsWith('data: [DONE]\n\n'))).toHaveLength(STREAMS)
  expect(await exit).toBe(0)
  const rows = await ledgerOf(site)
  expect(rows).toHaveLength(STREAMS)
  expect(rows.filter(({ estimated }) => estimated)).toEqual([])
})

it('the second signal ends streams with an error event, and settles what they said', async () => {
  const site = await start()
  const { streams } = await begin(site, 5)

  site.gateway.signal('SIGTERM')
  await site.gateway.until('stopping')
  await sleep(APART_MS)
  const exit = site.gateway.end('SIGINT')

  for (const { rest } of streams) expect(await rest()).toMatch(/Hello[\s\S]*"code":"DRAINING"\}\}\n\n$/)
  expect(await exit).toBe(0)
  expect(await ledgerOf(site)).toMatchObject(Array(5).fill({ estimated: true, output_tokens: 1 }))
})

it('one signal that comes twice, as npm passes it on, is one', async () => {
  const site = await start()
  const { streams, letGo } = await begin(site, 1)

  site.gateway.signal('SIGINT')
  site.gateway.signal('SIGTERM')
  await site.gateway.until('stopping')
  await sleep(APART_MS)
  letGo()

  expect(await streams[0]?.rest()).toContain('[DONE]')
  expect(await site.gateway.ended).toBe(0)
})

it('so does the time that `server.drain_timeout` gives them', async () => {
  const site = await start(', drain_timeout: 300ms')
  const { streams } = await begin(site, 5)

  const exit = site.gateway.end('SIGTERM')

  for (const { rest } of streams) expect(await rest()).toMatch(/Hello[\s\S]*"code":"DRAINING"\}\}\n\n$/)
  expect(await exit).toBe(0)
  expect(await ledgerOf(site)).toMatchObject(Array(5).fill({ estimated: true, output_tokens: 1 }))
})

it('the third signal ends the process at once, with exit code 1', async () => {
  const site = await start()
  const key = await site.key()
  backend.always(answer({ content: 'x'.repeat(12_000_000) }))
  // Nobody reads it, so that its last bytes cannot be sent.
  await site.chat(key)

  site.gateway.signal('SIGTERM')
  await site.gateway.until('stopping')
  await sleep(APART_MS)
  site.gateway.signal('SIGTERM')
  await sleep(APART_MS)

  expect(await site.gateway.end('SIGTERM')).toBe(1)
})
