import type { Denial } from '../../policy/denial.ts'
import { htmlText } from '../html.ts'
import { type ErrorRow, errorCodes, rateTypes } from './codes.ts'
import { renderDenial } from './denial.ts'
import { type ErrorForm, specForm } from './forms.ts'

export interface DocsTerms {
  readonly brand: string
  /** Absent if there is no such page; the same holds for the other. */
  readonly consoleUrl?: string | undefined
  readonly topupUrl?: string | undefined
  /** Whether people mint keys of their own with a sign-in. */
  readonly signIn: boolean
  /** Whether a device without an account gets a key. */
  readonly guests: boolean
  /** The client dialects, with the forms of their errors. */
  readonly dialects: readonly DialectErrors[]
}

interface DialectErrors {
  readonly title: string
  readonly errors: ErrorForm
}

/** The page's only style; the endpoint that serves the page allows it by its hash. */
export const docsStyle = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}
code{font:.9em ui-monospace,monospace}
section{border-top:1px solid #8886;padding:.25rem 0}
section:target{border-top:2px solid #d80}
h2{font-size:1rem;margin:.75rem 0 .25rem}h2 small{opacity:.7;font-weight:400}
h2 a{color:inherit;text-decoration:none}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem .75rem;margin:.25rem 0 1rem}dt{opacity:.7}dd{margin:0}`

/** GET /docs/errors: each code, what it means, whether to retry and what to do. The anchor of a code is the code. */
export function errorsPage(terms: DocsTerms): string {
  const { brand, dialects } = terms
  const forms = [{ title: 'Chats', errors: specForm }, ...dialects]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Errors</title>
<style>${docsStyle}</style>
</head>
<body>
<h1>Errors</h1>
<p>Every error is JSON. Its code stands in the body and in the header ${code(`x-${brand}-error-code`)}; the header
${code('x-request-id')} names the request to the operator.</p>
<p>${dialects.map(({ title }) => title).join(' and ')} have the forms of their own APIs. The same error, of a model that is not there:</p>
<dl>${forms.map(form => formRow(form, brand)).join('')}</dl>
<p id="keys">${keysText(terms)}</p>
${Object.entries(errorCodes)
  .map(([name, doc]) => section(name, doc))
  .join('\n')}
</body>
</html>
`
}

const EXAMPLE: Denial = {
  code: 'VALIDATION_ERROR',
  field: 'model',
  problem: 'no such model',
  reason: 'model_not_found',
}

/** As the gateway answers it, so that it cannot say anything else. */
function formRow({ title, errors }: DialectErrors, brand: string): string {
  const { status, body } = renderDenial(EXAMPLE, { brand, links: { docs: '' }, requestId: 'req_…' }, errors)
  return `<dt>${title}</dt><dd>${status} <code>${JSON.stringify(body)}</code></dd>`
}

/** Where a reader gets a key here, and more quota. */
function keysText({ brand, consoleUrl, topupUrl, signIn, guests }: DocsTerms): string {
  const sources = [
    consoleUrl === undefined ? '' : `Keys are managed in the ${link(consoleUrl, 'console')}.`,
    signIn ? `${code('POST /v1/keys/developer')} creates a key, with the access token of a sign-in.` : '',
    guests ? `A device without an account gets a key from ${code('POST /v1/keys/guest')}.` : '',
    consoleUrl === undefined && !signIn ? 'The operator of this gateway issues keys.' : '',
    `A key begins with ${code(`${brand}_`)}.`,
    topupUrl === undefined ? '' : `More quota: ${link(topupUrl, 'top up')}.`,
  ]
  return sources.filter(Boolean).join(' ')
}

function section(name: string, { status, reason, meaning, retry, todo }: ErrorRow): string {
  const types = name === 'rate_limit_exceeded' ? `\n<dl>${rateTypes.map(typeRow).join('')}</dl>` : ''
  return `<section id="${name}">
<h2><a href="#${name}">${code(name)}</a> <small>${status === 200 ? reason : status}</small></h2>
<p>${text(meaning)}</p>${types}
<dl><dt>Retry</dt><dd>${text(retry)}</dd><dt>What to do</dt><dd>${text(todo)}</dd></dl>
</section>`
}

const typeRow = ({ type, meaning }: (typeof rateTypes)[number]): string =>
  `<dt id="${type}">${code(type)}</dt><dd>${text(meaning)}</dd>`

const code = (value: string): string => `<code>${htmlText(value)}</code>`
const link = (url: string, label: string): string => `<a href="${htmlText(url)}">${label}</a>`

/** Text of the table, in which backticks mark code. */
const text = (value: string): string => htmlText(value).replace(/`([^`]+)`/g, '<code>$1</code>')
