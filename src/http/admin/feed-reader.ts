import type { ShownDropped } from '../../wire/admin/event.ts'

/** Characters that wait for a reader who is slower than the gateway; what comes then is left out. */
const ROOM = 1_048_576

/** Passes on text. False when no more should come before `onDrain` has run. */
export type Write = (text: string, onDrain: () => void) => boolean

/** One who follows the feed, at its own pace: what waits for it is bounded, and it is told of what it missed. */
export class FeedReader {
  /** Only requests of this account. */
  readonly account: string | undefined
  readonly #write: Write
  #waiting: string[] = []
  #size = 0
  #dropped = 0
  #blocked = false

  constructor(write: Write, account?: string) {
    this.#write = write
    this.account = account
  }

  /** Events as they go over the wire: each of them is passed on whole, or left out. */
  send(event: string): void {
    if (!this.#blocked) this.#pass(event)
    else if (this.#dropped > 0 || this.#size + event.length > ROOM) this.#dropped++
    else {
      this.#waiting.push(event)
      this.#size += event.length
    }
  }

  /** Events were left out before they came here. */
  missed(count: number): void {
    this.#dropped += count
    if (!this.#blocked) this.#drained()
  }

  #pass(text: string): void {
    this.#blocked = !this.#write(text, () => this.#drained())
  }

  #drained(): void {
    this.#blocked = false
    const waiting = this.#waiting.join('')
    const dropped = this.#dropped
    this.#waiting = []
    this.#size = 0
    this.#dropped = 0
    const told: ShownDropped = { event: 'dropped', count: dropped }
    const text = dropped > 0 ? `${waiting}${feedEvent(told)}` : waiting
    if (text !== '') this.#pass(text)
  }
}

/** JSON has no line ends of its own. */
export const feedEvent = (event: object): string => `data: ${JSON.stringify(event)}\n\n`
