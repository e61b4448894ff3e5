import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { openRedisStore } from '../../../src/adapters/redis/store.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import { newDirectory } from '../../adapters/store/directory.ts'
import { FURTHER_WRITES, RESTRICTING_WRITES, writeUnrestricted } from '../../adapters/store/restricting-writes.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { redisCommand } from '../../support/redis/command.ts'
import { describeRedis, type RedisServer, useRedis } from '../../support/redis/redis.ts'
import { compilePreviousRelease, type PreviousRelease } from '../previous-release.ts'
import { compileProgram, type Program } from '../program.ts'
import { filesOf, type Site, startSite, yamlOf } from '../site.ts'

let previous: PreviousRelease
let present: Program
let backend: Backend
beforeAll(async () => {
  previous = await compilePreviousRelease()
  present = compileProgram()
  backend = await startBackend()
})
afterAll(async () => {
  await Promise.all([previous?.end(), present?.end(), backend?.close()])
  await previous?.remove()
})

const config = (store: string) => yamlOf(backend.url).replace('embedded:./state/store', store)

const EMBEDDED_SCHEMA = 5
const REDIS_SCHEMA = 4

async function useEveryFeature(store: Store): Promise<void> {
  await writeUnrestricted(store)
  for (const write of Object.values({ ...RESTRICTING_WRITES.key, ...RESTRICTING_WRITES.terms, ...FURTHER_WRITES }))
    await write(store)
}

async function expectRefused(dir: string, schema: number): Promise<void> {
  const { code, stdout, stderr } = await previous.run(['serve', '-c', 'config.yaml'], { cwd: dir })

  expect(stdout + stderr).toContain(`has schema ${schema}, which a newer version wrote`)
  expect(code).toBe(1)
}

const statusOf = async (answer: Promise<Response>) => (await answer).status

const post = ({ env }: Site, path: string, body: object) =>
  fetch(`${env.SVCCTL_ADMIN}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.SVCCTL_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('an embedded store', () => {
  it('is upgraded with what the previous release wrote, and goes back until the first restriction', async () => {
    const dir = filesOf({ 'config.yaml': config('embedded:./state/store') })
    const old = await startSite(previous, dir, 'config.yaml')
    const key = await old.key()
    expect(await statusOf(old.chat(key))).toBe(200)
    await old.gateway.end()
    const next = await startSite(present, dir, 'config.yaml')
    expect(await statusOf(next.chat(key))).toBe(200)
    await next.gateway.end()
    const back = await startSite(previous, dir, 'config.yaml')
    expect(await statusOf(back.chat(key))).toBe(200)
    await back.gateway.end()
  })

  it('whose gateway was killed is refused by the previous release until this one stopped, and then has every row', async () => {
    const dir = filesOf({ 'config.yaml': config('embedded:./state/store') })
    const killed = await startSite(present, dir, 'config.yaml')
    const key = await killed.key()
    expect(await statusOf(killed.chat(key))).toBe(200)
    await killed.gateway.end('SIGKILL')

    await expectRefused(dir, 1000 + EMBEDDED_SCHEMA - 1)

    const next = await startSite(present, dir, 'config.yaml')
    expect(await statusOf(next.chat(key))).toBe(200)
    await next.gateway.end()
    const back = await startSite(previous, dir, 'config.yaml')
    expect(await statusOf(back.chat(key))).toBe(200)
    await back.gateway.end()
  })

  it('in which every feature is used is refused by the previous release, which changes nothing', async () => {
    const dir = filesOf({ 'config.yaml': config('embedded:./state/store') })
    const path = join(dir, 'state/store')
    const store = await openEmbeddedStore({ path, now: Date.now })
    await useEveryFeature(store)
    await store.close()

    const before = readFileSync(join(path, 'data.mdb'))

    await expectRefused(dir, EMBEDDED_SCHEMA)

    expect(readFileSync(join(path, 'data.mdb')).equals(before)).toBe(true)
  })
})

describeRedis('a store in Redis', () => {
  const server = useRedis()

  it('in which every feature is used is refused by the previous release, which changes nothing', async () => {
    const dir = filesOf({ 'config.yaml': config(`${server().url}/1`) })
    const stateDir = await newDirectory()
    const store = await openRedisStore({ url: `${server().url}/1`, prefix: 'svc', alarm: () => {}, stateDir })
    await useEveryFeature(store)
    await store.close()

    const before = await contentOf(server(), '/1')

    await expectRefused(dir, REDIS_SCHEMA)

    expect(await contentOf(server(), '/1')).toBe(before)
  })

  it('is shared by both releases until the first restriction, from which on the previous one serves nothing', async () => {
    const url = `${server().url}/2`
    const [oldDir, newDir] = [filesOf({ 'config.yaml': config(url) }), filesOf({ 'config.yaml': config(url) })]
    const old = await startSite(previous, oldDir, 'config.yaml')
    const ofOld = await old.key('ada')
    const next = await startSite(present, newDir, 'config.yaml')
    const ofNew = await next.key('bob')
    for (const site of [old, next]) for (const key of [ofOld, ofNew]) expect(await statusOf(site.chat(key))).toBe(200)

    expect(await statusOf(post(next, '/admin/accounts/freeze', { account: 'bob' }))).toBe(200)

    expect(await statusOf(old.chat(ofNew))).toBe(503)
    await eventually(async () => expect(await statusOf(old.chat(ofOld))).toBe(503))
    expect(await statusOf(next.chat(ofNew))).toBe(403)
    expect(await statusOf(next.chat(ofOld))).toBe(200)
    await old.gateway.end()
    await expectRefused(oldDir, REDIS_SCHEMA)
  })
})

/** Every record, as Redis writes it to its own file. */
async function contentOf(server: RedisServer, database: string): Promise<string> {
  const at = { url: `${server.url}${database}` }
  const names = ((await redisCommand(at, 'KEYS', '*')) as string[]).sort()
  const texts = await Promise.all(names.map(async name => `${name} ${await redisCommand(at, 'DUMP', name)}`))
  return texts.join('\n')
}
