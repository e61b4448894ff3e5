import type { EpochMs } from '../../policy/config.ts'
import type { FileProblem } from '../../policy/denial.ts'
import { problemRecord } from '../errors/texts.ts'
import type { JsonObject } from '../json-safety.ts'
import { type KnownFacts, readPoolFacts, type ShownPoolFacts, shownPoolFacts } from './pool-facts.ts'
import { count, given, list, object, oneOf, text } from './record-fields.ts'

/** How a revision came to serve. */
const HOWS = ['start', 'reload', 'watch', 'apply', 'rollback'] as const
type How = (typeof HOWS)[number]

/** A revision that serves or served. */
export interface ShownRevision {
  readonly number: number
  /** 12 hexadecimal digits of the names and texts of its files. */
  readonly revision: string
  /** Since when it serves or served: an ISO time. */
  readonly at: string
  /** `operator` with the name that was claimed, an account, `start` or `watch`. */
  readonly by: string
  readonly how: How
}

/** A line of the list of revisions. */
export interface ShownRevisionLine extends ShownRevision {
  /** How many. */
  readonly files: number
  /** Whether it serves now. */
  readonly serves: boolean
}

/** A revision with its files: the main one, called `main`, first. */
export interface ShownConfig extends ShownRevision {
  readonly main: string
  readonly files: readonly File[]
}

interface File {
  /** Relative to the directory of the main file. */
  readonly file: string
  readonly text: string
}

/** The revision that serves, and where the gateway logs its decisions. */
export interface ServedConfig extends ShownConfig {
  readonly decisions: { readonly log: boolean; readonly directory: string }
  /** How it speaks to its pools; older gateways do not say. */
  readonly profiles?: ServedProfiles
}

/** The version of a gateway, and how it speaks to its pools of chats, by their names. */
export interface ServedProfiles {
  readonly version: string
  readonly pools: ReadonlyMap<string, ShownPoolFacts>
}

export interface ShownPlanCount {
  readonly plan: string
  readonly accounts: number
  /** Whether the files that serve declare it. */
  readonly declared: boolean
}

/** A configuration that took the place of another. */
interface Taken {
  /** The revision that serves now, and the one before. */
  readonly revision: string
  readonly previous: string
  /** False when that is the one that served already. */
  readonly changed: boolean
}

export interface ShownReload extends Taken {
  /** `file:line:column  message` */
  readonly warnings: readonly string[]
}

export interface ShownApplied extends ShownReload {
  readonly number: number
  readonly generation: number
  readonly moved: readonly { readonly from: string; readonly to: string; readonly accounts: number }[]
  /** Where all gateways of the fleet were to serve it: each, and why it does not yet. */
  readonly gateways?: readonly { readonly gateway: string; readonly problem?: string }[]
}

/** What a gateway keeps of a revision. */
interface KeptRevision {
  readonly number: number
  readonly revision: string
  readonly at: EpochMs
  readonly by: string
  readonly how: How
}

/** A line of GET /admin/revisions; `serving` is the number of the revision that serves. */
export const revisionLine = (
  { number, revision, at, by, how, files }: KeptRevision & { readonly files: number },
  serving: number,
): ShownRevisionLine => ({ number, revision, at: iso(at), by, how, files, serves: number === serving })

/** A revision with its files. One that serves says `since` when, any other one `at` which time it began to. */
export const revisionRecord = (
  { revision, number, at, by, how, files }: KeptRevision & { readonly files: readonly File[] },
  when: 'since' | 'at',
): object => ({ revision, number, [when]: iso(at), by, how, main: files[0]?.file ?? '', files })

/** The revision that serves, where the gateway logs its decisions, and how it speaks to its pools of chats. */
export const servedRecord = (
  serving: KeptRevision & { readonly files: readonly File[] },
  decisions: ServedConfig['decisions'],
  { version, pools }: { readonly version: string; readonly pools: readonly KnownFacts[] },
): object => ({
  ...revisionRecord(serving, 'since'),
  decisions,
  profiles: { version, pools: Object.fromEntries(pools.map(known => [known.pool.name, shownPoolFacts(known)])) },
})

/** The answer to a reload, or to an application, whose other fields stay as they are. */
export const takenRecord = <Fields extends Taken>({
  warnings,
  ...fields
}: Fields & { readonly warnings: readonly FileProblem[] }): object => ({
  ...fields,
  warnings: warnings.map(problemRecord),
})

const iso = (at: EpochMs): string => new Date(at).toISOString()

// Each reads an answer of a gateway, and throws TypeError where it is of another form.

export const readRevisionLines = ({ revisions }: JsonObject): readonly ShownRevisionLine[] =>
  list(revisions, 'revisions').map(each => {
    const line = object(each, 'revision')
    return { ...readRevision(line, 'at'), files: count(line, 'files'), serves: line.serves === true }
  })

export const readConfig = (answer: JsonObject, when: 'since' | 'at'): ShownConfig => ({
  ...readRevision(answer, when),
  main: text(answer, 'main'),
  files: list(answer.files, 'files').map(each => {
    const file = object(each, 'file')
    return { file: text(file, 'file'), text: text(file, 'text') }
  }),
})

export function readServedConfig(answer: JsonObject): ServedConfig {
  const { log, directory } = object(answer.decisions, 'decisions')
  return {
    ...readConfig(answer, 'since'),
    decisions: { log: log === true, directory: String(directory) },
    ...(answer.profiles !== undefined && { profiles: readProfiles(object(answer.profiles, 'profiles')) }),
  }
}

const readProfiles = (record: JsonObject): ServedProfiles => ({
  version: text(record, 'version'),
  pools: new Map(
    Object.entries(object(record.pools, 'pools')).map(([pool, facts]) => [pool, readPoolFacts(object(facts, pool))]),
  ),
})

export const readPlanCounts = ({ plans }: JsonObject): readonly ShownPlanCount[] =>
  list(plans, 'plans').map(each => {
    const row = object(each, 'plan')
    return { plan: text(row, 'plan'), accounts: count(row, 'accounts'), declared: row.declared === true }
  })

export const readShownReload = (answer: JsonObject): ShownReload => ({
  revision: text(answer, 'revision'),
  previous: text(answer, 'previous'),
  changed: answer.changed === true,
  warnings: list(answer.warnings, 'warnings').map(each => {
    const { file, line, column, message } = object(each, 'warning')
    return `${file}:${line}:${column}  ${message}`
  }),
})

export const readShownApplied = (answer: JsonObject): ShownApplied => ({
  ...readShownReload(answer),
  number: count(answer, 'number'),
  generation: count(answer, 'generation'),
  moved: list(answer.moved, 'moved').map(each => {
    const move = object(each, 'move')
    return { from: text(move, 'from'), to: text(move, 'to'), accounts: count(move, 'accounts') }
  }),
  ...(answer.gateways !== undefined && {
    gateways: list(answer.gateways, 'gateways').map(each => {
      const record = object(each, 'gateway')
      return { gateway: text(record, 'gateway'), ...given(text, record, ['problem']) }
    }),
  }),
})

const readRevision = (record: JsonObject, when: 'since' | 'at'): ShownRevision => ({
  number: count(record, 'number'),
  revision: text(record, 'revision'),
  at: text(record, when),
  by: text(record, 'by'),
  how: oneOf(HOWS, record, 'how'),
})
