import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { answer, startBackend } from '../../support/backend.ts'
import { isThere } from './kills-in-turn.ts'
import { startTree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const LIMIT = '{ requests: 6, per: day, of: plan }'

it('a limit of a reload that was refused counts what was used meanwhile, once a later one is taken', async () => {
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  backend.always(answer({ content: 'Hi' }))
  const tree = await startTree(
    2,
    yamlOf(backend.url, directory => `embedded:${directory}/store`),
  )
  onTestFinished(async () => void (await tree.end()))
  const key = await tree.mint('pro', 'ada')
  const ask = async (times: number) => {
    for (let n = 0; n < times; n++) expect((await tree.chat(key)).status).toBe(200)
  }
  await ask(2)
  const text = readFileSync(tree.file, 'utf8').replace('monthly_usd: 500', `monthly_usd: 500, limits: [${LIMIT}]`)
  writeFileSync(tree.file, text)
  const [hanging = 0] = tree.pids('worker')
  process.kill(hanging, 'SIGSTOP')
  onTestFinished(() => void (isThere(hanging) && process.kill(hanging, 'SIGCONT')))

  expect((await tree.ask('POST', '/admin/reload')).status).toBe(409)
  if (isThere(hanging)) process.kill(hanging, 'SIGCONT')
  await vi.waitFor(
    async () => {
      const { workers } = (await tree.ask('GET', '/readyz')).body as { readonly workers: readonly { state: string }[] }
      expect(workers.map(({ state }) => state)).toEqual(['serving', 'serving'])
    },
    { timeout: 60_000 },
  )
  await ask(3)
  expect((await tree.ask('POST', '/admin/reload')).status).toBe(200)

  await ask(1)
  expect((await tree.chat(key)).status).toBe(429)
}, 120_000)
