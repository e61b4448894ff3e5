import { spread } from '../harness/size.ts'
import { growthOf, type Live, type Slope } from './memory.ts'
import { kinds, type Violence } from './violence.ts'

export interface SoakFigures {
  readonly minutes: number
  readonly figures: {
    readonly requests: number
    readonly ended: object
    readonly reloads: object
    readonly revocations: object
    readonly healthy: { readonly requests: number; readonly others: object; readonly p: object; readonly calm: object }
  }
  readonly sums: Readonly<Record<string, number>>
  /** The kinds of rows, with how many there are. */
  readonly rows: string
  readonly slopes: readonly Slope[]
  readonly live: readonly Live[]
  readonly violence: Violence
}

/** The results of a soak, one line each. */
export function tableOf({ minutes, figures, sums, rows, slopes, live, violence }: SoakFigures): string {
  const { healthy } = figures
  const lines: [string, string][] = [
    ['minutes', String(minutes)],
    ['requests', `${figures.requests}: ${shown(figures.ended)}`],
    ...kinds.map((kind): [string, string] => {
      const back = violence.backMs(kind)
      return [`kills of a ${kind}`, `${back.length}; all well again after ms ${spread(back)}`]
    }),
    ['reloads, by status', shown(figures.reloads)],
    ['revocations', shown(figures.revocations)],
    ['healthy clients, ms', `${healthy.requests} requests: ${shown(healthy.p)}; not served ${shown(healthy.others)}`],
    ['healthy clients between kills, ms', shown(healthy.calm)],
    ...slopes.map(({ what, pid, minutes: over, from, to, perHour }): [string, string] => [
      `memory of ${what} ${pid}`,
      `${from} → ${to} MB in ${over.toFixed(1)} minutes: ${perHour} MB/h`,
    ]),
    ...live.map(({ minute, main, worker }): [string, string] => [
      `after a collection in minute ${minute.toFixed(0)}, MB`,
      `main ${shown(main)}, worker ${shown(worker)}`,
    ]),
    ['growth after collections, MB/h', shown(growthOf(live))],
    ['rows', rows],
    ['sums, nano-USD', shown(sums)],
  ]
  return lines.map(([what, figure]) => `${what.padEnd(36)} ${figure}`).join('\n')
}

const shown = (figures: object): string => JSON.stringify(figures).replaceAll('"', '')
