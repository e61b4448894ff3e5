import type { Dispatcher } from 'undici'
import { type Letter, NoticeRefused, type Target } from '../../gateway/notices/lane.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { ContactWebhook } from '../../records/account.ts'
import { WebhookTarget } from './webhook.ts'

interface OwnWebhookPorts {
  /** As the account has it at this moment. */
  readonly webhook: () => Promise<ContactWebhook | undefined>
  /** Connects to public addresses alone. */
  readonly dispatcher: Dispatcher
  readonly now: () => EpochMs
  /** Waits for one of the connections that all customers share, and returns how to give it back. */
  readonly slot: () => Promise<() => void>
}

/** Posts notices to a webhook that a customer chose. */
export class OwnWebhookTarget implements Target {
  readonly #ports: OwnWebhookPorts

  constructor(ports: OwnWebhookPorts) {
    this.#ports = ports
  }

  async send(letters: readonly Letter[]): Promise<void> {
    const { webhook, dispatcher, now, slot } = this.#ports
    const release = await slot()
    try {
      const chosen = await webhook()
      if (!chosen) throw new NoticeRefused('the account has no webhook', { isFinal: true })
      const { url, secret } = chosen
      await new WebhookTarget({ url, secret: () => secret }, dispatcher, now).send(letters)
    } finally {
      release()
    }
  }
}
