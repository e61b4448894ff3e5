import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import { answer, startBackend } from '../../support/backend.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const REPLICAS = 4
const TURNS = 5

it('with 3 workers, each turn of a dialogue goes where the turns before it are cached, whichever worker gets it', async () => {
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => startBackend()))
  const usage = { prompt_tokens: 100, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 40 } }
  for (const replica of replicas) replica.always(answer({ content: 'Yes.', usage: { ...usage, total_tokens: 103 } }))
  onTestFinished(async () => void (await Promise.all(replicas.map(each => each.close()))))
  const [{ url = '' } = {}] = replicas
  const urls = replicas.map(each => `"${each.url}"`).join(', ')
  const yaml = yamlOf(url, undefined, { pool: 'balance: prefix' })
  const tree = await startTree(3, directory => yaml(directory).replace(`["${url}"]`, `[${urls}]`))
  onTestFinished(async () => void (await tree.end()))
  const key = await tree.mint('pro', 'ada')

  const names = ['red', 'green', 'blue', 'white', 'black', 'brown', 'grey']
  const talks = names.map(name => [{ role: 'system', content: `${name} `.repeat(3000) }])
  for (let turn = 0; turn < TURNS; turn++) {
    for (const talk of talks) {
      talk.push({ role: 'user', content: `and ${turn}?` })
      await (await tree.chat(key, { messages: talk })).text()
      talk.push({ role: 'assistant', content: 'Yes.' })
    }
    if (turn === 0) await allWorkersKnow(tree, talks)
  }

  const homes = names.map(name =>
    replicas.map(
      ({ requests }) => requests.filter(({ body }) => JSON.stringify(body).includes(`${name} ${name}`)).length,
    ),
  )
  expect(homes.map(home => home.filter(Boolean))).toEqual(names.map(() => [TURNS]))
  // Chance would lead there too, but not knowing why.
  const { text } = await tree.ask('GET', '/metrics')
  expect(text).toContain(`svc_pool_picks_total{pool="onprem",why="prefix"} ${names.length * (TURNS - 1)}\n`)

  // Operators see the counts of all workers added up.
  const { body: shown } = await tree.ask('GET', '/admin/pools')
  const [onprem] = (shown as { data: readonly ShownPool[] }).data
  expect(onprem?.replicas.map(({ caching }) => caching)).toEqual(
    replicas.map(({ requests: { length } }) =>
      length === 0 ? undefined : { prompt_tokens: 100 * length, cached_tokens: 40 * length },
    ),
  )

  // Main tells operators what its workers know.
  expect(await whyOf(tree, talks[0] ?? [])).toBe('prefix')
})

type Talk = readonly { readonly role: string; readonly content: string }[]

/** Resolves once every worker has heard where the talks are cached. */
async function allWorkersKnow(tree: Tree, talks: readonly Talk[]): Promise<void> {
  for (const talk of talks)
    await vi.waitFor(async () => expect(await whyOf(tree, talk)).toBe('prefix'), { timeout: 60_000, interval: 5 })
  // Main gathers news for 3 ms, and has passed it on before it takes the second request from here. That follows it to each worker.
  await setTimeout(20)
  for (let asked = 0; asked < 2; asked++) await tree.ask('GET', '/admin/pools')
}

/** The reason for which main would pick a replica of the first pool. */
async function whyOf(tree: Tree, messages: Talk): Promise<string | undefined> {
  const { body } = await tree.ask('POST', '/admin/explain', { account: 'ada', body: { model: 'svc-core', messages } })
  const { pools } = body as { pools: readonly { readonly choice?: { readonly why: string } }[] }
  return pools[0]?.choice?.why
}
