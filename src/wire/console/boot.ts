/** What the page of the console knows before it asks for anything: nothing of it is secret. */
export interface ConsoleBoot {
  readonly brand: string
  /** Of the files of the console. */
  readonly build: string
  /** Both without a slash at the end. */
  readonly public_url: string
  readonly console_url: string
  /** Null where the gateway has no sign-in. */
  readonly issuer: string | null
  /** Null where the console has no sign-in. */
  readonly client_id: string | null
  /** What tokens must be for. */
  readonly resource: string | null
  /** Where a client buys more. */
  readonly topup: string | null
  /** Where people ask for more. */
  readonly contact: string | null
  readonly default_model: string
}

/** The page as it was built, with what it has to know of a deployment. */
export function consolePage(html: string, boot: ConsoleBoot): string {
  const prefix = new URL(boot.console_url).pathname
  // In one pass: a value that looks like a mark stays a value.
  return html.replaceAll(/="\.\/|%(BOOT|BRAND)%/g, (_, name?: string) => {
    if (name === 'BOOT') return escaped(JSON.stringify(boot))
    return name === 'BRAND' ? escaped(boot.brand) : `="${prefix}/`
  })
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character] ?? '')
