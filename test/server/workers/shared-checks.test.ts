import { expect, it, onTestFinished } from 'vitest'
import type { ShownProcess } from '../../../src/wire/admin/process.ts'
import { answer, startBackend, status } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { startTree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const WORKERS = 3
const REQUESTS = 24

it('three workers whose requests a replica refuses share one health check, and all answer by its verdict', async () => {
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  backend.always(status(403, { error: { message: 'flagged' } }))
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  backend.answersChecks(async exchange => {
    await released
    await answer({ content: 'Hi' })(exchange)
  })
  const tree = await startTree(WORKERS, yamlOf(backend.url))
  onTestFinished(async () => void (await tree.end()))
  const key = await tree.mint('pro', 'ada')

  const asking = Array.from({ length: REQUESTS }, async () => (await tree.chat(key)).status)
  // Each waits for the verdict.
  await backend.received(REQUESTS)
  await eventually(async () => {
    const { body } = await tree.ask('GET', '/admin/workers')
    const workers = (body as { data: readonly ShownProcess[] }).data.filter(({ process }) => process === 'worker')
    expect(workers.map(({ in_flight }) => in_flight).filter(count => count > 0)).toHaveLength(WORKERS)
  })
  release()

  expect(new Set(await Promise.all(asking))).toEqual(new Set([403]))
  expect(backend.checks).toHaveLength(1)
})
