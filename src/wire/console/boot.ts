import { htmlText } from '../html.ts'

/** The two consoles: `public` for customers, `admin` for operators. */
export type Door = 'public' | 'admin'

/** The facts that a page of the console has before it asks for anything: none of them is secret. */
export interface ConsoleBoot {
  /** The audience of the console: customers or operators. */
  readonly door: Door
  readonly brand: string
  /** The build of the console's files. */
  readonly build: string
  /** All without a slash at the end. */
  readonly public_url: string
  /** Where the page stands, and whom it asks: for operators paths alone, since their listener has several addresses. */
  readonly console_url: string
  readonly api_url: string
  /** Null where the gateway has no sign-in. */
  readonly issuer: string | null
  /** Null where the console has no sign-in. */
  readonly client_id: string | null
  /** The resource that tokens must be for. */
  readonly resource: string | null
  /** Where a client buys more. */
  readonly topup: string | null
  /** Where people ask for more. */
  readonly contact: string | null
  readonly default_model: string
}

/** The page as it was built, with what it has to know of a deployment. */
export function consolePage(html: string, boot: ConsoleBoot): string {
  const prefix = new URL(boot.console_url, boot.public_url).pathname
  // In one pass: a value that looks like a mark stays a value.
  return html.replaceAll(/="\.\/|%(BOOT|BRAND)%/g, (_, name?: string) => {
    if (name === 'BOOT') return htmlText(JSON.stringify(boot))
    return name === 'BRAND' ? htmlText(boot.brand) : `="${prefix}/`
  })
}
