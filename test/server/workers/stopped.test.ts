import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { brief } from './kills-in-turn.ts'
import { startTree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
  backend.always(brief)
})
afterAll(() => backend.close())

const yaml = (directory: string) => yamlOf(backend.url, own => `embedded:${own}/store`)(directory)

it('main goes on where it says something to a worker that has ended, and has not heard of that yet', async () => {
  const tree = await startTree(2, yaml)
  const main = tree.process.pid ?? 0
  for (let n = 0; n < 3; n++) {
    const [worker = 0] = tree.pids('worker')
    // It is busy while a worker ends, for so long that what it has to say each second comes before the news of that.
    process.kill(main, 'SIGSTOP')
    process.kill(worker, 'SIGKILL')
    await sleep(STOPPED_MS)
    process.kill(main, 'SIGCONT')

    await vi.waitFor(
      () => {
        expect(tree.process.exitCode).toBe(null)
        expect(tree.pids('worker')).toHaveLength(2)
        expect(tree.pids('worker')).not.toContain(worker)
      },
      { timeout: 60_000 },
    )
  }

  expect(await tree.end()).toBe(0)
})

const STOPPED_MS = 1200
