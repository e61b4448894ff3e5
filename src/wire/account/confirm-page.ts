import { htmlText } from '../html.ts'
import { oneLine } from '../printable.ts'

/** The link of a mail that confirms an address, in one of its states. */
export type ConfirmLink =
  | { readonly state: 'open'; readonly account: string; readonly address: string; readonly token: string }
  | { readonly state: 'confirmed'; readonly account: string; readonly address: string }
  | { readonly state: 'expired' | 'unknown' }

interface ConfirmTerms {
  readonly brand: string
  /** Absent if there is no console. */
  readonly consoleUrl?: string | undefined
}

/** The page's only style; the endpoint that serves the page allows it by its hash. */
export const confirmStyle = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:10vh auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.4rem;line-height:1.25}
button{font:inherit;font-weight:600;min-height:2.75rem;padding:.5rem 1.25rem;border:0;border-radius:.4rem;background:#1d4ed8;color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid #f59e0b;outline-offset:2px}`

/** The page behind the link of a mail, whose form confirms the address. It needs no script. */
export function confirmPage(link: ConfirmLink, { brand, consoleUrl }: ConfirmTerms): string {
  const { title, body } = contentOf(link)
  const more = consoleUrl === undefined ? '' : `\n<p><a href="${htmlText(consoleUrl)}">Open the console</a></p>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${text(brand)}</title>
<style>${confirmStyle}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}${link.state === 'open' ? '' : more}
</main>
</body>
</html>
`
}

function contentOf(link: ConfirmLink): { readonly title: string; readonly body: string } {
  switch (link.state) {
    case 'open':
      return {
        title: 'Confirm your mail address',
        // The path is relative: a proxy may serve the gateway below a prefix.
        body: `<p>Account <strong>${text(link.account)}</strong> wants to send notices about its limits to <strong>${text(link.address)}</strong>.</p>
<form method="post" action="confirm">
<input type="hidden" name="token" value="${text(link.token)}">
<button type="submit">Confirm this address</button>
</form>
<p>If you did not ask for this, close this page. An address gets no notices until it is confirmed.</p>`,
      }
    case 'confirmed':
      return {
        title: 'Address confirmed',
        body: `<p>Notices about the limits of account <strong>${text(link.account)}</strong> now come to <strong>${text(link.address)}</strong>. You can close this page.</p>`,
      }
    case 'expired':
      return {
        title: 'This link has expired',
        body: '<p>A link works for 24 hours. Enter the address again where notices are set up, and a new mail is sent.</p>',
      }
    case 'unknown':
      return {
        title: 'This link does not work',
        body: `<p>It was used before, a newer mail replaced it, or it was not copied whole.</p>
<p>If you confirmed the address before, notices already come to it. Otherwise, enter the address again where notices are set up, and a new mail is sent.</p>`,
      }
  }
}

/** Addresses are chosen by customers. */
const text = (value: string): string => htmlText(oneLine(value))
