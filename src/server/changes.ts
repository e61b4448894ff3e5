import { dirname, join } from 'node:path'
import { ConfigFiles } from '../adapters/config-files/config-files.ts'
import { KeptRevisions } from '../adapters/revisions/revisions.ts'
import type { Loaded } from '../config/settings.ts'
import type { Audited } from '../gateway/accounts/audited.ts'
import type { Alarm, Clock } from '../gateway/ports.ts'
import type { How, Revision, RevisionFiles, RevisionLine } from '../gateway/revision.ts'
import type { Revisions } from '../http/changes.ts'
import { revisionLine, type ShownRevisionLine } from '../wire/admin/revision.ts'
import { Applier, type ApplierPorts } from './apply/applier.ts'
import { type Compare, compareHere } from './comparer/comparer.ts'
import { type Examine, foundAs } from './examiner/examiner.ts'
import { type Opened, Reloader } from './reloader.ts'

/** Where the files of a gateway come from. */
export interface FilesOf {
  /** Reads and checks the files again, or those of a candidate; without it there is nothing to reload. */
  readonly examine?: Examine
  /** The main file, absolute. Without it the files cannot be changed through the gateway. */
  readonly main?: string
  /** Without it two revisions are compared in this thread. */
  readonly compare?: Compare
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
  readonly compare: Compare
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
    compare: ports.compare ?? compareHere(dirname(main ?? ''), process.env),
    applierOn: accounts => new Applier({ reloader, accounts, examine, open, revisions, alarm, ...place }),
  }
}

/** The number counts on this gateway alone; the revision behind it is the same on every gateway with these files. */
const revisionText = ({ number, revision }: Revision): string => `${number} (${revision})`

/** The serving revision, and those before it, as far as `state_dir` keeps them. */
class ServedRevisions implements Revisions {
  readonly #kept: KeptRevisions
  readonly #clock: Clock
  readonly #followers: ((revision: ShownRevisionLine) => void)[] = []
  #serving: RevisionFiles | undefined

  constructor({ settings }: Loaded, clock: Clock, alarm: Alarm) {
    this.#kept = new KeptRevisions(join(settings.server.stateDir, 'revisions'), alarm)
    this.#clock = clock
  }

  /** From now on `hear` gets each revision that serves in place of another. */
  follow(hear: (revision: ShownRevisionLine) => void): void {
    this.#followers.push(hear)
  }

  /** Reads the kept revisions. Never rejects. */
  open(): Promise<void> {
    return this.#kept.open()
  }

  get serving(): RevisionFiles {
    if (!this.#serving) throw new Error('nothing serves yet')
    return this.#serving
  }

  /** Begins with the first revision, where none serves yet. */
  start(loaded: Loaded): void {
    if (!this.#serving) this.keep(loaded, 'start', 'start')
  }

  /** Keeps the configuration that serves from now on. Returns the revision before and this one. */
  keep({ config, texts }: Loaded, by: string, how: How): { readonly before?: Revision; readonly after: Revision } {
    const before = this.#serving
    const { revision } = config
    const kept = this.#kept.keep({ revision, at: this.#clock.now(), by, how, files: texts })
    const after = { ...kept, files: texts }
    this.#serving = after
    const line = revisionLine(kept, kept.number)
    for (const hear of this.#followers) hear(line)
    return { ...(before && { before }), after }
  }

  /** Resolves once all of them are on the disk, or an alarm says that they are not. Never rejects. */
  written(): Promise<void> {
    return this.#kept.written()
  }

  list(): readonly RevisionLine[] {
    return this.#kept.list()
  }

  async find(number: number): Promise<RevisionFiles | undefined> {
    return number === this.serving.number ? this.serving : this.#kept.find(number)
  }
}
