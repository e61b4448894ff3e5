import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { walkPages } from '../../../src/adapters/embedded/check/page-walk.ts'
import { damageText } from '../../../src/adapters/embedded/check/store.ts'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { Layout } from '../../../src/adapters/redis/layout.ts'
import { openRedisStore } from '../../../src/adapters/redis/store.ts'
import { expectBalanced, newDirectory } from '../../adapters/store/directory.ts'
import { admit, claimsOf, openShop, settlement } from '../../adapters/store/fixtures.ts'
import { eventually } from '../../support/eventually.ts'
import { redisCommand } from '../../support/redis/command.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { compileProgram } from '../program.ts'
import { startSite, yamlOf } from '../site.ts'

const program = compileProgram()
afterAll(() => program.end())

const ROWS = 12_000
const AT_ONCE = 500
/** Work that takes a second is looked at so often. */
const OFTEN = { timeout: 60_000, interval: 4 }

let dir: string
const at = (name: string) => join(dir, name)
const start = (...args: readonly string[]) =>
  program.start(args, { cwd: dir, env: { SVCCTL_TOKEN: 'cli-admin-token' } })
const run = (...args: readonly string[]) => program.run(args, { cwd: dir, env: { SVCCTL_TOKEN: 'cli-admin-token' } })

beforeEach(async () => {
  dir = await newDirectory()
  writeFileSync(at('config.yaml'), yamlOf('http://127.0.0.1:9/v1'))
  writeFileSync(at('other.yaml'), yamlOf('http://127.0.0.1:9/v1').replace('./state/store', './other'))
  const store = await openEmbeddedStore({ path: at('state/store'), now: Date.now })
  const shop = await openShop(store)
  const claims = claimsOf({ at: Date.now(), rpm: 1e9, limit: 1e12 })
  for (let row = 0; row < ROWS; row += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, index) =>
        store.holds.settle(settlement(await admit(store, shop, `req_${row + index}`, claims))),
      ),
    )
  await store.close()
})

/** Resolves once a backup is half written: its bytes are in a file beside the one that is to come. */
const backupBegan = () =>
  eventually(() => {
    const part = readdirSync(dir).find(name => name.startsWith('.backup.'))
    if (part === undefined || statSync(at(part)).size === 0) throw new Error('no byte of it yet')
  }, OFTEN)

/** Resolves once some rows, and not all, are in the files that are being filled. */
const fillingBegan = (path: string) =>
  eventually(() => {
    const { tables } = walkPages(join(path, 'restoring/data.mdb'))
    const rows = tables.find(({ name }) => name === 'ledger')?.rows ?? 0
    if (rows === 0) throw new Error('no row yet')
    expect(rows).toBeLessThan(ROWS)
  }, OFTEN)

async function expectWhole(path: string): Promise<void> {
  expect(damageText(walkPages(join(path, 'data.mdb')))).toBeUndefined()
  const store = await openEmbeddedStore({ path, now: Date.now })
  expect(await expectBalanced(store, 'acct_shop')).toHaveLength(ROWS)
  await store.close()
}

const leftovers = () => readdirSync(dir).filter(name => name.includes('backup'))

it('a backup that is killed in its middle leaves no file and an unharmed store, and one that follows is whole', async () => {
  const killed = start('backup', 'backup')
  await backupBegan()
  expect(await killed.end('SIGKILL')).toBeNull()

  expect(existsSync(at('backup'))).toBe(false)
  await expectWhole(at('state/store'))
  expect(await run('backup', 'backup')).toMatchObject({ code: 0, stdout: expect.stringContaining('12000') })
  expect(leftovers()).toEqual(['backup'])
})

it('a gateway that is killed in the middle of a backup leaves no file, and serves all that it had at its next start', async () => {
  const { gateway, env } = await startSite(program, dir, 'config.yaml')
  const backup = program.start(['backup', 'backup'], { cwd: dir, env })
  await backupBegan()
  expect(await gateway.end('SIGKILL')).toBeNull()

  expect(await backup.ended).toBeGreaterThan(0)
  expect(leftovers()).toEqual([])
  await (await startSite(program, dir, 'config.yaml')).gateway.end()
  await expectWhole(at('state/store'))
})

it('a restore that is killed in its middle leaves the store as it was, says so, and can be repeated', async () => {
  expect(await run('backup', 'backup')).toMatchObject({ code: 0 })
  const killed = start('restore', 'backup', '-c', 'other.yaml')
  await fillingBegan(at('other'))
  expect(await killed.end('SIGKILL')).toBeNull()

  expect(await run('serve', '-c', 'other.yaml')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('was interrupted, and the store is unchanged'),
  })
  expect(await run('restore', 'backup', '-c', 'other.yaml')).toMatchObject({ code: 0 })
  await expectWhole(at('other'))
})

it('a migration that is killed in its middle leaves its source unharmed and no half store, and can be repeated', async () => {
  const killed = start('store', 'migrate', 'embedded:', 'embedded:other')
  await fillingBegan(at('other'))
  expect(await killed.end('SIGKILL')).toBeNull()

  await expect(openEmbeddedStore({ path: at('other'), now: Date.now })).rejects.toMatchObject({
    name: 'RestoreInterrupted',
  })
  await expectWhole(at('state/store'))
  expect(await run('store', 'migrate', 'embedded:', 'embedded:other')).toMatchObject({ code: 0 })
  await expectWhole(at('other'))
  await expectWhole(at('state/store'))
})

describeRedis('with Redis', () => {
  const redis = useRedis()

  it('a migration into Redis that is killed in its middle leaves its source unharmed and a target that says so, and can be repeated', async () => {
    const { url } = redis()
    writeFileSync(at('redis.yaml'), yamlOf('http://127.0.0.1:9/v1').replace('embedded:./state/store', url))
    const { ledger } = new Layout('svc').of('acct_shop')
    const killed = start('store', 'migrate', 'embedded:', url)
    await eventually(async () => {
      const rows = Number(await redisCommand(redis(), 'ZCARD', ledger))
      if (rows === 0) throw new Error('no row yet')
      expect(rows).toBeLessThan(ROWS)
    }, OFTEN)
    expect(await killed.end('SIGKILL')).toBeNull()

    expect(await run('serve', '-c', 'redis.yaml')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was interrupted: repeat it'),
    })
    await expectWhole(at('state/store'))
    expect(await run('store', 'migrate', 'embedded:', url)).toMatchObject({ code: 0 })
    const store = await openRedisStore({ url, prefix: 'svc', alarm: () => {}, answerMs: 15_000 })
    expect(await expectBalanced(store, 'acct_shop')).toHaveLength(ROWS)
    await store.close()
    await expectWhole(at('state/store'))
  })
})
