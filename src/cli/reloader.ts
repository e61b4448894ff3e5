import { fixedProblems } from '../config/fixed.ts'
import { renderText, type Sources } from '../config/frame.ts'
import type { Load } from '../config/load.ts'
import type { Problem } from '../config/problem.ts'
import type { Loaded, Settings } from '../config/settings.ts'
import type { Alarm, Clock } from '../gateway/ports.ts'
import type { LastError, Reloaded, Reloads } from '../http/reloaded.ts'

export interface ReloaderPorts {
  /** Reads the files, variables and secrets as they are now. */
  readonly load: () => Load
  /** Puts a configuration in the place of the one that serves. Rejects when it cannot be had; that one then goes on. */
  readonly apply: (loaded: Loaded) => Promise<void>
  readonly clock: Clock
  readonly alarm: Alarm
  /** What an operator is to read, over several lines. */
  readonly say: (text: string) => void
}

/** Who wants a reload: whoever watches the files asks again and again, and need not hear the same twice. */
export type Asker = 'operator' | 'watch'

/** Takes the place of the configuration that serves with what the files say now: whole, or not at all. One after the other. */
export class Reloader {
  readonly #ports: ReloaderPorts
  readonly counts: Reloads
  readonly #counts: { ok: number; failed: number; lastError?: LastError } = { ok: 0, failed: 0 }
  /** What the configuration that serves was made of. */
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

  get settings(): Settings {
    return this.#serving.settings
  }

  /** Never rejects. */
  reload(by: Asker): Promise<Reloaded> {
    const next = this.#last.then(() => this.#reload(by))
    this.#last = next
    return next
  }

  async #reload(by: Asker): Promise<Reloaded> {
    let sources: Sources = new Map()
    try {
      const result = this.#ports.load()
      sources = result.sources
      if (!result.ok) return this.#refuse(result.problems, sources, by)
      const { loaded } = result
      if (loaded.fingerprint === this.#serving.fingerprint) return this.#unchanged(by)
      const fixed = fixedProblems(this.#serving.settings, loaded)
      if (fixed.length > 0) return this.#refuse(fixed, sources, by)
      await this.#ports.apply(loaded)
      return this.#accept(loaded, sources)
    } catch (error) {
      return this.#refuse([this.#unusable(error)], sources, by)
    }
  }

  #accept(loaded: Loaded, sources: Sources): Reloaded {
    const previous = this.#serving.config.revision
    this.#serving = loaded
    this.#generation++
    this.#counts.ok++
    this.#forgive()
    const { config, warnings } = loaded
    if (warnings.length > 0) this.#ports.say(renderText(warnings, sources))
    this.#ports.say(`reloaded: revision ${previous} → ${config.revision}, generation ${this.#generation}`)
    return { ok: true, revision: config.revision, previous, generation: this.#generation, changed: true, warnings }
  }

  #unchanged(by: Asker): Reloaded {
    const { config, warnings } = this.#serving
    const { revision } = config
    if (by !== 'watch' || this.#refusal !== '') this.#ports.say(`nothing to reload: the files are revision ${revision}`)
    this.#forgive()
    return { ok: true, revision, previous: revision, generation: this.#generation, changed: false, warnings }
  }

  #forgive(): void {
    this.#refusal = ''
    delete this.#counts.lastError
  }

  #refuse(problems: readonly Problem[], sources: Sources, by: Asker): Reloaded {
    const text = renderText(problems, sources)
    if (by !== 'watch' || text !== this.#refusal) this.#tell(problems, text)
    return { ok: false, problems, text }
  }

  #tell(problems: readonly Problem[], text: string): void {
    const { alarm, clock, say } = this.#ports
    const worst = problems.find(({ severity }) => severity === 'error') ?? problems[0]
    const first = worst ? `${worst.file}:${worst.line}:${worst.column} ${worst.message}` : ''
    this.#refusal = text
    this.#counts.failed++
    this.#counts.lastError = { at: clock.now(), problems: problems.length, first }
    alarm('the configuration was not reloaded, the one before goes on', { problems: problems.length, first })
    say(text)
  }

  /** What cannot be told of a place in the files, such as a secret of guests that this process may not read. */
  #unusable(error: unknown): Problem {
    const message = (error instanceof Error ? error.message : String(error)).replace(/^✗ /, '')
    const [file = ''] = this.#serving.files
    return { file, line: 1, column: 1, rule: 'cannot-reload', severity: 'error', message }
  }
}
