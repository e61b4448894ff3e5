import { readFileSync } from 'node:fs'

/** Memory of processes, read at intervals for as long as each of them lives. */
export class Memory {
  readonly #lives = new Map<number, Life>()

  /** Reads the memory of a process now; one that ended has none. */
  read(what: string, pid: number, at = performance.now()): void {
    const bytes = residentOf(pid)
    if (bytes === undefined) return
    const life = this.#lives.get(pid) ?? { what, pid, samples: [] }
    this.#lives.set(pid, life)
    life.samples.push({ at, bytes })
  }

  /** All processes that were ever read. */
  get pids(): readonly number[] {
    return [...this.#lives.keys()]
  }

  /** The last readings, in MB, by process. */
  now(): Readonly<Record<string, number>> {
    const lives = [...this.#lives.values()].filter(({ pid }) => residentOf(pid) !== undefined)
    return Object.fromEntries(
      lives.map(({ what, pid, samples }) => [`${what} ${pid}`, megabytes(samples.at(-1)?.bytes)]),
    )
  }

  /** How each process grew in the second half of its life, if that lasted so long. */
  slopes(leastMs: number): readonly Slope[] {
    return [...this.#lives.values()].flatMap(({ what, pid, samples }) => {
      const end = samples.at(-1)?.at ?? 0
      const middle = ((samples[0]?.at ?? 0) + end) / 2
      const half = samples.filter(({ at }) => at >= middle)
      if (end - middle < leastMs || half.length < 3) return []
      const [first, last] = [half[0], half.at(-1)]
      const perHour = slopeOf(half.map(({ at, bytes }) => [at, bytes])) * 3600_000
      return [
        {
          what,
          pid,
          minutes: (end - middle) / 60_000,
          from: megabytes(first?.bytes),
          to: megabytes(last?.bytes),
          perHour: megabytes(perHour),
        },
      ]
    })
  }
}

export interface Slope {
  readonly what: string
  readonly pid: number
  /** How long it was looked at. */
  readonly minutes: number
  /** Megabytes, and megabytes an hour by least squares. */
  readonly from: number
  readonly to: number
  readonly perHour: number
}

/** Memory after a collection in the processes that are never killed, in MB. */
export interface Live {
  readonly minute: number
  readonly main: LiveOf
  readonly worker: LiveOf
}

/** How what is left after a collection grew from the middle of a run to its end: of the heap and what it owns, and of all that is resident. */
export function growthOf(live: readonly Live[]): Readonly<Record<'main' | 'worker', Growth>> {
  const half = live.slice(Math.floor(live.length / 2))
  const perHour = (megabytes: (one: Live) => number) =>
    Math.round(slopeOf(half.map(one => [one.minute / 60, megabytes(one)])) * 10) / 10
  const of = (what: 'main' | 'worker'): Growth => ({
    held: perHour(one => one[what].heap + one[what].external),
    resident: perHour(one => one[what].resident),
  })
  return { main: of('main'), worker: of('worker') }
}

/** MB an hour, by least squares. */
export interface Growth {
  readonly held: number
  readonly resident: number
}

interface LiveOf {
  readonly heap: number
  /** The memory that the heap has taken from the machine. */
  readonly committed: number
  readonly external: number
  readonly resident: number
}

interface Life {
  readonly what: string
  readonly pid: number
  readonly samples: Sample[]
}

interface Sample {
  readonly at: number
  readonly bytes: number
}

/** The slope of the best-fitting line: how much y grows with x. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length
  const [x, y] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  const above = points.reduce((sum, each) => sum + (each[0] - x) * (each[1] - y), 0)
  return above / points.reduce((sum, each) => sum + (each[0] - x) ** 2, 0)
}

function residentOf(pid: number): number | undefined {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return found ? Number(found[1]) * 1024 : undefined
  } catch {
    // It ended.
    return undefined
  }
}

const megabytes = (bytes = 0): number => Math.round(bytes / 1e5) / 10
