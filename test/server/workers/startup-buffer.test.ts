import { fork } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { StoreServer } from '../../../src/adapters/remote/store-server.ts'
import { examinedOf, load } from '../../../src/config/load.ts'
import { version } from '../../../src/server/version.ts'
import type { WorkerCalls } from '../../../src/server/workers/calls.ts'
import { eventOf, Peer } from '../../../src/server/workers/peer.ts'
import { StartupBuffer } from '../../../src/server/workers/startup-buffer.ts'
import { compiledBy } from '../../cli/compiled.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { yamlOf } from './tree-yaml.ts'

it('what is said early is heard in its order, once it can be taken in, and what is said later at once', () => {
  const [startup, heard] = [new StartupBuffer(), [] as string[]]
  startup.hear(() => heard.push('first'))
  startup.hear(() => heard.push('second'))
  expect(heard).toEqual([])

  startup.open()
  startup.hear(() => heard.push('third'))

  expect(heard).toEqual(['first', 'second', 'third'])
})

it('a worker that begins while an operator drains a pool sends nothing there either', async () => {
  const directory = temporaryFolder('startup')
  const yaml = yamlOf('http://127.0.0.1:1/v1', own => `embedded:${own}/data`)(directory)
  await writeFile(join(directory, 'config.yaml'), yaml)
  const result = load('config.yaml', {}, directory)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const socket = join(directory, 'store.sock')
  const store = await openEmbeddedStore({ path: join(directory, 'data'), now: Date.now })
  const server = new StoreServer({ store, abandon: ids => store.abandon(ids), version, alarm: () => {} })
  await server.listen(socket)
  const program = join(compiledBy(process.ppid).gateway, 'server/workers/worker-process.js')
  const child = fork(program, [], { stdio: 'ignore', serialization: 'advanced' })
  let born = () => {}
  const isBorn = new Promise<void>(resolve => {
    born = resolve
  })
  const worker = new Peer<WorkerCalls>(child, { born, counted: () => {}, clients: () => {} })
  await isBorn

  const about = { slot: 0, workers: 2, generation: 1, gateway: 'test', adminToken: 'token' }
  const started = worker.ask('start', {
    ...{ ...about, examined: examinedOf(result.loaded), socket, news: [], isFollowed: false },
  })
  worker.tell('news', { pool: 'onprem', what: 'drained', drained: true })
  await started

  expect(await worker.ask('pools')).toMatchObject([{ pool: 'onprem', drained: true }])
  const ended = eventOf(child, 'exit')
  child.kill('SIGKILL')
  await ended
  await server.close()
  await store.close()
})
