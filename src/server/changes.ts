import { ConfigFiles } from '../adapters/config-files/config-files.ts'
import type { Loaded } from '../config/settings.ts'
import type { Audited } from '../gateway/accounts/audited.ts'
import type { Alarm, Clock } from '../gateway/ports.ts'
import type { Revision } from '../gateway/revision.ts'
import { Applier, type ApplierPorts } from './apply/applier.ts'
import { type Examine, foundAs } from './examiner/examiner.ts'
import { type Opened, Reloader } from './reloader.ts'
import { ServedRevisions } from './served-revisions.ts'

/** Where the files of a gateway come from. */
export interface FilesOf {
  /** Reads and checks the files again, or those of a candidate; without it there is nothing to reload. */
  readonly examine?: Examine
  /** The main file, absolute. Without it the files cannot be changed through the gateway. */
  readonly main?: string
}

interface ChangesPorts extends FilesOf {
  readonly open: (loaded: Loaded) => Promise<Opened>
  readonly clock: Clock
  readonly alarm: Alarm
  readonly say: (text: string) => void
  readonly audited: Audited
}

/** Reload, apply and the list of revisions: one change runs at a time. */
export interface Changes {
  readonly reloader: Reloader
  readonly revisions: ServedRevisions
  applierOn(accounts: ApplierPorts['accounts']): Applier
}

export function changesOf(loaded: Loaded, { main, open, clock, alarm, say, audited, ...ports }: ChangesPorts): Changes {
  const examine = ports.examine ?? (async () => foundAs(loaded))
  const files = main === undefined ? undefined : new ConfigFiles(main)
  const revisions = new ServedRevisions(loaded, clock, alarm)
  const reloader = new Reloader(loaded, {
    examine,
    finish: () => (files?.isUnderWay() ? files.finish() : undefined),
    open,
    keep: async (next, by, how) => {
      const { before, after } = revisions.keep(next, by, how)
      // Changes that a watch finds have no caller to answer.
      if (how === 'start' || how === 'watch') return
      await audited({ by, action: how, before: before ? revisionText(before) : '', after: revisionText(after) })
    },
    clock,
    alarm,
    say,
  })
  const place = main !== undefined && files ? { place: { main, files } } : {}
  return {
    reloader,
    revisions,
    applierOn: accounts => new Applier({ reloader, accounts, examine, open, revisions, alarm, ...place }),
  }
}

/** The number counts on this gateway alone; the revision behind it is the same on every gateway with these files. */
const revisionText = ({ number, revision }: Revision): string => `${number} (${revision})`
