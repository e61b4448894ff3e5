import { Secret, type Settings } from '../../config/settings.ts'
import { withoutKeys } from '../../gateway/accounts/keys.ts'

export interface Knowing {
  readonly settings: Settings
  readonly guestSecrets?: readonly Secret[]
}

/** Every secret that this process knew since its start, so that no line holds one, also of requests that began before a reload. */
export class KnownSecrets {
  readonly #values = new Set<string>()
  #seen: object | undefined

  constructor(...values: readonly string[]) {
    for (const value of values) this.#add(value)
  }

  /** Also those of a configuration, wherever in it they stand, and what the keys of guests are derived from. */
  know({ settings, guestSecrets = [] }: Knowing): void {
    // A snapshot has settings of its own, and is complete.
    if (settings === this.#seen) return
    if (guestSecrets.length > 0 || !settings.guests) this.#seen = settings
    for (const secret of [...secretsIn(settings), ...secretsIn(guestSecrets)]) {
      this.#add(secret)
      for (const part of partsOf(secret)) this.#add(part)
    }
  }

  /** The text without any of them, and without what looks like a key or a token. */
  without(text: string): string {
    let without = text
    for (const value of this.#values) if (without.includes(value)) without = without.replaceAll(value, REDACTED)
    return withoutKeys(without.replace(CREDENTIALS, REDACTED))
  }

  #add(value: string): void {
    if (value.length >= LEAST_CHARACTERS) this.#values.add(value)
  }
}

/** Shorter secrets are common words: to redact them would redact ordinary text. */
const LEAST_CHARACTERS = 6

const REDACTED = '[redacted]'
/** What looks like a key of a vendor, a bearer value or a JSON web token. Models may be called svc-…: of our own keys `withoutKeys` knows the form. */
const CREDENTIALS = /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}|\bBearer\s+\S+|\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+/g

function secretsIn(value: unknown): readonly string[] {
  if (value instanceof Secret) return [value.reveal()]
  if (value instanceof Map) return [...value.values()].flatMap(secretsIn)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsIn) : []
}

/** The password of a URL, as it is written there and as it is sent; and what follows `Basic` or `Bearer`. */
function partsOf(secret: string): readonly string[] {
  const { password = '' } = URL.canParse(secret) ? new URL(secret) : {}
  const [, credentials = ''] = /^\w+ +(\S+)$/.exec(secret) ?? []
  return [password, decoded(password), credentials]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign that stands for itself.
    return text
  }
}
