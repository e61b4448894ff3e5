import { join } from 'node:path'
import { KeptRevisions } from '../adapters/revisions/revisions.ts'
import type { Loaded } from '../config/settings.ts'
import type { Alarm, Clock } from '../gateway/ports.ts'
import type { How, Revision, RevisionFiles, RevisionLine } from '../gateway/revision.ts'
import type { Revisions } from '../http/admin/changes.ts'

/** What serves, and what served before it, as far as `state_dir` keeps it. */
export class ServedRevisions implements Revisions {
  readonly #kept: KeptRevisions
  readonly #clock: Clock
  #serving: RevisionFiles | undefined

  constructor({ settings }: Loaded, clock: Clock, alarm: Alarm) {
    this.#kept = new KeptRevisions(join(settings.server.stateDir, 'revisions'), alarm)
    this.#clock = clock
  }

  /** Reads what was kept before. Never rejects. */
  open(): Promise<void> {
    return this.#kept.open()
  }

  get serving(): RevisionFiles {
    if (!this.#serving) throw new Error('nothing serves yet')
    return this.#serving
  }

  /** Keeps what serves from now on. What served before, and this. */
  keep({ config, texts }: Loaded, by: string, how: How): { readonly before?: Revision; readonly after: Revision } {
    const before = this.#serving
    const { revision } = config
    const kept = this.#kept.keep({ revision, at: this.#clock.now(), by, how, files: texts })
    const after = { ...kept, files: texts }
    this.#serving = after
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
