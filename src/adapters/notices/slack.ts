import type { Dispatcher } from 'undici'
import type { Letter, Target } from '../../gateway/notices/lane.ts'
import type { Millis } from '../../policy/config.ts'
import { letterLines } from './letter-lines.ts'
import { post } from './post.ts'

interface SlackSettings {
  /** The current URL. */
  readonly url: () => string
  readonly digest: Millis
}

/** Posts notices to an incoming webhook of Slack, or to a program that takes the same. */
export class SlackTarget implements Target {
  readonly digest: Millis | undefined
  readonly #url: () => string
  readonly #dispatcher: Dispatcher

  constructor({ url, digest }: SlackSettings, dispatcher: Dispatcher) {
    this.#url = url
    this.#dispatcher = dispatcher
    this.digest = digest > 0 ? digest : undefined
  }

  async send(letters: readonly Letter[]): Promise<void> {
    const text = letterLines(letters).map(escaped).join('\n')
    await post({ url: this.#url(), body: JSON.stringify({ text }), headers: {}, dispatcher: this.#dispatcher })
  }
}

/** Slack reads these three characters as markup. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
