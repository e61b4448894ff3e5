import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { StoreLocked } from '../../src/adapters/embedded/lock.ts'
import { openEmbeddedStore } from '../../src/adapters/embedded/store.ts'
import { newDirectory } from './directory.ts'
import { ledgerOf } from './fixtures.ts'

const ROUNDS = 3
/** Blocks of 1,024 bytes in bash: room for a few thousand rows. */
const FULL_AT = 400
const root = resolve(import.meta.dirname, '../..')
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
  await rm(built, { recursive: true })
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

/** What a child said before it was killed, a few hundred settlements in. */
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

/** Everything that was said to be settled is in the ledger, and the spend is the sum of it. */
async function expectKept(path: string, settled: readonly string[]): Promise<void> {
  const store = await openEmbeddedStore({ path, now })
  const requests = (await ledgerOf(store)).map(({ requestId }) => requestId)
  const { used, held } = await store.readSpend('acct_a')
  await store.close()

  const kept = new Set(requests)
  expect(settled.length).toBeGreaterThanOrEqual(100)
  expect(kept.size).toBe(requests.length)
  expect(settled.filter(requestId => !kept.has(requestId))).toEqual([])
  expect({ used, held }).toEqual({ used: 50 * requests.length, held: 0 })
}

it('kill -9 loses no settlement that resolved, and the next process can open the store', async () => {
  const path = await newDirectory()

  for (let round = 1; round <= ROUNDS; round++) await expectKept(path, await settleUntilKilled(path))
})

it('a full disk ends settlements with StoreUnavailable, and neither the process nor what was settled', async () => {
  const path = await newDirectory()
  const settled: string[] = []

  const limited = ['-c', `ulimit -f ${FULL_AT}; exec "$0" "$@"`, ...childOf(path)]
  for await (const line of linesOf('bash', limited)) settled.push(line)

  expect(settled.pop()).toBe('StoreUnavailable')
  await expectKept(path, settled)
})
