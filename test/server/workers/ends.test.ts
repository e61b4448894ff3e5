import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { expectBalanced } from '../../adapters/store/directory.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { brief, expectKept, isThere, killInTurn, UNWRITTEN } from './kills-in-turn.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.close())

/** Rows left in the store of a gateway that ended. */
async function rowsLeft(tree: Tree): Promise<readonly LedgerRow[]> {
  const store = await openEmbeddedStore({ path: join(tree.directory, 'store'), now: Date.now })
  const [account] = await store.accounts.findByLabel('ada')
  const rows = await expectBalanced(store, account?.account ?? '')
  await store.close()
  return rows
}

/** Stops a gateway as an operator does who does not wait for what runs. */
async function cut(tree: Tree, between = () => {}): Promise<void> {
  tree.process.kill('SIGTERM')
  await eventually(() => expect(tree.logged.join('\n')).toContain('stopping'))
  // Two signals within a tenth of a second are one to it.
  await sleep(150)
  between()
  tree.process.kill('SIGTERM')
}

it('drains: what runs is answered, and nothing is left of any process', async () => {
  backend.always(async context => {
    await sleep(300)
    return answer({ content: 'Hi' })(context)
  })
  const tree = await startTree(
    2,
    yamlOf(backend.url, directory => `embedded:${directory}/store`),
  )
  onTestFinished(() => void tree.end())
  const key = await tree.mint('pro', 'ada')
  const [all, before] = [tree.processes(), backend.requests.length]
  const running = [tree.chat(key), tree.chat(key), tree.chat(key)]
  await eventually(() => expect(backend.requests.length).toBe(before + 3))

  expect(await tree.drain()).toBe(0)

  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(all.filter(isThere)).toEqual([])
  expect(await rowsLeft(tree)).toHaveLength(3)
})

it('a worker that takes longer than main to cut its requests still settles them, and answers', async () => {
  backend.always(() => new Promise(() => {}))
  const tree = await startTree(
    2,
    yamlOf(backend.url, directory => `embedded:${directory}/store`),
  )
  onTestFinished(() => void tree.end())
  const key = await tree.mint('pro', 'ada')
  const before = backend.requests.length
  const running = [tree.chat(key), tree.chat(key)]
  await eventually(() => expect(backend.requests.length).toBe(before + 2))
  const slow = tree.pids('worker')

  await cut(tree, () => {
    for (const pid of slow) process.kill(pid, 'SIGSTOP')
  })
  // Longer than main waits for what was cut, and shorter than a worker may be silent.
  await sleep(2800)
  for (const pid of slow) process.kill(pid, 'SIGCONT')

  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([503, 503])
  expect(await tree.ended).toBe(0)
})

it.each(['killed', 'drained'] as const)(
  'leaves its store to the next one where a worker hangs, whether main is %s',
  async how => {
    backend.always(brief)
    const yaml = yamlOf(backend.url, directory => `embedded:${directory}/store`)
    const tree = await startTree(2, yaml)
    const key = await tree.mint('pro', 'ada')
    expect((await tree.chat(key)).status).toBe(200)
    const [all, [hanging = 0]] = [tree.processes(), tree.pids('worker')]
    onTestFinished(() => void (isThere(hanging) && process.kill(hanging, 'SIGCONT')))
    process.kill(hanging, 'SIGSTOP')
    if (how === 'killed') tree.process.kill('SIGKILL')
    else await cut(tree)
    expect(await tree.ended).toBe(how === 'killed' ? null : UNWRITTEN)

    const next = await startTree(2, yaml, tree)

    expect((await next.chat(key)).status).toBe(200)
    // Main ends what hangs; where it could not, it ends once it goes on.
    if (how === 'drained') expect(all.filter(isThere)).toEqual([])
    else process.kill(hanging, 'SIGCONT')
    await eventually(() => expect(all.filter(isThere)).toEqual([]))
    expect(await next.end()).toBe(0)
  },
  120_000,
)

it('ends where its connection to the store does, as it cannot be made anew', async () => {
  const preload = fileURLToPath(new URL('./cut-link.js', import.meta.url))
  const yaml = yamlOf(backend.url, directory => `embedded:${directory}/store`)
  const tree = await startTree(2, yaml, undefined, ['env', `NODE_OPTIONS=--import=${preload}`])
  onTestFinished(() => void tree.end())
  const all = tree.processes()

  tree.process.kill('SIGUSR2')

  expect(await tree.ended).toBe(UNWRITTEN)
  await eventually(() => expect(all.filter(isThere)).toEqual([]))
  expect(tree.said.filter(line => line.includes('the store process ended'))).toHaveLength(1)
})

it('loses and doubles nothing where each of its processes is killed under load, and is whole again', async () => {
  backend.always(brief)
  const yaml = yamlOf(backend.url, directory => `embedded:${directory}/store`)
  const killed = await killInTurn({ workers: 2, yaml, rounds: 1, clients: 8 })
  onTestFinished(() => void killed.tree.end())
  expect(await killed.tree.drain()).toBe(0)
  expectKept(killed, await rowsLeft(killed.tree))
}, 240_000)
