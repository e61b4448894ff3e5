import { createHmac } from 'node:crypto'
import type { Dispatcher } from 'undici'
import type { Letter, Target } from '../../gateway/notices/lane.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { NoticeEvent } from '../../records/notice.ts'
import { noticeText, shownEvent } from '../../wire/admin/notice.ts'
import { post } from './post.ts'

interface WebhookSettings {
  readonly url: string
  /** The current secret: `whsec_` and base64. */
  readonly secret: () => string
}

/** Posts each notice as JSON, signed as Standard Webhooks has it. */
export class WebhookTarget implements Target {
  readonly #settings: WebhookSettings
  readonly #dispatcher: Dispatcher
  readonly #now: () => EpochMs

  constructor(settings: WebhookSettings, dispatcher: Dispatcher, now: () => EpochMs) {
    this.#settings = settings
    this.#dispatcher = dispatcher
    this.#now = now
  }

  async send(letters: readonly Letter[]): Promise<void> {
    for (const letter of letters) await this.#sendOne(letter)
  }

  async #sendOne({ notice: { id, at, event }, delivery: { percent } }: Letter): Promise<void> {
    const data = { id, text: noticeText(event, percent), ...shownEvent(event, percent) }
    const body = JSON.stringify({ type: typeOf(event), timestamp: new Date(at).toISOString(), data })
    const timestamp = String(Math.floor(this.#now() / 1000))
    const signature = signatureOf(this.#settings.secret(), `${id}.${timestamp}.${body}`)
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
    await post({ url: this.#settings.url, body, headers, dispatcher: this.#dispatcher })
  }
}

/** The type of an event, as Standard Webhooks suggests: `incident.opened`. */
function typeOf(event: NoticeEvent): string {
  switch (event.kind) {
    case 'limit':
      return 'limit.reached'
    case 'key-expiry':
      return 'key.expiring'
    case 'freeze':
      return `account.${event.state}`
    case 'incident':
      return `incident.${event.state}`
    case 'test':
      return 'notice.test'
  }
}

/** `v1,` and the HMAC-SHA256 of a text. */
function signatureOf(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}
