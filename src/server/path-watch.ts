import { type FSWatcher, lstatSync, readlinkSync, type Stats, watch } from 'node:fs'
import { dirname, join, parse, resolve, sep } from 'node:path'
import type { Alarm } from '../gateway/ports.ts'
import type { Millis } from '../policy/config.ts'

/**
 * Watches paths, whether they are there or not. An event only says that it is time to look: directories are watched,
 * since files are replaced by renaming others, and a mount of Kubernetes by turning a link.
 */
export class PathWatch {
  readonly #look: () => Promise<unknown>
  readonly #alarm: Alarm
  readonly #watchers = new Map<string, Watched>()
  #timer: NodeJS.Timeout | undefined
  #restlessSince: number | undefined

  /** `look` finds out whether anything has changed. */
  constructor(look: () => Promise<unknown>, alarm: Alarm) {
    this.#look = look
    this.#alarm = alarm
  }

  /** From now on these paths. */
  follow(paths: readonly string[]): void {
    const wanted = new Set(paths.flatMap(directoriesOf))
    for (const [directory, { watcher, entry }] of this.#watchers) {
      // One that was removed has no more events, should another come in its place.
      if (wanted.has(directory) && isSame(entryAt(directory), entry)) continue
      watcher.close()
      this.#watchers.delete(directory)
    }
    const fresh = [...wanted].filter(directory => !this.#watchers.has(directory))
    for (const directory of fresh) this.#watch(directory)
    // Something may have changed there before it was watched.
    if (fresh.length > 0) this.#stir()
  }

  #watch(directory: string): void {
    const lost = (error: unknown) => {
      this.#watchers.delete(directory)
      this.#alarm('a directory cannot be watched: send SIGHUP after changes', { directory, error: String(error) })
    }
    try {
      const entry = entryAt(directory)
      const watcher = watch(directory, { persistent: false }, () => this.#stir()).on('error', lost)
      this.#watchers.set(directory, { watcher, entry })
    } catch (error) {
      lost(error)
    }
  }

  #stir(): void {
    const now = performance.now()
    this.#restlessSince ??= now
    clearTimeout(this.#timer)
    const rest = Math.max(0, Math.min(REST_MS, this.#restlessSince + REST_MAX_MS - now))
    this.#timer = setTimeout(() => {
      this.#restlessSince = undefined
      void this.#look()
    }, rest)
    this.#timer.unref()
  }
}

/** A file is still being written when its first change is seen. */
const REST_MS: Millis = 200
/** However restless a directory is, its files are looked at as often. */
const REST_MAX_MS: Millis = 2000

interface Watched {
  readonly watcher: FSWatcher
  /** The directory as it was when it came to be watched. */
  readonly entry: Stats | undefined
}

/** File systems give the number of a directory that was removed to the next one that is made. */
const isSame = (a: Stats | undefined, b: Stats | undefined): boolean =>
  a?.ino === b?.ino && a?.birthtimeMs === b?.birthtimeMs

/** Links that lead on from links; a longer chain is a loop. */
const MOST_LINKS = 40

/** The directories in which something changes when a path comes to lead elsewhere: its own, and that of every link on the way. */
function directoriesOf(path: string): readonly string[] {
  const found = new Set<string>()
  let left = resolve(path)
  for (let links = 0; links < MOST_LINKS; links++) {
    const link = firstLink(left)
    found.add(link.directory)
    if (link.leadsTo === undefined) return [...found]
    left = link.leadsTo
  }
  return [...found]
}

/** The first link on a path, and where the path goes on behind it; without one the directory that the path ends in. */
function firstLink(path: string): { readonly directory: string; readonly leadsTo?: string } {
  const { root } = parse(path)
  const steps = path.slice(root.length).split(sep)
  let directory = root
  for (const [index, step] of steps.entries()) {
    const here = join(directory, step)
    const entry = entryAt(here)
    if (entry?.isSymbolicLink()) {
      const target = linkAt(here)
      if (target === undefined) return { directory }
      return { directory, leadsTo: resolve(directory, target, ...steps.slice(index + 1)) }
    }
    // Where it would have to appear.
    if (!entry) return { directory }
    if (index === steps.length - 1) return { directory: entry.isDirectory() ? here : directory }
    directory = here
  }
  return { directory: dirname(path) }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // The link was just turned.
    return undefined
  }
}

function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    // Not there, or not for this process to see.
    return undefined
  }
}
