import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { load } from '../../../src/config/load.ts'
import type { WorkerPorts } from '../../../src/server/compose/ports.ts'
import { startWorker } from '../../../src/server/compose/worker.ts'
import { world } from '../../../src/server/world.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { yamlOf } from './tree-yaml.ts'

it('a worker knows how long rows are kept while its store still opens, which then writes what waited for it', async () => {
  const directory = temporaryFolder('begins')
  const yaml = yamlOf('http://127.0.0.1:1/v1', own => `embedded:${own}/store`)(directory)
  await writeFile(join(directory, 'config.yaml'), `${yaml}ledger: { keep: 3d }\n`)
  const result = load('config.yaml', {}, directory)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const kept: number[] = []
  const openState: WorkerPorts['openState'] = async ({ keep }) => {
    kept.push(keep())
    throw new Error('it is not opened')
  }
  const main = { openState } as unknown as WorkerPorts

  const started = startWorker(result.loaded, world, { log: () => {}, alarm: () => {} }, main)

  await expect(started).rejects.toThrow('it is not opened')
  expect(kept).toEqual([3 * 86_400_000])
})
