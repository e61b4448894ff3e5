import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { openRedisStore } from '../../../src/adapters/redis/store.ts'
import { registerBackup } from '../../../src/cli/backup/backup.ts'
import { writeNewFile } from '../../../src/cli/backup/new-file.ts'
import { registerRestore } from '../../../src/cli/backup/restore.ts'
import { readSeal, sealOf } from '../../../src/gateway/backup/seal.ts'
import { newDirectory } from '../../adapters/store/directory.ts'
import { admit, claimsOf, ledgerOf, openShop, settlement } from '../../adapters/store/fixtures.ts'
import { freePort } from '../../support/free-port.ts'
import { useCluster } from '../../support/redis/cluster.ts'
import { describeRedis } from '../../support/redis/redis.ts'
import { runCommand } from '../run-command.ts'

let directory: string
beforeEach(async () => {
  directory = await newDirectory()
  for (const name of ['one', 'two']) await writeFile(join(directory, `${name}.yaml`), await configOf(name))
  const store = await openEmbeddedStore({ path: join(directory, 'one'), now: Date.now })
  const shop = await openShop(store)
  await store.holds.settle(settlement(await admit(store, shop, 'req_1', claimsOf({ at: Date.now() }))))
  await store.close()
})

const configOf = async (name: string, store = `embedded:./${name}`) => `version: 1
server: { public_url: http://localhost:8080, admin: "127.0.0.1:${await freePort()}", state_dir: ./${name} }
store: ${store}
plans: { free: { models: all, rpm: 5, tpm: 40k, monthly_usd: 1 } }
models: { small: { kind: chat, tier: basic, serve: [onprem], context: 32k, usd_per_1m: { input: 0.1, output: 0.4 } } }
aliases: { auto: small }
default_model: auto
pools: { onprem: { site: on-premises, model: small, replicas: ["http://127.0.0.1:9/v1"] } }
`

const run = (...args: readonly string[]) =>
  runCommand(
    program => {
      registerBackup(program)
      registerRestore(program)
    },
    args,
    { cwd: directory, env: { SVCCTL_CONFIG: join(directory, 'one.yaml'), SVCCTL_ADMIN: '' } },
  )

const at = (name: string) => join(directory, name)
/** The key of the gateway that made the backups, for commands of another one. */
const ONES_KEY = () => ['--key', at('one/backup-key')]

it('what was backed up of a stopped gateway is restored into an empty store', async () => {
  expect(await run('backup', at('b.svc'))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('ledger rows           1'),
  })
  expect((await stat(at('b.svc'))).mode & 0o777).toBe(0o600)
  expect(await run('backup', 'verify', at('b.svc'))).toMatchObject({ code: 0, stdout: expect.stringContaining('✓') })

  expect(await run('restore', at('b.svc'), ...ONES_KEY(), '-c', at('two.yaml'))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('now has everything in the backup'),
  })

  const store = await openEmbeddedStore({ path: at('two'), now: Date.now })
  expect((await ledgerOf(store)).map(({ requestId }) => requestId)).toEqual(['req_1'])
  await store.close()
})

it('a backup of another gateway is restored with its key, and of nobody only where that was said', async () => {
  await run('backup', at('b.svc'))
  const bytes = await readFile(at('b.svc'))
  const { length = 0, digest } = readSeal(bytes) ?? {}
  // As a version before this one sealed it, and as everybody can.
  await writeFile(at('old.svc'), Buffer.concat([bytes.subarray(0, -length), sealOf(digest ?? Buffer.alloc(0))]))
  const two = ['-c', at('two.yaml')]
  const id = /signed with the key (\w+)/.exec((await run('backup', 'verify', at('b.svc'))).stdout)?.[1]

  const other = await run('restore', at('b.svc'), ...two)
  expect(other).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`it is signed with the key ${id}, which is not here`),
  })
  for (const command of [['restore'], ['backup', 'verify'], ['restore', '--files', at('files')]])
    expect(await run(...command, at('old.svc'), ...ONES_KEY())).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /is not trusted: it is not signed: it comes from a version before .*, or was changed\n.*--unsigned/,
      ),
    })
  expect(existsSync(at('two/data.mdb')) || existsSync(at('files'))).toBe(false)

  expect(await run('backup', 'verify', at('old.svc'), '--unsigned')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('▲ not signed'),
  })
  expect(await run('restore', at('old.svc'), '--unsigned', ...two)).toMatchObject({ code: 0 })
})

it('a file that exists is left as it is', async () => {
  await writeFile(at('b.svc'), 'mine')

  expect(await run('backup', at('b.svc'))).toMatchObject({ code: 2, stderr: expect.stringContaining('exists') })
  expect(await readFile(at('b.svc'), 'utf8')).toBe('mine')
})

it('a store that has data is replaced only where that was said, and confirmed', async () => {
  await run('backup', at('b.svc'))

  const refused = await run('restore', at('b.svc'))
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/has data: .* --replace/) })
  expect(await run('restore', at('b.svc'), '--replace')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  })
  expect(await run('restore', at('b.svc'), '--replace', '--yes')).toMatchObject({ code: 0 })
})

it('a damaged backup is restored into nothing', async () => {
  await run('backup', at('b.svc'))
  const bytes = await readFile(at('b.svc'))
  bytes.writeUInt8(bytes.readUInt8(500) ^ 1, 500)
  await writeFile(at('b.svc'), bytes)

  expect(await run('restore', at('b.svc'), ...ONES_KEY(), '-c', at('two.yaml'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/b\.svc cannot be used: it is damaged/),
  })
  expect(existsSync(at('two'))).toBe(false)
  expect(await run('backup', 'verify', at('none.svc'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('none.svc cannot be read: there is no such file'),
  })
})

it('the files that served are written into a new directory', async () => {
  await run('backup', at('b.svc'))

  expect(await run('restore', at('b.svc'), '--files', at('files'))).toMatchObject({ code: 0 })
  expect(await readFile(join(at('files'), 'one.yaml'), 'utf8')).toBe(await readFile(at('one.yaml'), 'utf8'))
  expect(await run('restore', at('b.svc'), '--files', at('files'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it exists: name a new directory'),
  })
})

it('a backup that breaks off leaves no file', async () => {
  const cut = async function* () {
    yield Buffer.from('half of a backup')
  }
  await expect(writeNewFile(at('b.svc'), cut())).rejects.toThrow('✗ the backup broke off; its file was removed')
  expect(await readdir(directory)).not.toContainEqual(expect.stringContaining('b.svc'))
})

it.each([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'it exceeds the maximum file size'],
])('a disk that takes no more (%s) is said in plain words', async (code, words) => {
  const full = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('some of it')
    throw Object.assign(new Error(`${code}: write`), { code, syscall: 'write' })
  }
  await expect(writeNewFile(at('b.svc'), full())).rejects.toThrow(
    `cannot be written: ${words}; the incomplete file was removed`,
  )
  expect(await readdir(directory)).not.toContainEqual(expect.stringContaining('b.svc'))
})

describeRedis('with a Redis Cluster', { timeout: 60_000 }, () => {
  const cluster = useCluster()

  it('a backup is restored into the cluster, and one of the cluster into an embedded store', async () => {
    const { url } = cluster()
    await writeFile(at('cluster.yaml'), await configOf('cluster', url))
    await run('backup', at('b.svc'))

    expect(await run('restore', at('b.svc'), ...ONES_KEY(), '-c', at('cluster.yaml'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('now has everything in the backup'),
    })
    const there = await openRedisStore({ url, prefix: 'svc', alarm: () => {}, answerMs: 15_000 })
    expect((await ledgerOf(there)).map(({ requestId }) => requestId)).toEqual(['req_1'])
    await there.close()
    expect(await run('backup', at('c.svc'), '-c', at('cluster.yaml'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ledger rows           1'),
    })
    expect(await run('restore', at('c.svc'), '--unsigned', '-c', at('two.yaml'))).toMatchObject({ code: 0 })

    const back = await openEmbeddedStore({ path: at('two'), now: Date.now })
    expect((await ledgerOf(back)).map(({ requestId }) => requestId)).toEqual(['req_1'])
    await back.close()
  })
})
