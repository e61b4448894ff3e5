import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { StoreLocked } from '../../../src/adapters/embedded/store-directory.ts'
import type { RuleClaim } from '../../../src/policy/limits/rule-claim.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { expectBalanced, newDirectory, openWatched } from './directory.ts'
import { claimsOf, clockAt, NOON, sumOf } from './fixtures.ts'
import { beginLife, type Crash, crashOf, expectKept, live, lives } from './random-life.ts'

const ROUNDS = 3
/** Blocks of 1,024 bytes in bash: what a store holds back, and room for a few thousand rows. */
const FULL_AT = 3000
const root = resolve(import.meta.dirname, '../../..')
let built: string

const now = () => Date.now()

/** Node 20 runs JavaScript only, so the child needs the store built; inside node_modules, where its imports resolve. */
beforeAll(async () => {
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  built = await mkdtemp(join(cache, 'store-'))
  const project = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: { rootDir: join(root, 'src'), outDir: built, typeRoots: [join(root, 'node_modules/@types')] },
    files: [join(root, 'src/adapters/embedded/store.ts')],
    include: [],
  }
  await writeFile(join(built, 'tsconfig.json'), JSON.stringify(project))
  await writeFile(join(built, 'package.json'), JSON.stringify({ type: 'module' }))
  await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', built])
})

afterAll(async () => {
  await removeFolder(built)
})

const childFile = fileURLToPath(new URL('./crash.child.js', import.meta.url))
const childOf = (path: string): string[] => [process.execPath, childFile, built, path]

async function* linesOf(command: string, args: readonly string[]): AsyncGenerator<string, void, undefined> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const exit = once(child, 'exit')
  try {
    yield* createInterface({ input: child.stdout })
  } finally {
    child.kill('SIGKILL')
    await exit
  }
}

/** A child's output before it was killed, a few hundred settlements in. */
async function settleUntilKilled(path: string): Promise<string[]> {
  const [command = '', ...args] = childOf(path)
  const settled: string[] = []
  for await (const line of linesOf(command, args)) {
    settled.push(line)
    if (settled.length === 1) await expect(openEmbeddedStore({ path, now })).rejects.toThrow(StoreLocked)
    if (settled.length === 300) break
  }
  return settled
}

/** Everything that was said to be settled is in the ledger once; what is left of the others is at their checkpoints. */
async function expectSettled(path: string, settled: readonly string[]): Promise<void> {
  const store = await openEmbeddedStore({ path, now })
  const rows = await expectBalanced(store, 'acct_a')
  const rules = await store.holds.readRules('acct_a', { ...claimsOf(), rules: RULES })
  await store.close()

  const kept = new Set(rows.filter(({ kind }) => kind === 'settle').map(({ requestId }) => requestId))
  const orphans = rows.filter(({ kind }) => kind === 'orphan')
  expect(settled.length).toBeGreaterThanOrEqual(100)
  expect(orphans.length).toBeGreaterThanOrEqual(4)
  expect(kept.size + orphans.length).toBe(rows.length)
  expect(settled.filter(requestId => !kept.has(requestId))).toEqual([])
  expect(orphans.filter(({ requestId, cost }) => kept.has(requestId) || cost !== 14)).toEqual([])
  expect(rules).toMatchObject([
    { used: sumOf(rows), held: 0 },
    { used: 0, held: 0 },
  ])
}

/** Those of the child. */
const RULES: readonly RuleClaim[] = [
  { rule: { measure: 'usd', most: 1e12, per: '90d', of: 'user' }, group: 'user:ada', field: 'usd/90d//' },
  { rule: { measure: 'concurrent', most: 1e12, of: 'user' }, group: 'user:ada', field: 'concurrent///' },
]

it('kill -9 loses no settlement that resolved, and the next process can open the store', async () => {
  const path = await newDirectory()

  for (let round = 1; round <= ROUNDS; round++) await expectSettled(path, await settleUntilKilled(path))
})

it('a full disk ends settlements with StoreUnavailable, and neither the process nor what was settled', async () => {
  const path = await newDirectory()
  const settled: string[] = []

  const limited = ['-c', `ulimit -f ${FULL_AT}; exec "$0" "$@"`, ...childOf(path)]
  for await (const line of linesOf('bash', limited)) settled.push(line)

  expect(settled.pop()).toBe('StoreUnavailable')
  await expectSettled(path, settled)
})

it('whenever it crashes, nothing that resolved is lost, and `used` and what guests share are the sum of the rows', async () => {
  await fc.assert(
    fc.asyncProperty(lives, async steps => {
      const clock = clockAt(NOON)
      const { path, store, disk, files, shop } = await openWatched(clock.now)
      const life = await beginLife(store, shop, clock)
      // The files change with a commit and at no other time.
      const crashes: Crash[] = []
      disk.commit = async writes => {
        await files.commit(writes)
        crashes.push(await crashOf(life, path))
      }
      await live(life, steps)
      await store.flush()

      for (const crash of crashes) await expectKept(crash, life)
    }),
    { numRuns: 15 },
  )
})
