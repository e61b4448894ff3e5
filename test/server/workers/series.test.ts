import { expect, it, onTestFinished } from 'vitest'
import type { ShownSeries } from '../../../src/wire/admin/series.ts'
import { answer, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { startTree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const SERVED = 12

it('the time series of a gateway have the requests of all its workers, and go on after a restart', async () => {
  const backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
  onTestFinished(() => backend.close())
  let tree = await startTree(2, yamlOf(backend.url))
  const totals = async () => {
    const { body } = await tree.ask('GET', '/admin/series?minutes=60')
    const { served, input_tokens } = (body as ShownSeries).total
    return { served, input_tokens }
  }
  const key = await tree.mint('pro', 'ada')
  await Promise.all(Array.from({ length: SERVED }, async () => (await tree.chat(key)).text()))
  await eventually(async () => expect(await totals()).toEqual({ served: SERVED, input_tokens: SERVED * 9 }))

  await (await tree.chat(key)).text()
  await tree.drain()
  tree = await startTree(2, yamlOf(backend.url), tree)
  onTestFinished(async () => void (await tree.end()))
  expect(await totals()).toEqual({ served: SERVED + 1, input_tokens: (SERVED + 1) * 9 })
})
