import { counted } from '../../config/format/problem-text.ts'
import { loadWithStandIns } from '../../config/stand-ins.ts'
import { loadedOrFail } from '../../operator/load-files.ts'
import { type NanoUsd, nanoUsd, subtractNanoUsd } from '../../policy/nano-usd.ts'
import { world } from '../../server/world.ts'
import { Replay, type Replayed, type Tally } from '../../simulate/replay.ts'
import { usdText } from '../../wire/money.ts'
import { jsonText } from '../../wire/printable.ts'
import { filesAt, partsOf, sizeOf } from '../explain/decision-lines.ts'
import { type Column, foldedText, tableText } from '../kit/table.ts'
import { Progress, writeOut } from '../kit/terminal.ts'
import type { ReplayOptions } from './replay.ts'

/** Decides the requests of a decision log by the files of a candidate, and prints what would change. */
export async function replay(log: string, { config: file, json }: ReplayOptions): Promise<void> {
  const { config } = loadedOrFail(loadWithStandIns(file, process.env, process.cwd()))
  const files = log === '-' ? ['-'] : await filesAt(log)
  const progress = new Progress(process.stderr, world.clock, log === '-' ? undefined : await sizeOf(files))
  const replayed = new Replay(config)
  try {
    for await (const { lines, bytes } of partsOf(files)) {
      for (const line of lines) replayed.add(line)
      progress.add(bytes)
    }
  } finally {
    progress.end()
  }
  const told = { ...replayed.replayed, candidate: config.revision }
  await writeOut([json ? replayJson(told) : replayText(told)])
}

/** The outcome of a replay, and the candidate it was done with. */
export interface ReplayTold extends Replayed {
  /** Its revision. */
  readonly candidate: string
}

const COUNTS = ['requests', 'refused', 'allowed', 'rerouted', 'moved', 'undeterminable'] as const

/** Columns give way in the order of what a candidate seldom changes. */
const GIVES: Readonly<Partial<Record<string, number>>> = { undeterminable: 1, rerouted: 2, moved: 3, 'reserved usd': 4 }
const TABLE: readonly Column[] = [
  { title: 'PLAN', least: 8 },
  { title: 'MODEL', least: 8 },
  ...[...COUNTS, 'reserved usd', 'change usd'].map((name): Column => {
    const gives = GIVES[name]
    return { title: name.toUpperCase(), number: true, ...(gives !== undefined && { gives }) }
  }),
]

/** As people read it: a line for each plan and model, the sum of all, and what is to be known of them. */
export function replayText(told: ReplayTold): string {
  const { groups, total, candidate, revisions } = told
  const title = `${counted(total.requests, 'decision')}${ofRevisions(revisions)}, decided again by revision ${candidate}`
  const rows = groups.map(group => [group.plan, group.model, ...cellsOf(group)])
  const sums = groups.length === 0 ? [] : [tableText(TABLE, [...rows, ['TOTAL', '', ...cellsOf(total)]])]
  return `${[foldedText(title), ...sums, ...notesOf(told).map(note => foldedText(note))].join('\n\n')}\n`
}

const ofRevisions = (names: readonly string[]): string =>
  names.length === 0 ? '' : ` of ${names.length === 1 ? 'revision' : 'revisions'} ${listed(names)}`

const MOST_REVISIONS = 5

const listed = (names: readonly string[]): string =>
  names.length > MOST_REVISIONS
    ? `${names.slice(0, MOST_REVISIONS).join(', ')} and ${names.length - MOST_REVISIONS} more`
    : names.join(', ')

const cellsOf = (tally: Tally): string[] => [
  ...COUNTS.map(name => String(tally[name])),
  usdText(tally.before),
  signed(subtractNanoUsd(tally.after, tally.before)),
]

const signed = (amount: NanoUsd): string => {
  if (amount === 0) return '0'
  return amount > 0 ? `+${usdText(amount)}` : `-${usdText(nanoUsd(-amount))}`
}

function notesOf({ total, broken }: ReplayTold): string[] {
  const { requests, undeterminable, unasked } = total
  const notes = [
    requests > 0 ? 'RESERVED USD is the maximum cost of the admitted requests.' : '',
    undeterminable > 0
      ? `${undeterminable} undeterminable: routes match texts or headers that were not examined then.`
      : '',
    unasked > 0
      ? `for ${unasked} of those allowed it is unknown whether the limits have room: not all limits were asked then. If none was, the cost is not counted.`
      : '',
    broken > 0
      ? `${counted(broken, 'line')} ${broken === 1 ? 'was' : 'were'} skipped: broken, or of another version.`
      : '',
  ].filter(Boolean)
  return notes.length > 0 ? [notes.join('\n')] : []
}

/** As programs read it. */
function replayJson({ groups, total, broken, candidate, revisions }: ReplayTold): string {
  const told = {
    revision: candidate,
    recorded_revisions: revisions,
    broken_lines: broken,
    total: tallyRecord(total),
    groups: groups.map(({ plan, model, ...tally }) => ({ plan, model, ...tallyRecord(tally) })),
  }
  return `${jsonText(told, 2)}\n`
}

const tallyRecord = ({ before, after, ...counts }: Tally): object => ({
  ...counts,
  reserved_nano_usd: before,
  reserved_nano_usd_after: after,
})
