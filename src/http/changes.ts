import type { FileText } from '../config/settings.ts'
import type { RevisionFiles, RevisionLine } from '../gateway/revision.ts'
import type { EpochMs } from '../policy/config.ts'
import type {
  ApplyDenial,
  BrokenRevisionDenial,
  Denied,
  FileProblem,
  ReloadDenial,
  RevisionDenial,
} from '../policy/denial.ts'
import type { shownRevisionDiff } from '../wire/admin/revision-diff.ts'

/** The newest revisions that served. */
export interface Revisions {
  /** The one that serves. */
  readonly serving: RevisionFiles
  /** Newest first. */
  list(): readonly RevisionLine[]
  /** Undefined where it is not kept, or damaged. */
  find(number: number): Promise<RevisionFiles | undefined>
}

/** The changes in meaning from one kept revision to another. */
export type Compared =
  | {
      readonly changes: Parameters<typeof shownRevisionDiff>[2]['changes']
      /** Values that are not there any more. */
      readonly notCompared: readonly string[]
    }
  | Denied<BrokenRevisionDenial>

/** A candidate that an operator wants to serve. */
export interface Application {
  /** The revision that it was compared with: no other one is replaced. */
  readonly previous: string
  readonly files: readonly FileText[]
  /** Plans that accounts go to, by those that they are on. */
  readonly movePlans: ReadonlyMap<string, string>
  readonly how: 'apply' | 'rollback'
  readonly by: string
}

/** Accounts that went from one plan to another. */
export interface MovedPlan {
  readonly from: string
  readonly to: string
  readonly accounts: number
}

/** The outcome of an application. */
export type Applied = AppliedFiles | Denied<ApplyDenial | RevisionDenial>

/** A gateway of the fleet as an operator saw it, with what it served. */
export interface ExpectedGateway {
  readonly gateway: string
  readonly revision: string
}

/** The outcome of an application to all gateways: committed by all of them, or by none. */
export type AppliedToAll =
  | (AppliedFiles & { readonly gateways: readonly { readonly gateway: string; readonly problem?: string }[] })
  | Denied<ApplyDenial>

/** A gateway's part in changes of all gateways of the fleet. */
export interface FleetChanges {
  /** Has all gateways take an application, or none. */
  readonly coordinator: {
    applyToAll(application: Application, expected: readonly ExpectedGateway[]): Promise<AppliedToAll>
  }
  /** Takes part in a change that another gateway leads. */
  readonly participant: {
    prepare(id: string, previous: string): Promise<Denied<ApplyDenial | RevisionDenial> | undefined>
    settle(id: string): Promise<Applied | undefined>
  }
}

/** The outcome of a reload. Where it is denied, the configuration that served goes on. */
export type Reloaded = ServingFiles | Denied<ReloadDenial>

/** The files that serve from now on. */
export interface ServingFiles {
  /** The revision that serves now, and the one before. */
  readonly revision: string
  readonly previous: string
  readonly generation: number
  /** False when the files, variables and secrets are those that serve already. */
  readonly changed: boolean
  readonly warnings: readonly FileProblem[]
}

/** The files of a candidate that serve from now on, with its number among the revisions. */
export interface AppliedFiles extends ServingFiles {
  readonly number: number
  readonly moved: readonly MovedPlan[]
}

/** Counts of a process. */
export interface Reloads {
  /** Since the start: configurations that took the place of another, and those that were refused. */
  readonly ok: number
  readonly failed: number
  /** While the files are not what serves, because the last reload was refused. */
  readonly lastError?: LastError
}

export interface LastError {
  readonly at: EpochMs
  readonly problems: number
  /** `file:line:column message` */
  readonly first: string
}
