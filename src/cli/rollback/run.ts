import { dirname, resolve } from 'node:path'
import { renderText } from '../../config/format/problem-text.ts'
import { findAdminEndpoint } from '../../operator/connect.ts'
import { keptRevision, keptRevisions } from '../../operator/gateway-calls.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { lookOf, withoutFraction } from '../../server/log/terminal-text.ts'
import type { ShownConfig, ShownRevisionLine } from '../../wire/admin/revision.ts'
import { jsonText, oneLine } from '../../wire/printable.ts'
import { isServed, swap, swapNothing } from '../apply/swap.ts'
import { fleetToChange } from '../fleet/warn-drift.ts'
import { nameOf } from '../kit/options.ts'
import { type Column, tableText } from '../kit/table.ts'
import { mayAsk, writeOut } from '../kit/terminal.ts'
import { type Planned, plannedOf } from '../plan/planned.ts'
import { loadTexts, type ServedBase, servedBase } from '../plan/sides.ts'
import type { RollbackOptions } from './rollback.ts'

/** Goes back to a revision that is kept, or lists them. */
export async function rollback(named: string | undefined, options: RollbackOptions): Promise<void> {
  const { config, yes, list, json, movePlan: movePlans = new Map() } = options
  const cwd = process.cwd()
  const endpoint = await findAdminEndpoint(config, nameOf(options))
  const kept = await keptRevisions(endpoint)
  if (list) return writeOut([json ? `${jsonText(kept, 2)}\n` : `${listText(kept)}\n`])
  const fleet = await fleetToChange(endpoint, options)
  const base = await servedBase(endpoint, dirname(resolve(cwd, config)))
  const wanted = wantedOf(kept, named, base.revision)
  if (isServed(wanted.revision, base, fleet) && movePlans.size === 0) return swapNothing(base, 'rollback', options)
  mayAsk(yes)
  const { revision, files } = await keptRevision(endpoint, wanted.number)
  const planned = await plannedIf(base, files, options)
  await swap({ base, planned, files, movePlans, how: 'rollback', revision, fleet }, options)
}

/** Fails where none is kept. */
function wantedOf(kept: readonly ShownRevisionLine[], named: string | undefined, serving: string): ShownRevisionLine {
  if (named === undefined) return before(kept, serving)
  const byNumber = kept.find(({ number }) => String(number) === named)
  const [byName, ...others] = kept.filter(({ revision }) => revision.startsWith(named))
  const found = byNumber ?? byName
  if (!found) throw new CommandFailed(`✗ there is no revision ${named}; svcctl rollback --list shows the kept ones`)
  if (byNumber || others.every(({ revision }) => revision === found.revision)) return found
  throw new CommandFailed(`✗ more than one revision begins with ${named}`, exitCodes.usage)
}

/** The one that served before the present one. */
function before(kept: readonly ShownRevisionLine[], serving: string): ShownRevisionLine {
  const now = kept.findIndex(({ revision }) => revision === serving)
  const found = kept.slice(now + 1).find(({ revision }) => revision !== serving)
  if (found) return found
  throw new CommandFailed('✗ no earlier revision is kept')
}

/** The changes of going back. Where one of the two sets of files cannot be read here, a warning says that the gateway alone checks them. */
async function plannedIf(
  base: ServedBase,
  files: ShownConfig['files'],
  options: RollbackOptions,
): Promise<Planned | undefined> {
  const { directory } = base
  const load = loadTexts(files, directory)
  if (load.ok && base.load.ok) return plannedOf(base, { loaded: load.loaded, directory }, options)
  console.error('▲ its changes cannot be listed on this machine:\n')
  for (const read of [base.load, load])
    if (!read.ok) console.error(renderText(read.problems, read.sources, lookOf(process.stderr)))
  return undefined
}

function listText(kept: readonly ShownRevisionLine[]): string {
  const rows = kept.map(({ number, revision, at, by, how, files, serves }) => {
    return [String(number), revision, withoutFraction(at), how, oneLine(by), String(files), serves ? 'serves' : '']
  })
  return tableText(COLUMNS, rows)
}

const COLUMNS: readonly Column[] = [
  { title: 'NUMBER' },
  { title: 'REVISION' },
  { title: 'AT' },
  { title: 'HOW', gives: 2 },
  { title: 'BY', least: 8 },
  { title: 'FILES', gives: 1 },
  { title: '' },
]
