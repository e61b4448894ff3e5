import { type ConsoleBoot, consolePage } from '../../wire/console/boot.ts'
import type { HttpCall } from '../listener/call.ts'
import { smallestForm } from '../listener/content-coding.ts'
import { type BuiltConsole, builtConsole, type ConsoleFile } from './built-console.ts'

/** A console that a listener serves. */
export interface ServedConsole {
  readonly built: BuiltConsole
  /** The facts that its pages have before they ask for anything. */
  readonly boot: ConsoleBoot
  /** The origins beside their own that pages may ask. */
  readonly connect: readonly string[]
}

/** Answers with the page that starts a console. */
export function answerConsole(call: HttpCall, { built, boot, connect }: ServedConsole): void {
  const html = built.pages.get(boot.door)
  if (html === undefined) answerMissing(call, NOT_BUILT)
  else answerPage(call, consolePage(html, boot), connect)
}

/** Answers with what a console has of this name: with a dot it is a file, any other one is a page, which the console shows by itself. */
export function answerConsoleName(call: HttpCall, served: ServedConsole, name: string): void {
  // Looked up by name: no path of a client reaches the disk.
  const file = served.built.files.get(name)
  if (!name.includes('.')) answerConsole(call, served)
  else if (file?.doors.includes(served.boot.door)) answerFile(call, file)
  else answerMissing(call, 'The console has no such file, perhaps after an upgrade. Reload the page.')
}

/** The console as it was built; else the call is answered. */
export const builtOrMissing = (call: HttpCall): BuiltConsole | undefined =>
  builtConsole() ?? answerMissing(call, NOT_BUILT)

export function answerMissing(call: HttpCall, problem: string): undefined {
  call.deny({ code: 'NOT_FOUND', problem })
  return undefined
}

const NOT_BUILT = 'The console is not built: run npm run build. Manage keys with svcctl keys meanwhile.'

/** Answers with a file, compressed where the client takes that, or says that the client has it. */
function answerFile(call: HttpCall, file: ConsoleFile): void {
  const { headers } = call.request
  const encoding = file.isCompressed ? smallestForm(headers['accept-encoding']) : 'identity'
  // Each form is another representation: RFC 9110 8.8.3.
  const etag = encoding === 'identity' ? `"${file.etag}"` : `"${file.etag}-${encoding}"`
  const own = {
    etag,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'public, max-age=86400',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'accept-encoding',
  }
  if (isKnown(headers['if-none-match'], etag)) {
    call.empty(304, own)
    return
  }
  const encoded = encoding === 'identity' ? own : { ...own, 'content-encoding': encoding }
  call.send(200, file.type, file.bytesIn(encoding), encoded)
}

/** `connect` are the origins beside its own that the page may call. */
function answerPage(call: HttpCall, html: string, connect: readonly string[]): void {
  call.send(200, 'text/html; charset=utf-8', Buffer.from(html), {
    'content-security-policy': policyWith(connect),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    // A popup for a sign-in may be opened; a page that opened this one gets no handle on it.
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  })
}

const policyWith = (connect: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    // Last: where there are more origins than a header has room for, those alone are cut off.
    ["connect-src 'self'", ...connect].join(' '),
  ].join('; ')

/** RFC 9110 13.1.2: a weak comparison. */
const isKnown = (asked: string | undefined, etag: string): boolean =>
  (asked ?? '').split(',').some(each => ['*', etag, `W/${etag}`].includes(each.trim()))
