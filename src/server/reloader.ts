import { fixedProblems } from '../config/check/fixed.ts'
import { renderText, type Sources } from '../config/format/problem-text.ts'
import type { Problem } from '../config/problem.ts'
import type { Loaded, Settings } from '../config/settings.ts'
import type { Alarm, Clock } from '../gateway/ports.ts'
import type { How } from '../gateway/revision.ts'
import type { LastError, Reloaded, Reloads, ServingFiles } from '../http/changes.ts'
import type { Examine } from './examiner/examiner.ts'

export interface ReloaderPorts {
  /** Reads and checks the files, variables and secrets as they are now. */
  readonly examine: Examine
  /** Finishes a change of the files that was interrupted; undefined where there is none. Rejects when it cannot be finished. */
  readonly finish: () => Promise<unknown> | undefined
  /** Opens the resources of a configuration. Rejects if one is unavailable. */
  readonly open: (loaded: Loaded) => Promise<Opened>
  /** Stores the new revision. Never rejects. */
  readonly keep: (loaded: Loaded, by: string, how: How) => Promise<void>
  readonly clock: Clock
  readonly alarm: Alarm
  /** Prints a message of several lines to the operator. */
  readonly say: (text: string) => void
}

/** A configuration with all that it needs: to be served, or let go. */
export interface Opened {
  /** Puts it in the place of the one that serves. Throws where nothing is to serve any more. */
  readonly serve: () => Promise<void>
  readonly drop: () => void
}

/** The `watch` trigger; an unchanged error is not logged again. */
const WATCH = 'watch'

interface Accepted {
  /** Its warnings, as operators read them. */
  readonly text: string
  readonly by: string
  readonly how: How
}

/** Replaces the running configuration by the files', atomically, one reload at a time. */
export class Reloader {
  readonly #ports: ReloaderPorts
  readonly counts: Reloads
  readonly #counts: { ok: number; failed: number; lastError?: LastError } = { ok: 0, failed: 0 }
  /** The files from which the serving configuration was made. */
  #serving: Loaded
  #generation = 1
  /** The text of the problems of the last reload, where it was refused. */
  #refusal = ''
  #last: Promise<unknown> = Promise.resolve()

  constructor(serving: Loaded, ports: ReloaderPorts) {
    this.#serving = serving
    this.#ports = ports
    this.counts = this.#counts
  }

  get generation(): number {
    return this.#generation
  }

  get settings(): Settings {
    return this.#serving.settings
  }

  /** The files from which the serving configuration was made. */
  get serving(): Loaded {
    return this.#serving
  }

  /** `by` asks for it: an operator, an account, or `watch`. Never rejects. */
  reload(by: string): Promise<Reloaded> {
    return this.inTurn(() => this.#reload(by))
  }

  /** Runs a change of what serves, or of its files, when those asked for before it are over. */
  inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = this.#last.then(run)
    this.#last = next.catch(() => {})
    return next
  }

  async #reload(by: string): Promise<Reloaded> {
    let sources: Sources = new Map()
    try {
      const ending = this.#ports.finish()
      if (ending) await ending
      const found = await this.#ports.examine()
      sources = found.sources
      if (!found.ok) return this.#refuse(found.problems, found.text, by)
      if (found.fingerprint === this.#serving.fingerprint) return this.#unchanged(by)
      const loaded = found.load()
      const fixed = fixedProblems(this.#serving.settings, loaded)
      if (fixed.length > 0) return this.#refuse(fixed, renderText(fixed, sources), by)
      const opened = await this.#ports.open(loaded)
      await opened.serve()
      return await this.accept(loaded, { text: found.text, by, how: by === WATCH ? 'watch' : 'reload' })
    } catch (error) {
      const problems = [this.#unusable(error)]
      return this.#refuse(problems, renderText(problems, sources), by)
    }
  }

  /** Takes note that a configuration serves. */
  async accept(loaded: Loaded, { text, by, how }: Accepted): Promise<ServingFiles> {
    const previous = this.#serving.config.revision
    this.#serving = loaded
    this.#generation++
    this.#counts.ok++
    this.#forgive()
    const { config, warnings } = loaded
    if (warnings.length > 0) this.#ports.say(text)
    const done = how === 'apply' ? 'applied' : how === 'rollback' ? 'rolled back' : 'reloaded'
    this.#ports.say(`${done}: revision ${previous} → ${config.revision}, generation ${this.#generation}`)
    const generation = this.#generation
    await this.#ports.keep(loaded, by, how)
    return { revision: config.revision, previous, generation, changed: true, warnings }
  }

  #unchanged(by: string): ServingFiles {
    const { config, warnings } = this.#serving
    const { revision } = config
    if (by !== WATCH || this.#refusal !== '') this.#ports.say(`nothing to reload: the files are revision ${revision}`)
    this.#forgive()
    return { revision, previous: revision, generation: this.#generation, changed: false, warnings }
  }

  #forgive(): void {
    this.#refusal = ''
    delete this.#counts.lastError
  }

  #refuse(problems: readonly Problem[], text: string, by: string): Reloaded {
    if (by !== WATCH || text !== this.#refusal) this.#tell(problems, text)
    return { denial: { code: 'RELOAD_REFUSED', problems, text } }
  }

  #tell(problems: readonly Problem[], text: string): void {
    const { alarm, clock, say } = this.#ports
    const worst = problems.find(({ severity }) => severity === 'error') ?? problems[0]
    const first = worst ? `${worst.file}:${worst.line}:${worst.column} ${worst.message}` : ''
    this.#refusal = text
    this.#counts.failed++
    this.#counts.lastError = { at: clock.now(), problems: problems.length, first }
    alarm('the configuration was not reloaded: the previous one stays in force', { problems: problems.length, first })
    say(text)
  }

  /** The Problem of an error without a place in the files, such as a secret of guests that this process may not read. */
  #unusable(error: unknown): Problem {
    const message = (error instanceof Error ? error.message : String(error)).replace(/^✗ /, '')
    const [file = ''] = this.#serving.files
    return { file, line: 1, column: 1, rule: 'cannot-reload', severity: 'error', message }
  }
}
