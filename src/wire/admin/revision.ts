import type { EpochMs } from '../../policy/config.ts'
import type { FileProblem } from '../../policy/denial.ts'
import { FILE_PROBLEM, problemRecord } from '../errors/file-problem.ts'
import {
  described,
  fixed,
  flag,
  list,
  moment,
  optional,
  record,
  type TypeOf,
  text,
  whole,
  word,
} from '../schema/schema.ts'
import { type KnownFacts, PROFILES, type ServedProfiles, shownProfiles } from './pool-facts.ts'

/** How a revision came to serve. */
const HOWS = ['start', 'reload', 'watch', 'apply', 'rollback'] as const
type How = (typeof HOWS)[number]

/** A revision that serves or served. */
const NUMBERED = {
  number: whole(),
  revision: text('12 hexadecimal digits of the names and texts of its files.'),
}

const ORIGIN = {
  by: text('`operator` with the name that was claimed, an account, `start` or `watch`.'),
  how: word(HOWS, 'How it came to serve.'),
}

/** A line of the list of revisions. */
const LINE = {
  ...NUMBERED,
  at: moment('Since when it serves or served.'),
  ...ORIGIN,
  files: whole('How many.'),
  serves: flag('Whether it serves now.'),
}

const REVISION_LINE = record(LINE, 'RevisionLine')

export interface ShownRevisionLine extends TypeOf<typeof REVISION_LINE> {}

/** A revision that begins to serve, in the feed. */
export const REVISION_EVENT = record({ event: fixed('revision'), ...LINE })

/** The kept revisions, newest first. */
export const REVISIONS = record({ revisions: list(REVISION_LINE, 'Newest first.') }, 'Revisions')

const FILES = {
  main: text('The main file.'),
  files: list(
    record({ file: text('Relative to the directory of the main file.'), text: text() }),
    'The main file first.',
  ),
}

/** A revision with its files. */
export const KEPT_CONFIG = record(
  { ...NUMBERED, at: moment('Since when it served.'), ...ORIGIN, ...FILES },
  'KeptConfig',
)

export interface ShownConfig extends TypeOf<typeof KEPT_CONFIG> {}

type File = ShownConfig['files'][number]

/** The revision that serves, and where the gateway logs its decisions. */
export const SERVED_CONFIG = record(
  {
    ...NUMBERED,
    since: moment('Since when it serves.'),
    ...ORIGIN,
    ...FILES,
    decisions: record({ log: flag('`decisions.log`'), directory: text() }),
    // Gateways before 0.2 do not send them.
    profiles: optional(described(PROFILES, 'How it speaks to its pools of chats.')),
  },
  'ServedConfig',
)

export interface ServedConfig extends Omit<TypeOf<typeof SERVED_CONFIG>, 'profiles'> {
  /** How it speaks to its pools; older gateways do not say. */
  readonly profiles?: ServedProfiles
}

const PLAN_COUNT = record(
  { plan: text(), accounts: whole(), declared: flag('Whether the files that serve declare it.') },
  'PlanCount',
)

export interface ShownPlanCount extends TypeOf<typeof PLAN_COUNT> {}

export const PLAN_COUNTS = record({ plans: list(PLAN_COUNT) }, 'PlanCounts')

/** A configuration that took the place of another. */
const TAKEN = {
  revision: text('The revision that serves now.'),
  previous: text('The one before.'),
  generation: whole('1 since the start, and one more with each configuration that took the place of another.'),
  changed: flag('False when that is the one that served already.'),
  warnings: list(FILE_PROBLEM),
}

/** The answer to a reload. */
export const RELOAD = record(TAKEN, 'Reload')

/** The answer to an application. */
export const APPLICATION = record(
  {
    ...TAKEN,
    number: whole('Its number among the revisions.'),
    moved: list(
      record({ from: text(), to: text(), accounts: whole() }),
      'Accounts that went from one plan to another.',
    ),
    gateways: optional(
      list(
        record({ gateway: text(), problem: optional(text()) }),
        'Where all gateways of the fleet were to serve it: each, and why it does not yet.',
      ),
    ),
  },
  'Application',
)

export type ShownReload = Shown<typeof RELOAD>
export type ShownApplied = Shown<typeof APPLICATION>

/** As commands print it. */
type Shown<S> = Omit<TypeOf<S>, 'warnings'> & {
  /** `file:line:column  message` */
  readonly warnings: readonly string[]
}

/** A revision as a gateway keeps it. */
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

/** A revision with its files, without when it began to serve. */
const filesRecord = ({ revision, number, by, how, files }: KeptFiles) => ({
  ...{ revision, number, by, how },
  main: files[0]?.file ?? '',
  files,
})

type KeptFiles = KeptRevision & { readonly files: readonly File[] }

export const keptConfig = (kept: KeptFiles): ShownConfig => ({ ...filesRecord(kept), at: iso(kept.at) })

/** The revision that serves, where the gateway logs its decisions, and how it speaks to its pools of chats. */
export const servedRecord = (
  serving: KeptFiles,
  decisions: ServedConfig['decisions'],
  { version, pools }: { readonly version: string; readonly pools: readonly KnownFacts[] },
): TypeOf<typeof SERVED_CONFIG> => ({
  ...filesRecord(serving),
  since: iso(serving.at),
  decisions,
  profiles: shownProfiles(version, pools),
})

/** The answer to a reload, or to an application, whose other fields stay as they are. */
export const takenRecord = <Fields extends object>({
  warnings,
  ...fields
}: Fields & { readonly warnings: readonly FileProblem[] }) => ({
  ...fields,
  warnings: warnings.map(problemRecord),
})

const iso = (at: EpochMs): string => new Date(at).toISOString()

/** The answer to a reload or to an application, with each warning as one line. */
export const withWarningLines = <T extends { readonly warnings: TypeOf<typeof RELOAD>['warnings'] }>({
  warnings,
  ...taken
}: T): Omit<T, 'warnings'> & { readonly warnings: readonly string[] } => ({
  ...taken,
  warnings: warnings.map(({ file, line, column, message }) => `${file}:${line}:${column}  ${message}`),
})
