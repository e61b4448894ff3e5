import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { selfSigned } from '../../support/certificate.ts'
import { useCluster } from '../../support/redis/cluster.ts'
import { redisCommand } from '../../support/redis/command.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { startTlsRedis } from '../../support/redis/tls-redis.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const WORKERS = 2
const PERMISSIONS = ['~svc*', '~keyv:*', '+@read', '+@write', '+@scripting', '+@connection', '+info', '+time']
const PATIENCE = { timeout: 60_000, interval: 50 }

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi' }))
  return () => backend.close()
})

/** A gateway of workers, with files beside its configuration. */
async function start(store: string, redis: string, files: Readonly<Record<string, string>>): Promise<Tree> {
  const directory = temporaryFolder('rotation')
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
  const yaml = (path: string) => `${yamlOf(backend.url, () => store)(path)}redis: ${redis}\n`
  const tree = await startTree(WORKERS, yaml, { directory })
  onTestFinished(async () => void (await tree.end()))
  return tree
}

/** Each request has a connection of its own, so that all workers get some. */
const served = (tree: Tree, key: string) =>
  vi.waitFor(async () => {
    const answers = await Promise.all(Array.from({ length: 3 * WORKERS }, () => tree.chat(key)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  }, PATIENCE)

describeRedis.each([
  ['Redis', useRedis, []],
  ['a Redis Cluster', useCluster, ['+cluster|nodes']],
] as const)('the password of %s', (_name, use, rights) => {
  const redis: () => { readonly url: string; readonly masters?: readonly { readonly url: string }[] } = use()
  const tellAll = (...words: string[]) =>
    Promise.all((redis().masters ?? [redis()]).map(server => redisCommand(server, ...words)))

  it('changes by one reload for main and all workers, those that begin later too', async () => {
    await tellAll('ACL', 'SETUSER', 'gateway', 'on', '>first', ...PERMISSIONS, ...rights)
    const url = redis().url.replace('://', '://gateway@')
    const tree = await start(url, '{ password: "file:redis.password" }', { 'redis.password': 'first' })
    const key = await tree.mint('pro', 'ada')
    await served(tree, key)

    await tellAll('ACL', 'SETUSER', 'gateway', '>second')
    await writeFile(join(tree.directory, 'redis.password'), 'second')
    expect(await tree.ask('POST', '/admin/reload')).toMatchObject({ status: 200, body: { changed: true } })
    await tellAll('ACL', 'SETUSER', 'gateway', '<first')
    await served(tree, key)

    // Every connection is made again with the new one.
    await tellAll('CLIENT', 'KILL', 'USER', 'gateway')
    await served(tree, key)
    const [worker = 0] = tree.pids('worker')
    process.kill(worker, 'SIGKILL')
    await vi.waitFor(async () => {
      const { workers } = (await tree.ask('GET', '/readyz')).body as { workers: { pid: number; state: string }[] }
      expect(workers.map(({ pid, state }) => pid !== worker && state)).toEqual(['serving', 'serving'])
    }, PATIENCE)
    await served(tree, key)
  }, 90_000)

  it('stays that of all where Redis does not accept the new one', async () => {
    await tellAll('ACL', 'SETUSER', 'gateway', 'reset', 'on', '>first', ...PERMISSIONS, ...rights)
    const url = redis().url.replace('://', '://gateway@')
    const tree = await start(url, '{ password: "file:redis.password" }', { 'redis.password': 'first' })
    const key = await tree.mint('pro', 'bob')

    await writeFile(join(tree.directory, 'redis.password'), 'wrong')
    expect(await tree.ask('POST', '/admin/reload')).toMatchObject({ status: 409 })

    await tellAll('CLIENT', 'KILL', 'USER', 'gateway')
    await served(tree, key)
  }, 90_000)
})

describeRedis('TLS to Redis', () => {
  it('is spoken by main and all workers, with another authority once a reload says so', async () => {
    const own = selfSigned()
    const { url } = await startTlsRedis(own)
    const tree = await start(url, '{ ca: "file:ca.pem" }', { 'ca.pem': own.cert })
    const key = await tree.mint('pro', 'ada')
    await served(tree, key)

    await writeFile(join(tree.directory, 'ca.pem'), selfSigned().cert)
    expect((await tree.ask('POST', '/admin/reload')).text).toContain('self-signed certificate')
    await writeFile(join(tree.directory, 'ca.pem'), `${own.cert}${selfSigned('other.internal').cert}`)
    expect(await tree.ask('POST', '/admin/reload')).toMatchObject({ status: 200, body: { changed: true } })

    await served(tree, key)
  }, 90_000)
})
