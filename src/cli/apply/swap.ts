import { counted } from '../../config/format/problem-text.ts'
import { ApplyRefused, applyFiles, type NewFiles } from '../../operator/gateway-calls.ts'
import { CommandFailed } from '../../server/failure.ts'
import { usesColour } from '../../server/log/terminal-text.ts'
import type { ShownFleet } from '../../wire/admin/fleet.ts'
import type { ShownApplied } from '../../wire/admin/revision.ts'
import { jsonText, oneLine } from '../../wire/printable.ts'
import type { PlanMoves } from '../kit/options.ts'
import { confirm, writeOut } from '../kit/terminal.ts'
import type { Planned } from '../plan/planned.ts'
import type { ServedBase } from '../plan/sides.ts'
import { planRecord, planText } from '../plan/text.ts'

/** Files that a gateway is to serve. */
export interface Swap extends Pick<NewFiles, 'files' | 'how'> {
  readonly movePlans: PlanMoves
  readonly base: ServedBase
  /** Their revision. */
  readonly revision: string
  /** Undefined where the accounts could not be counted. */
  readonly planned: Planned | undefined
  /** The gateways that are to serve them, all or none; undefined where it is the one that is asked alone. */
  readonly fleet?: ShownFleet['data'] | undefined
}

/** Whether a revision is what all gateways serve that are to. */
export const isServed = (revision: string, base: ServedBase, fleet: Swap['fleet']): boolean =>
  (fleet ?? [base]).every(each => each.revision === revision)

interface Manner {
  readonly yes?: boolean
  readonly json?: boolean
}

/**
 * Prints what changes, asks, has the gateway swap, and prints the result; `more` belongs to that as JSON. Rejects
 * with CommandFailed where the gateway refuses.
 */
export async function swap(wanted: Swap, { yes, json }: Manner, more: object = {}): Promise<void> {
  const { revision, planned, how, fleet } = wanted
  if (planned && !json) await writeOut([planText(planned, usesColour(process.stdout)), '\n'])
  // The operator sees the plan before the question, on stderr, since stdout is for one object.
  if (planned && json && !yes) console.error(planText(planned, usesColour(process.stderr)))
  const where = fleet
    ? ` on ${counted(fleet.length, 'gateway')} (${fleet.map(({ gateway }) => gateway).join(', ')})`
    : ''
  await confirm(`${how === 'apply' ? 'Apply' : 'Go back to'} revision ${revision}${where}?`, yes)
  const applied = await sent(wanted)
  for (const warning of applied.warnings) console.error(`▲ ${warning}`)
  for (const { gateway, problem } of applied.gateways ?? [])
    if (problem !== undefined) console.error(`▲ ${gateway} applies it as soon as it can: ${problem}`)
  const record = { ...appliedRecord(applied), ...more, plan: planned ? planRecord(planned) : null }
  await writeOut(json ? [`${jsonText(record, 2)}\n`] : appliedLines(applied, how))
}

/** Has the gateway take the files. A refusal says what to do about it. */
async function sent({ base, files, how, movePlans, fleet }: Swap): Promise<ShownApplied> {
  try {
    const moves = Object.fromEntries(movePlans)
    return await applyFiles(base.endpoint, {
      ...{ previous: base.revision, files, how, movePlans: moves },
      ...(fleet && { fleet }),
    })
  } catch (error) {
    if (!(error instanceof ApplyRefused)) throw error
    const again =
      error.code === 'REVISION_CHANGED'
        ? '\n  run svcctl plan again: the revision it compared with is no longer in use'
        : ''
    throw new CommandFailed(`${error.message}${again}`)
  }
}

/** Prints that there is nothing to do. */
export function swapNothing(
  { revision, number }: ServedBase,
  how: Swap['how'],
  { json }: Manner,
  more: object = {},
): Promise<void> {
  const same = { changed: false, revision, previous: revision, number, warnings: [], moved: [] }
  const record = { ...same, ...more, plan: null }
  return writeOut([json ? `${jsonText(record, 2)}\n` : nothingText(revision, how)])
}

const nothingText = (revision: string, how: Swap['how']): string =>
  `${how === 'apply' ? 'nothing to apply' : 'nothing to go back to'}: revision ${revision} serves\n`

const appliedRecord = ({ changed, revision, previous, number, warnings, moved, gateways }: ShownApplied): object => ({
  ...{ changed, revision, previous, number, warnings, moved, ...(gateways && { gateways }) },
})

function appliedLines(applied: ShownApplied, how: Swap['how']): readonly string[] {
  const { changed, revision, previous, number, moved, gateways } = applied
  const moves = moved.map(
    ({ from, to, accounts }) =>
      `${counted(accounts, 'account')} moved from plan ${oneLine(from)} to plan ${oneLine(to)}\n`,
  )
  if (gateways)
    return [...moves, `${how === 'apply' ? 'applied' : 'rolled back'} on ${taken(gateways)}: revision ${revision}\n`]
  if (!changed) return [...moves, nothingText(revision, how)]
  return [
    ...moves,
    `${how === 'apply' ? 'applied' : 'rolled back'}: revision ${previous} → ${revision} (number ${number})\n`,
  ]
}

/** `3 gateways`, `2 of 3 gateways` */
function taken(gateways: NonNullable<ShownApplied['gateways']>): string {
  const done = gateways.filter(({ problem }) => problem === undefined).length
  const all = counted(gateways.length, 'gateway')
  return done === gateways.length ? all : `${done} of ${all}`
}
