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

/** The ways in which a revision is applied. */
const HOWS = ['start', 'reload', 'watch', 'apply', 'rollback'] as const
type How = (typeof HOWS)[number]

/** A revision that serves or served. */
const NUMBERED = {
  number: whole(),
  revision: text('12 hexadecimal digits, a hash of the names and texts of its files.'),
}

const ORIGIN = {
  by: text('Who applied it: `operator` with the claimed name, an account, `start` or `watch`.'),
  how: word(HOWS, 'How it was applied.'),
}

/** A line of the list of revisions. */
const LINE = {
  ...NUMBERED,
  at: moment('When it came into use.'),
  ...ORIGIN,
  files: whole('How many.'),
  serves: flag('Whether it is in use now.'),
}

const REVISION_LINE = record(LINE, 'RevisionLine')

export interface ShownRevisionLine extends TypeOf<typeof REVISION_LINE> {}

/** The feed event of a revision that begins to serve. */
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
  { ...NUMBERED, at: moment('When it came into use.'), ...ORIGIN, ...FILES },
  'KeptConfig',
)

export interface ShownConfig extends TypeOf<typeof KEPT_CONFIG> {}

type File = ShownConfig['files'][number]

/** The revision that serves, and the path of the decision log. */
export const SERVED_CONFIG = record(
  {
    ...NUMBERED,
    since: moment('When it came into use.'),
    ...ORIGIN,
    ...FILES,
    decisions: record({ log: flag('`decisions.log`'), directory: text() }),
    // Gateways before 0.2 do not send them.
    profiles: optional(described(PROFILES, 'How it calls its chat pools.')),
  },
  'ServedConfig',
)

export interface ServedConfig extends Omit<TypeOf<typeof SERVED_CONFIG>, 'profiles'> {
  /** Its provider profiles; absent from older gateways. */
  readonly profiles?: ServedProfiles
}

const PLAN_COUNT = record(
  { plan: text(), accounts: whole(), declared: flag('Whether the files in use declare it.') },
  'PlanCount',
)

export interface ShownPlanCount extends TypeOf<typeof PLAN_COUNT> {}

export const PLAN_COUNTS = record({ plans: list(PLAN_COUNT) }, 'PlanCounts')

/** A configuration that replaced another. */
const TAKEN = {
  revision: text('The revision in use now.'),
  previous: text('The one before.'),
  generation: whole('1 at the start, and one more with each new configuration.'),
  changed: flag('False if that revision was already in use.'),
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
      'Accounts that were moved from one plan to another.',
    ),
    gateways: optional(
      list(
        record({ gateway: text(), problem: optional(text()) }),
        'With `fleet`: each gateway, and why it does not use the revision yet.',
      ),
    ),
  },
  'Application',
)

export type ShownReload = Shown<typeof RELOAD>
export type ShownApplied = Shown<typeof APPLICATION>

/** The form that commands print. */
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

/** A revision with its files, without the moment it began to serve. */
const filesRecord = ({ revision, number, by, how, files }: KeptFiles) => ({
  ...{ revision, number, by, how },
  main: files[0]?.file ?? '',
  files,
})

type KeptFiles = KeptRevision & { readonly files: readonly File[] }

export const keptConfig = (kept: KeptFiles): ShownConfig => ({ ...filesRecord(kept), at: iso(kept.at) })

/** The revision that serves, the path of the decision log, and the profiles of its chat pools. */
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
