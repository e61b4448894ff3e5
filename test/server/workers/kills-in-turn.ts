import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { answer, type Behaviour, stream } from '../../support/backend.ts'
import { startTree, type Tree } from './tree.ts'

export interface KillsTerms {
  readonly workers: number
  readonly yaml: (directory: string) => string
  /** How often each process is killed. */
  readonly rounds: number
  /** Running requests at a time. */
  readonly clients: number
  /** Kills Redis and starts it again; without it the tree has a process of its own for the store. */
  readonly killRedis?: () => Promise<void>
}

/** The clients' view, and the tree at the end: it serves, and no request is running. */
export interface Killed {
  readonly tree: Tree
  /** Requests whose answers came whole. */
  readonly served: readonly string[]
  /** Failures instead of a whole answer, with their number: `503 STORE_UNAVAILABLE`, `cut`. */
  readonly failures: ReadonlyMap<string, number>
  /** Answers that ended as if they were whole, and were not. */
  readonly unclean: readonly string[]
}

type Victim = number | 'main' | 'store'

/** Kills each process of a tree in turn, under load, and starts the tree again where it ended. */
export async function killInTurn({ workers, yaml, rounds, clients, killRedis }: KillsTerms): Promise<Killed> {
  let tree = await startTree(workers, yaml)
  const key = await tree.mint('pro', 'ada')
  const [served, unclean, failures] = [[] as string[], [] as string[], new Map<string, number>()]
  let isOver = false
  const client = async (number: number) => {
    for (let n = number; !isOver; n++) {
      const { id, end } = await askOnce(tree, key, n % 2 === 0)
      if (end === 'whole') served.push(id)
      else if (end === 'unclean') unclean.push(id)
      else failures.set(end, (failures.get(end) ?? 0) + 1)
    }
  }
  const running = Array.from({ length: clients }, (_, number) => client(number))

  const victims: readonly Victim[] = [...Array.from({ length: workers }, (_, slot) => slot), 'main', 'store']
  for (let n = 0; n < rounds * victims.length; n++) {
    const victim = victims[n % victims.length] ?? 'main'
    const before = served.length
    await vi.waitFor(() => expect(served.length).toBeGreaterThan(before + 2 * clients), PATIENCE)
    if (victim === 'store' && killRedis) await killRedis()
    else if (typeof victim === 'number') await killWorker(tree, victim)
    else {
      await killAll(tree, victim)
      tree = await startTree(workers, yaml, tree)
    }
  }
  const before = served.length
  await vi.waitFor(() => expect(served.length).toBeGreaterThan(before + 2 * clients), PATIENCE)
  isOver = true
  await Promise.all(running)
  return { tree, served, failures, unclean }
}

/**
 * A request on a connection of its own, and how it ended: `whole`, `unclean`, or what it failed with. Not by `fetch`, to
 * which a connection that is to close and breaks is the end of an answer.
 */
export async function askOnce(
  tree: Tree,
  key: string,
  stream: boolean,
): Promise<{ readonly id: string; readonly end: string }> {
  try {
    const asking = request(`${tree.url}/v1/chat/completions`, {
      ...{ method: 'POST', agent: false, signal: AbortSignal.timeout(60_000) },
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    asking.end(JSON.stringify({ stream, messages: [{ role: 'user', content: 'Hello' }] }))
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    const id = String(response.headers['x-request-id'])
    const answered = await text(response)
    if (response.statusCode !== 200) {
      await sleep(REFUSED_MS)
      return { id, end: `${response.statusCode} ${codeIn(answered)}` }
    }
    if (isWhole(answered)) return { id, end: 'whole' }
    return { id, end: answered.includes('"error"') ? 'error in a stream' : 'unclean' }
  } catch (error) {
    await sleep(REFUSED_MS)
    return { id: '', end: error instanceof Error && error.name === 'AbortError' ? 'no answer in 60 s' : 'cut' }
  }
}

/** One of a tree: another worker takes its slot, and all serve. */
async function killWorker(tree: Tree, slot: number): Promise<void> {
  const pid = tree.pids('worker')[slot] ?? 0
  process.kill(pid, 'SIGKILL')
  await vi.waitFor(async () => {
    const { workers } = (await tree.ask('GET', '/readyz')).body as { workers: { pid: number; state: string }[] }
    expect(workers.map(each => each.state)).toEqual(workers.map(() => 'serving'))
    expect(workers.some(each => each.pid === pid)).toBe(false)
  }, PATIENCE)
}

/** Main or the process of the store, with which all others end. Where main can still say why, it does. */
async function killAll(tree: Tree, victim: 'main' | 'store'): Promise<void> {
  const all = tree.processes()
  const pid = victim === 'main' ? tree.process.pid : tree.pids('store')[0]
  process.kill(pid ?? 0, 'SIGKILL')
  expect(await tree.ended).toBe(victim === 'main' ? null : UNWRITTEN)
  await vi.waitFor(() => expect(all.filter(isThere)).toEqual([]), PATIENCE)
  if (victim === 'store') expect(tree.said.join('\n')).toContain('the store process ended')
}

/** Each answer that came whole has one row of its own kind, and each request had an answer or an error. */
export function expectKept({ served, unclean, failures }: Killed, rows: readonly LedgerRow[]): void {
  const settled = rows.filter(({ kind }) => kind === 'settle').map(({ requestId }) => requestId)
  const known = new Set(settled)
  const twice = settled.length - known.size
  const lost = served.filter(id => !known.has(id))
  const late = failures.get('no answer in 60 s') ?? 0
  expect({ lost, twice, unclean, late }).toEqual({ lost: [], twice: 0, unclean: [], late: 0 })
}

/** How long a client waits after no answer: a start takes seconds, and more requests would only slow it down. */
const REFUSED_MS = 100

/** Whole answers, and streams that take a moment, so that a kill finds nearly every client's under way. */
export const brief: Behaviour = async exchange => {
  if (exchange.seen.body.stream === true) return stream({ chunks: ['word ', 'word ', 'word '], gapMs: 40 })(exchange)
  await sleep(100)
  return answer({ content: 'Hi' })(exchange)
}

const isWhole = (answered: string): boolean =>
  answered.startsWith('{') ? answered.endsWith('}') : answered.endsWith('data: [DONE]\n\n')

const codeIn = (refusal: string): string => /"code": ?"(\w+)"/.exec(refusal)?.[1] ?? refusal.slice(0, 100)

export const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const PATIENCE = { timeout: 60_000 }
/** The exit code of a gateway whose ledger may lack what was not written. */
export const UNWRITTEN = 5
