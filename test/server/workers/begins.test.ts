import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { load } from '../../../src/config/load.ts'
import { startGateway } from '../../../src/server/gateway.ts'
import type { WorkerPart } from '../../../src/server/part.ts'
import { world } from '../../../src/server/world.ts'
import { yamlOf } from './tree-yaml.ts'

it('a worker knows how long rows are kept while its store still opens, which then writes what waited for it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'begins-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const yaml = yamlOf('http://127.0.0.1:1/v1', own => `embedded:${own}/store`)(directory)
  await writeFile(join(directory, 'config.yaml'), `${yaml}ledger: { keep: 3d }\n`)
  const result = load('config.yaml', {}, directory)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const kept: number[] = []
  const openState: WorkerPart['openState'] = async ({ keep }) => {
    kept.push(keep())
    throw new Error('it is not opened')
  }
  const part = { kind: 'worker', openState } as unknown as WorkerPart

  const started = startGateway(result.loaded, world, {
    adminToken: 'token',
    log: () => {},
    alarm: () => {},
    part,
  })

  await expect(started).rejects.toThrow('it is not opened')
  expect(kept).toEqual([3 * 86_400_000])
})
