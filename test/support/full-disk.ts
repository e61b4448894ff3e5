import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, vi } from 'vitest'
import { openEmbeddedStore } from '../../src/adapters/embedded/store.ts'
import { expectBalanced } from '../adapters/store/directory.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { startTree, type Tree } from '../server/workers/tree.ts'
import { yamlOf } from '../server/workers/tree-yaml.ts'
import { answer, type Backend, startBackend } from './backend.ts'
import { type Failing, makeFailingDisk } from './failing-disk.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MOST_MEGABYTES = 64

/** File systems that a test can fill, as large as their store needs. */
export type Disk = 'tmpfs' | 'ext4' | 'xfs'

/** How each is made of an image, and mounted; tmpfs needs none. mkfs.xfs makes no disk as small as this unless it is told to. */
const DISKS: Readonly<
  Record<Disk, { readonly megabytes: number; readonly make?: readonly [string, ...string[]]; readonly options: string }>
> = {
  tmpfs: { megabytes: 40, options: '' },
  ext4: { megabytes: 40, make: ['mkfs.ext4', '-q', '-F'], options: 'loop,errors=remount-ro' },
  xfs: { megabytes: 64, make: ['mkfs.xfs', '-q', '-f', '--unsupported'], options: 'loop' },
}

/** A disk of its own, with the folder `data`; it is gone after the test. */
function mountDisk(kind: Disk): string {
  const { megabytes, make, options } = DISKS[kind]
  if (megabytes > MOST_MEGABYTES) throw new Error('a disk that is filled is small')
  const directory = mkdtempSync(join(tmpdir(), 'full-disk-'))
  const disk = join(directory, 'disk')
  mkdirSync(disk)
  if (!make) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk])
  else {
    const image = join(directory, 'image')
    execFileSync('truncate', ['-s', `${megabytes}M`, image])
    const [command, ...words] = make
    execFileSync(command, [...words, image])
    execFileSync('mount', ['-o', options, image, disk])
  }
  chmodSync(disk, 0o700)
  onTestFinished(async () => {
    execFileSync('umount', ['-l', disk])
    await removeFolder(directory)
  })
  return disk
}

/** Takes every byte that is left of a disk. Returns what gives them back. Throws where it is no disk of `mountDisk`. */
function fillDisk(disk: string): () => void {
  const { blocks, bsize } = statfsSync(disk)
  if (blocks * bsize > MOST_MEGABYTES * 2 ** 20) throw new Error(`${disk} is no small disk of a test`)
  const ballast = join(disk, 'ballast')
  const file = openSync(ballast, 'a')
  for (let size = 2 ** 20; size >= 1; size /= 4) {
    const zeros = Buffer.alloc(size)
    try {
      while (writeSync(file, zeros) === size);
      // ext4 may find room for its own records only here.
      fsyncSync(file)
    } catch {
      // Smaller pieces may still fit.
    }
  }
  closeSync(file)
  return () => rmSync(ballast)
}

const PATIENCE = { timeout: 60_000, interval: 20 }
const CLIENTS = 16

const yamlOn = (disk: string, backend: Backend) => yamlOf(backend.url, () => `embedded:${disk}/store`)

/** Clients that ask without end, and what they were answered. */
class Clients {
  readonly served: string[] = []
  readonly others = new Map<number, number>()
  #isOver = false
  readonly #all: readonly Promise<void>[]

  constructor(tree: Tree, key: string) {
    this.#all = Array.from({ length: CLIENTS }, () => this.#ask(tree, key))
  }

  refused(): number {
    return this.others.get(503) ?? 0
  }

  /** Answers other than 200, and none at all. */
  unserved(): number {
    return [...this.others.values()].reduce((sum, count) => sum + count, 0)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#all)
  }

  async #ask(tree: Tree, key: string): Promise<void> {
    while (!this.#isOver) {
      const response = await tree.chat(key, {}, AbortSignal.timeout(20_000)).catch(() => undefined)
      const text = await response?.text().catch(() => undefined)
      const status = text === undefined ? 0 : (response?.status ?? 0)
      if (status === 200) this.served.push(response?.headers.get('x-request-id') ?? '')
      else this.others.set(status, (this.others.get(status) ?? 0) + 1)
      await sleep(status === 200 ? 2 : 20)
    }
  }
}

/**
 * Fills the disk of a store again and again under load, also for moments only, while another process takes what a commit
 * frees. The gateway refuses, alarms, and serves again once there is room; nothing that it acknowledged is lost.
 */
export async function expectSurvives(kind: Disk, workers: number, fillings: number): Promise<string> {
  const disk = mountDisk(kind)
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  backend.always(answer({ content: 'Hi' }))
  const tree = await startTree(workers, yamlOn(disk, backend))
  onTestFinished(() => void tree.end())
  const clients = new Clients(tree, await tree.mint('pro', 'ada'))
  for (let filling = 0; filling < fillings; filling++) {
    const before = clients.served.length
    await vi.waitFor(() => expect(clients.served.length).toBeGreaterThan(before + 50), PATIENCE)
    const refused = clients.refused()
    const free = fillDisk(disk)
    await vi.waitFor(() => expect(clients.refused()).toBeGreaterThan(refused + 100), PATIENCE)
    free()
    const full = clients.served.length
    await vi.waitFor(() => expect(clients.served.length).toBeGreaterThan(full + 20), PATIENCE)
    expect(tree.process.exitCode ?? tree.process.signalCode).toBeNull()
  }
  await clients.stop()
  const [full, back] = [FULL_ALARM, BACK_ALARM].map(text => tree.said.filter(line => line.includes(text)).length)
  expect(await tree.drain()).toBe(0)
  // LMDB says so of each write that failed.
  expect(tree.said.filter(line => line.includes('Write error'))).toEqual([])
  expect([full, back]).toEqual([fillings, fillings])
  expect([...clients.others.keys()]).toEqual([503])
  const rows = await expectServed(join(disk, 'store'), clients.served)
  return `${kind}, workers ${workers}: ${fillings} fillings, ${clients.served.length} served, ${clients.refused()} refused, ${rows} rows`
}

/**
 * Has ext4 find itself broken under load, so that the disk is read-only from one moment to the next. The process may end;
 * a start names the cause, and once the disk is mended all that was acknowledged is there.
 */
export async function expectKeepsReadOnly(workers: number): Promise<string> {
  const disk = mountDisk('ext4')
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  backend.always(answer({ content: 'Hi' }))
  const yaml = yamlOn(disk, backend)
  const tree = await startTree(workers, yaml)
  onTestFinished(() => void tree.end())
  const clients = new Clients(tree, await tree.mint('pro', 'ada'))
  await vi.waitFor(() => expect(clients.served.length).toBeGreaterThan(50), PATIENCE)

  breakDisk(disk)
  await vi.waitFor(() => expect(clients.unserved()).toBeGreaterThan(50), PATIENCE)
  await clients.stop()
  tree.process.kill('SIGTERM')
  const code = await tree.ended

  await expect(startTree(workers, yaml, tree)).rejects.toThrow(/read-only/)
  mendDisk(disk)
  const next = await startTree(workers, yaml, tree)
  expect(await next.drain()).toBe(0)
  const rows = await expectServed(join(disk, 'store'), clients.served)
  return `read-only, workers ${workers}: ${clients.served.length} served, ${rows} rows, exit ${code ?? tree.process.signalCode}`
}

/**
 * Fails the writes or reads of a gateway on its store under load, as a disk does that dies. The process may end; a start
 * names the cause, and once the disk works again all that was acknowledged is there.
 */
export async function expectSurvivesErrors(what: Exclude<Failing, 'nothing'>, workers: number): Promise<string> {
  const directory = temporaryFolder('failing-disk')
  const failing = makeFailingDisk(directory)
  onTestFinished(() => failing.remove())
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  backend.always(answer({ content: 'Hi' }))
  const yaml = yamlOn(directory, backend)
  const preloaded = ['env', ...failing.env]
  const tree = await startTree(workers, yaml, undefined, preloaded)
  onTestFinished(() => void tree.end())
  const clients = new Clients(tree, await tree.mint('pro', 'ada'))
  await vi.waitFor(() => expect(clients.served.length).toBeGreaterThan(50), PATIENCE)

  failing.fail(what)
  await vi.waitFor(() => expect(clients.unserved()).toBeGreaterThan(50), PATIENCE)
  await clients.stop()
  tree.process.kill('SIGTERM')
  const code = await tree.ended

  await expectNamesTheCause(() => startTree(workers, yaml, tree, preloaded))
  failing.fail('nothing')
  const next = await startTree(workers, yaml, tree, preloaded)
  expect(await next.drain()).toBe(0)
  const rows = await expectServed(join(directory, 'store'), clients.served)
  return `EIO of ${what}, workers ${workers}: ${clients.served.length} served, ${rows} rows, exit ${code ?? tree.process.signalCode}`
}

/** A start ends with the disk's error, or is not ready and has logged it: its first write may fail once it listens. */
async function expectNamesTheCause(start: () => Promise<Tree>): Promise<void> {
  const begun = await start().catch((error: Error) => error)
  if (begun instanceof Error) return expect(begun.message).toMatch(EIO)
  await vi.waitFor(async () => {
    if (begun.process.exitCode === null)
      expect((await begun.ask('GET', '/readyz')).body).toMatchObject({ status: 'unavailable', store: 'unavailable' })
    expect(begun.said.join('\n')).toMatch(EIO)
  }, PATIENCE)
  begun.process.kill('SIGTERM')
  await begun.ended
}

const EIO = /EIO|Input\/output error/i

/** As a disk does whose blocks cannot be read: ext4 then writes no more. */
function breakDisk(disk: string): void {
  const device = execFileSync('findmnt', ['-no', 'SOURCE', disk], { encoding: 'utf8' }).trim()
  writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, '1')
}

function mendDisk(disk: string): void {
  const image = join(dirname(disk), 'image')
  execFileSync('umount', [disk])
  // It exits 1 where it mended something.
  expect([0, 1]).toContain(spawnSync('e2fsck', ['-f', '-y', image]).status)
  execFileSync('mount', ['-o', DISKS.ext4.options, image, disk])
}

const FULL_ALARM = 'the disk of the store is full: requests get 503'
const BACK_ALARM = 'the disk of the store has room again'

/** All that was served is in the ledger once, and sums are those of the rows. */
async function expectServed(path: string, served: readonly string[]): Promise<number> {
  const store = await openEmbeddedStore({ path, now: Date.now })
  onTestFinished(() => store.close())
  const [account] = await store.accounts.findByLabel('ada')
  const rows = await expectBalanced(store, account?.account ?? '')
  const ids = new Set(rows.filter(({ kind }) => kind === 'settle').map(({ requestId }) => requestId))
  expect(served.filter(id => !ids.has(id))).toEqual([])
  return rows.length
}

/** Whether a disk of this kind can be made here. */
export const canMake = (kind: Disk): boolean => kind !== 'xfs' || spawnSync('mkfs.xfs', ['-V']).status === 0

/** Whether this user may mount disks. */
export const mayMountDisks: boolean =
  process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
