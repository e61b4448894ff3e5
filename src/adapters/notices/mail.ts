import { hash } from 'node:crypto'
import { type Letter, NoticeRefused, type Target } from '../../gateway/notices/lane.ts'
import type { Millis } from '../../policy/config.ts'
import { letterLines } from './letter-lines.ts'

/** A server that takes mail, and the sender. */
export interface MailServer {
  readonly host: string
  readonly port: number
  readonly user?: string
  readonly tls: 'whole' | 'upgraded' | 'none'
  readonly from: string
  /** The current one. */
  readonly password: () => string | undefined
}

/** A mailbox, by way of a server. */
export interface MailSettings extends MailServer {
  readonly to: readonly string[]
  readonly digest: Millis
  /** A text below the notices. */
  readonly footer?: string
}

interface Mail {
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly messageId?: string
}

/**
 * Sends mail of plain text by a connection of its own. Resolves to the addresses that the server does not take while others get
 * it. Rejects with NoticeRefused where it takes none of them, or not this text, and with another error where it takes no mail of
 * this gateway at present: it does not answer, refuses the sign-in or the sender, or relays nothing.
 */
export async function sendMail(server: MailServer, mail: Mail): Promise<readonly string[]> {
  // Only now: most gateways send none.
  const { createTransport } = await import('nodemailer')
  const { host, port, user, tls, from, password } = server
  const transport = createTransport({
    ...{ host, port, secure: tls === 'whole', requireTLS: tls === 'upgraded' },
    ...{ connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    ...(user !== undefined && { auth: { user, pass: password() ?? '' } }),
  })
  try {
    const headers = { 'auto-submitted': 'auto-generated' }
    const { rejected } = await transport.sendMail({ ...mail, from, headers })
    return rejected.map(String)
  } catch (error) {
    throw isRefusal(error) ? new NoticeRefused(error.message, { cause: error }) : error
  } finally {
    transport.close()
  }
}

/** Sends notices as mail of plain text. Each message has a connection of its own, since they are few. */
export class MailTarget implements Target {
  readonly digest: Millis | undefined
  readonly #settings: MailSettings
  readonly #brand: string
  readonly #refused: (addresses: readonly string[]) => void

  /** `refused` hears of addresses that the server does not take while others get the mail. */
  constructor(settings: MailSettings, brand: string, refused: (addresses: readonly string[]) => void) {
    this.#settings = settings
    this.#brand = brand
    this.#refused = refused
    this.digest = settings.digest > 0 ? settings.digest : undefined
  }

  async send(letters: readonly Letter[]): Promise<void> {
    const lines = letterLines(letters)
    const [first = ''] = lines
    const { to, footer } = this.#settings
    const rejected = await sendMail(this.#settings, {
      ...{ to, messageId: this.#idOf(letters) },
      subject: lines.length === 1 ? `[${this.#brand}] ${first}` : `[${this.#brand}] ${lines.length} notices`,
      text: `${lines.join('\n')}\n${footer === undefined ? '' : `\n${footer}\n`}`,
    })
    // Sent again, it would come to the others again.
    if (rejected.length > 0) this.#refused(rejected)
  }

  /** The Message-ID depends on the notices alone, so that programs recognize a repeated mail. */
  #idOf(letters: readonly Letter[]): string {
    const ids = letters.map(({ notice: { id } }) => id)
    const id = ids.length === 1 ? ids[0] : hash('sha256', ids.join(' ')).slice(0, 32)
    return `<${id}@${this.#settings.from.slice(this.#settings.from.lastIndexOf('@') + 1)}>`
  }
}

/** A 5xx reply of the server to the addresses or to the text: another mail may pass. A refused sender or sign-in is the same for all. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'EMESSAGE' || isOfRecipient(error)) &&
  'responseCode' in error &&
  Number(error.responseCode) >= 500

/** Whether the server would not take, for now or for good, the address that a mail was for. It takes those of others. */
export const isOfRecipient = (error: unknown): error is Error =>
  error instanceof NoticeRefused
    ? isOfRecipient(error.cause)
    : error instanceof Error &&
      'code' in error &&
      error.code === 'EENVELOPE' &&
      'command' in error &&
      error.command === 'RCPT TO' &&
      !('response' in error && refusesGateway(String(error.response), addressesIn(error)))

const addressesIn = (error: Error): readonly string[] =>
  'rejected' in error && Array.isArray(error.rejected) ? error.rejected.map(String) : []

/**
 * Whether a reply to addresses speaks of this gateway: the server relays nothing for it, or refuses its host. Servers repeat the
 * address, and what another server `said` about it, which its owner chose: neither counts. Codes of another class than policy
 * (X.7.Y of RFC 3463) speak of the address, and codes of policy do as well unless the words name the gateway.
 */
function refusesGateway(reply: string, addresses: readonly string[]): boolean {
  const [, code, subject] = /^(\d{3})(?:[ -]\d\.(\d{1,3})\.\d{1,3}(?!\S))?/.exec(reply) ?? []
  if (code === NO_SIGN_IN) return true
  if (subject !== undefined && subject !== POLICY) return false
  const words = addresses.reduce((text, address) => text.replaceAll(address.toLowerCase(), ''), reply.toLowerCase())
  return OF_GATEWAY.test(words.replace(/<[^>]*>/g, '').replace(/\bsaid\b.*/s, ''))
}

/** RFC 4954 6: the server wants a sign-in first. */
const NO_SIGN_IN = '530'
const POLICY = '7'
/** qmail names its file. */
const OF_GATEWAY =
  /\brelay(ing)? (access )?denied|unable to relay|relay(ing)? not permitted|allowed rcpthosts|client host\b/

const TIMEOUT_MS: Millis = 10_000
