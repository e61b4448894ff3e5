import type { FileText } from '../config/settings.ts'
import type { JsonObject } from '../wire/openai/body.ts'
import type { Door } from './open.ts'
import { count, list, object, oneOf, text } from './read.ts'
import { askGateway, sendApplication } from './remote.ts'

/** How a revision came to serve. */
const HOWS = ['start', 'reload', 'watch', 'apply', 'rollback'] as const

/** A revision that serves or did, as a gateway tells of it. */
export interface ShownRevision {
  readonly number: number
  /** 12 hexadecimal digits of the names and texts of its files. */
  readonly revision: string
  /** Since when it serves or served: an ISO time. */
  readonly at: string
  /** `operator` with the name that was claimed, an account, `start` or `watch`. */
  readonly by: string
  readonly how: (typeof HOWS)[number]
}

/** A line of the list. */
export interface ShownRevisionLine extends ShownRevision {
  /** How many. */
  readonly files: number
  /** Whether it serves now. */
  readonly serves: boolean
}

/** A revision with its files: the main one, called `main`, first. */
export interface ShownConfig extends ShownRevision {
  readonly main: string
  readonly files: readonly FileText[]
}

/** What serves, and where the gateway logs its decisions. */
export interface ServedConfig extends ShownConfig {
  readonly decisions: { readonly log: boolean; readonly directory: string }
}

export interface ShownPlanCount {
  readonly plan: string
  readonly accounts: number
  /** Whether the files that serve declare it. */
  readonly declared: boolean
}

export interface NewFiles {
  /** The revision that they were compared with. */
  readonly previous: string
  /** The main one first, by names relative to its directory. */
  readonly files: readonly FileText[]
  /** Plans that accounts go to, by those that they are on. */
  readonly movePlans?: Readonly<Record<string, string>>
  readonly how: 'apply' | 'rollback'
}

export interface ShownApplied {
  readonly revision: string
  readonly previous: string
  readonly number: number
  readonly generation: number
  /** False when that is what served already. */
  readonly changed: boolean
  /** `file:line:column  message` */
  readonly warnings: readonly string[]
  readonly moved: readonly { readonly from: string; readonly to: string; readonly accounts: number }[]
}

// Each asks a running gateway, and rejects with CommandFailed when it refuses.

export async function servedConfig({ admin, token }: Door): Promise<ServedConfig> {
  const answer = await askGateway(`${admin}/admin/config`, token, 'GET')
  const { log, directory } = object(answer.decisions, 'decisions')
  return { ...readConfig(answer, 'since'), decisions: { log: log === true, directory: String(directory) } }
}

/** Newest first. */
export async function keptRevisions({ admin, token }: Door): Promise<readonly ShownRevisionLine[]> {
  const { revisions } = await askGateway(`${admin}/admin/revisions`, token, 'GET')
  return list(revisions, 'revisions').map(each => {
    const line = object(each, 'revision')
    return { ...readRevision(line, 'at'), files: count(line, 'files'), serves: line.serves === true }
  })
}

export const keptRevision = async ({ admin, token }: Door, number: number): Promise<ShownConfig> =>
  readConfig(await askGateway(`${admin}/admin/revisions?number=${number}`, token, 'GET'), 'at')

/** All plans that the files declare, then others that accounts are on. */
export async function accountsByPlan({ admin, token }: Door): Promise<readonly ShownPlanCount[]> {
  const { plans } = await askGateway(`${admin}/admin/plans`, token, 'GET')
  return list(plans, 'plans').map(each => {
    const row = object(each, 'plan')
    return { plan: text(row, 'plan'), accounts: count(row, 'accounts'), declared: row.declared === true }
  })
}

/** Rejects with ApplyRefused where the gateway does not take the files. */
export async function applyFiles(
  door: Door,
  { previous, files, movePlans = {}, how }: NewFiles,
): Promise<ShownApplied> {
  const answer = await sendApplication(door, { previous, files, move_plans: movePlans, how })
  return {
    revision: text(answer, 'revision'),
    previous: text(answer, 'previous'),
    number: count(answer, 'number'),
    generation: count(answer, 'generation'),
    changed: answer.changed === true,
    warnings: list(answer.warnings, 'warnings').map(each => {
      const { file, line, column, message } = object(each, 'warning')
      return `${file}:${line}:${column}  ${message}`
    }),
    moved: list(answer.moved, 'moved').map(each => {
      const move = object(each, 'move')
      return { from: text(move, 'from'), to: text(move, 'to'), accounts: count(move, 'accounts') }
    }),
  }
}

const readConfig = (answer: JsonObject, when: 'since' | 'at'): ShownConfig => ({
  ...readRevision(answer, when),
  main: text(answer, 'main'),
  files: list(answer.files, 'files').map(each => {
    const file = object(each, 'file')
    return { file: text(file, 'file'), text: text(file, 'text') }
  }),
})

const readRevision = (record: JsonObject, when: 'since' | 'at'): ShownRevision => ({
  number: count(record, 'number'),
  revision: text(record, 'revision'),
  at: text(record, when),
  by: text(record, 'by'),
  how: oneOf(HOWS, record, 'how'),
})
