import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { load } from '../../src/config/load.ts'
import { RecentRequests } from '../../src/gateway/recent-requests.ts'
import { Feed } from '../../src/http/feed.ts'
import { ConnectionRelease } from '../../src/http/listener/connection-release.ts'
import type { WorkerParts, WorkerPorts } from '../../src/server/compose/ports.ts'
import { startWorker } from '../../src/server/compose/worker.ts'
import { openState } from '../../src/server/state/open-state.ts'
import { world } from '../../src/server/world.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { yamlOf } from './workers/tree-yaml.ts'

/** A worker on an embedded store, and what it does with another way to reach the store that was proven. */
async function start() {
  const directory = temporaryFolder('proven')
  await writeFile(
    join(directory, 'config.yaml'),
    yamlOf('http://127.0.0.1:1/v1', own => `embedded:${own}/store`)(directory),
  )
  const result = load('config.yaml', {}, directory)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const { loaded } = result
  const proven = { put: vi.fn(), drop: vi.fn() }
  let parts: WorkerParts | undefined
  const main: WorkerPorts = {
    ...{ instance: 'gateway/0', workers: 1, takesIn: () => false, listen: () => {}, alarmed: () => {} },
    recent: new RecentRequests(0),
    decisions: all => all,
    feed: ports => new Feed(ports),
    release: new ConnectionRelease(),
    healthChecks: { claim: async () => undefined, found: () => {} },
    elsewhere: { attach: () => {}, countOf: () => 0 },
    openState: async as => ({ ...(await openState(loaded, world, () => {}, as)), proveStore: async () => proven }),
    attach: attached => {
      parts = attached
    },
  }
  const gateway = await startWorker(loaded, world, { log: () => {}, alarm: () => {} }, main)
  onTestFinished(() => gateway.close(0))
  if (!parts) throw new Error('it was not attached')
  return { open: parts.open, loaded, proven }
}

it('a proven change of the store takes effect with its files', async () => {
  const { open, loaded, proven } = await start()

  const opened = await open(loaded, 2)
  expect(proven.put).not.toHaveBeenCalled()
  await opened.serve()

  expect(proven.put).toHaveBeenCalledOnce()
  expect(proven.drop).not.toHaveBeenCalled()
})

it('a proven change of the store is dropped if another process refuses the files', async () => {
  const { open, loaded, proven } = await start()

  const opened = await open(loaded, 2)
  opened.drop()

  expect(proven.drop).toHaveBeenCalledOnce()
  expect(proven.put).not.toHaveBeenCalled()
})
