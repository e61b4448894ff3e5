import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ConfigFiles } from '../../adapters/config-files/config-files.ts'
import type { Change } from '../../adapters/config-files/journal.ts'
import { fixedProblems } from '../../config/check/fixed.ts'
import { renderText } from '../../config/format/problem-text.ts'
import { revisionOf } from '../../config/read/reading.ts'
import type { Loaded } from '../../config/settings.ts'
import { plansInUse } from '../../gateway/accounts/plans.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { RevisionFiles } from '../../gateway/revision.ts'
import type { AccountStore } from '../../gateway/store/account-store.ts'
import type { Application, Applied, AppliedFiles, Revisions } from '../../http/changes.ts'
import type { Examine } from '../examiner/examiner.ts'
import type { Opened, Reloader } from '../reloader.ts'
import { needed, undoing } from './file-change.ts'
import { Moves } from './moves.ts'
import {
  namesFault,
  Refused,
  reachProblems,
  reasonOf,
  refusal,
  refusedFor,
  surroundings,
  withMore,
} from './refusals.ts'

export interface ApplierPorts {
  readonly reloader: Reloader
  readonly accounts: Pick<AccountStore, 'readAll' | 'changeTerms'>
  readonly examine: Examine
  readonly open: (loaded: Loaded) => Promise<Opened>
  /** The revisions that serve and served; `written` resolves once all of them are on the disk. */
  readonly revisions: Revisions & { written(): Promise<void> }
  readonly alarm: Alarm
  /** The main file, absolute, and what changes files. Absent: those that serve must not be changed. */
  readonly place?: { readonly main: string; readonly files: ConfigFiles }
}

type Place = NonNullable<ApplierPorts['place']>

/** Confirms a change that can be made. */
type Agreed = () => Promise<boolean>

interface Written {
  readonly loaded: Loaded
  readonly place: Place
  readonly change: Change
}

/** Puts candidates in the place of the files and of what serves: whole, or not at all. */
export class Applier {
  readonly #ports: ApplierPorts

  constructor(ports: ApplierPorts) {
    this.#ports = ports
  }

  /**
   * Rejects only on a bug, or when the store does not answer. Once nothing stands in the way it waits for `agreed`, and
   * does nothing where that says no; other changes wait behind it.
   */
  apply(application: Application, agreed: Agreed = async () => true): Promise<Applied> {
    return this.#ports.reloader.inTurn(async () => {
      try {
        return await this.#apply(application, agreed)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        return { denial: error.denial }
      }
    })
  }

  async #apply(application: Application, agreed: Agreed): Promise<AppliedFiles> {
    const { reloader, revisions, place } = this.#ports
    const before = reloader.serving
    const { revision } = before.config
    if (application.previous !== revision) throw new Refused({ code: 'REVISION_CHANGED', revision })
    if (!place) throw refusal('this gateway serves the files of its package, which cannot be changed')
    const { loaded, sources, includes, text } = await this.#load(application, place)
    const moves = this.#moves(application, loaded)
    if (loaded.fingerprint === before.fingerprint) {
      await askedFor(agreed)
      return this.#unchanged(loaded, moves)
    }
    const fixed = fixedProblems(before.settings, loaded)
    if (fixed.length > 0) throw refusedFor(fixed, renderText(fixed, sources))

    await this.#refuseInUse(application, loaded)
    await ended(place.files)
    const change = await needed({ texts: loaded.texts, includes }, before.texts, dirname(place.main))
    const opened = await this.#ports.open(loaded).catch(error => {
      throw refusal(`a resource that the candidate needs is unavailable: ${reasonOf(error)}`)
    })
    try {
      await askedFor(agreed)
      await moves.before()
      await place.files.change(change).catch(error => {
        throw refusal(reasonOf(error))
      })
      await this.#serve(opened, { loaded, place, change })
    } catch (error) {
      opened.drop()
      throw withMore(error, moves.said())
    }
    const { by, how } = application
    const accepted = await reloader.accept(loaded, { text, by, how })
    await moves.after()
    await revisions.written()
    return { ...accepted, number: revisions.serving.number, moved: moves.moved() }
  }

  /** Accounts still go where they were to go: what was killed in the middle of that is done by the same again. */
  async #unchanged({ config, warnings }: Loaded, moves: Moves): Promise<AppliedFiles> {
    await moves.before()
    const { revision } = config
    const { generation } = this.#ports.reloader
    const { number } = this.#ports.revisions.serving
    return {
      revision,
      previous: revision,
      number,
      generation,
      changed: false,
      warnings,
      moved: moves.moved(),
    }
  }

  /** Whether the files are those of a revision that served. */
  async #served(files: Application['files']): Promise<boolean> {
    const { revisions } = this.#ports
    const revision = revisionOf(files)
    const alike = revisions.list().filter(line => line.revision === revision)
    const kept = await Promise.all(alike.map(({ number }) => revisions.find(number)))
    const same = (other: RevisionFiles | undefined) => isDeepStrictEqual(other?.files, files)
    return kept.some(same)
  }

  async #load({ files }: Application, { main }: Place) {
    const { examine, reloader } = this.#ports
    const { serving } = reloader
    const fault = namesFault(files, surroundings(main, serving))
    if (fault !== undefined) throw refusal(fault)
    const candidate = { files, directory: dirname(main) }
    // A revision that served once was found good where it was read from.
    const isTrusted = await this.#served(files)
    const mayRead = [serving.reads, serving.settings.server.variables] as const
    const found = await examine(isTrusted ? candidate : { ...candidate, mayRead })
    if (!found.ok) throw refusedFor(found.problems, found.text)
    const loaded = found.fingerprint === serving.fingerprint ? serving : found.load()
    const reaching = isTrusted ? [] : reachProblems(loaded, serving)
    if (reaching.length > 0) throw refusedFor(reaching, renderText(reaching, found.sources))
    const read = new Set(loaded.texts.map(({ file }) => file))
    const unread = files.find(({ file }) => !read.has(file))
    if (unread) throw refusal(`${unread.file} was sent, but no \`include\` of the candidate names it`)
    const { sources, includes, text } = found
    return { loaded, sources, includes, text }
  }

  #moves({ movePlans, by }: Application, { config: after }: Loaded): Moves {
    const { reloader, accounts, alarm } = this.#ports
    const { config: before } = reloader.serving
    for (const [from, to] of movePlans)
      if (!after.plans.has(to))
        throw refusal(`accounts on ${from} cannot move to ${to}: the candidate has no such plan`)
    return new Moves({ accounts, alarm, moves: movePlans, by, before, after })
  }

  async #refuseInUse({ movePlans }: Application, { config: after }: Loaded): Promise<void> {
    const { reloader, accounts } = this.#ports
    const { config: before } = reloader.serving
    const inUse = await plansInUse(accounts, { before, after, moves: movePlans })
    if (inUse.length > 0) {
      const named = inUse.map(({ plan, accounts }) => `${plan} (${accounts})`).join(', ')
      const reason = `accounts are on plans that would be removed: ${named}; move them with --move-plan old=new`
      throw new Refused({ code: 'APPLY_REFUSED', reason, problems: [], text: '', plansInUse: inUse })
    }
  }

  /** Serves what the next start would load. Rejects with the files of before back in their places. */
  async #serve(opened: Opened, { loaded, place, change }: Written): Promise<void> {
    const { reloader, examine, alarm } = this.#ports
    try {
      const again = await examine()
      if (!again.ok || again.fingerprint !== loaded.fingerprint)
        throw refusal('the files were changed by hand at the same time')
      await opened.serve()
    } catch (error) {
      await place.files.change(undoing(change, reloader.serving.texts)).catch(failed => {
        alarm('the files differ from what the gateway serves', { error: reasonOf(failed) })
      })
      throw error instanceof Refused ? error : refusal(reasonOf(error))
    }
  }
}

/** Rejects with Refused where it is not. */
async function askedFor(agreed: Agreed): Promise<void> {
  const isAgreed = await agreed().catch(error => {
    throw refusal(reasonOf(error))
  })
  if (!isAgreed) throw refusal('some gateways could not apply it')
}

const ended = (files: ConfigFiles): Promise<unknown> =>
  files.finish().catch(error => {
    throw refusal(reasonOf(error))
  })
