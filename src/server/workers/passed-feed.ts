import { Feed, type FeedPorts } from '../../http/feed.ts'
import type { LogEntry } from '../../http/log-entry.ts'
import type { Millis } from '../../policy/config.ts'

/** The feed of a worker: operators follow that of main, which gets what happens here while they do. */
export class PassedFeed extends Feed {
  /** Whether any operator follows. */
  isFollowed: boolean
  readonly #pass: (passed: Passed) => void
  readonly #most: number
  #ended: LogEntry[] = []
  #began = new Set<string>()
  #missed = 0
  #isDue = false

  constructor(ports: FeedPorts, { pass, most, isFollowed }: PassedFeedPorts) {
    super(ports)
    this.#pass = pass
    this.#most = most
    this.isFollowed = isFollowed
  }

  override began(account: string): void {
    if (!this.isFollowed || this.#began.size >= this.#most) return
    this.#began.add(account)
    this.#passSoon()
  }

  override tell(entry: LogEntry): void {
    if (!this.isFollowed) return
    if (this.#ended.length < this.#most) this.#ended.push(entry)
    else this.#missed++
    this.#passSoon()
  }

  #passSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    setTimeout(() => {
      this.#isDue = false
      this.#pass({ ended: this.#ended, began: [...this.#began], missed: this.#missed })
      this.#ended = []
      this.#began.clear()
      this.#missed = 0
    }, PASSED_MS).unref()
  }
}

interface PassedFeedPorts {
  readonly pass: (passed: Passed) => void
  /** Requests that are passed on at once; of further ones only how many there were. */
  readonly most: number
  readonly isFollowed: boolean
}

/** A worker's events since its last report. */
export interface Passed {
  readonly ended: readonly LogEntry[]
  /** Accounts of requests that began. */
  readonly began: readonly string[]
  readonly missed: number
}

const PASSED_MS: Millis = 100
