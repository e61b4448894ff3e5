import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { newDirectory } from '../../adapters/store/directory.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi' }))
  // Without a secret of guests in the files, the gateway makes its own.
  test = await startTestGateway({ onprem: [backend], guests: 'usd_per_day_total: 50' })
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const pathsIn = (directory: string): readonly string[] => [
  directory,
  ...readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(name => join(directory, name)),
]
/** Files and directories that another user may do something with; those of the configuration are not the gateway's. */
const openIn = (directory: string): readonly string[] =>
  pathsIn(directory).filter(path => !path.endsWith('.yaml') && (statSync(path).mode & 0o077) !== 0)

it('a gateway makes everything that it keeps for its own user alone', async () => {
  await test.chat(await test.key())
  await test.reload({}, yaml => yaml.replace('rpm: 20,', 'rpm: 21,'))

  expect(pathsIn(test.dir)).toEqual(
    expect.arrayContaining(
      ['store/data.mdb', 'store/lock.mdb', 'store/lock.sock', 'revisions'].map(name => join(test.dir, name)),
    ),
  )
  expect(openIn(test.dir)).toEqual([])
})

it('a start closes what an earlier version or a copy left open to other users', async () => {
  await test.chat(await test.key())
  mkdirSync(join(test.dir, 'spool'))
  for (const name of ['admin.token', 'guest-secret', 'store-epoch', 'spool/spool.refused.ndjson'])
    writeFileSync(join(test.dir, name), name === 'guest-secret' ? Buffer.alloc(32).toString('base64url') : 'secret')
  for (const path of pathsIn(test.dir)) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644)

  test = await test.restart()

  expect(openIn(test.dir)).toEqual([])
  expect(statSync(join(test.dir, 'config.yaml')).mode & 0o777).toBe(0o644)
  expect(test.alarms).toEqual([])
})

it('svcctl, which opens the store of a gateway that does not run, closes its files too', async () => {
  const path = await newDirectory()
  for (const name of ['data.mdb', 'lock.mdb']) writeFileSync(join(path, name), '', { mode: 0o644 })

  const store = await openEmbeddedStore({ path, now: () => 0 })

  expect(openIn(path)).toEqual([])
  await store.close()
})
