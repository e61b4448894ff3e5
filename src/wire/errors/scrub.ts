/** The most characters of a backend's text that a client sees. */
const MAX_LENGTH = 512
/** More of a text is not looked at, so that the time this takes is bounded whatever a backend writes. */
const MAX_READ = 4096

const REDACTED = '[redacted]'

/** The beginning and end of a key, as providers show it: `sk-proj-****abcd`. */
const MASKED_KEYS = /\b(?:sk|pk|rk|svc|gsk|xai|hf|pplx|nvapi)[-_][\w-]{0,32}(?:\*{2,64}|\.{3}|…)[\w*.…-]{0,64}/gi

/** Keys with a vendor's prefix, credentials of an Authorization header, JSON web tokens. */
const CREDENTIALS =
  /\b(?:sk|pk|rk|svc)[-_][A-Za-z0-9_-]{8,}|\b(?:gsk_|xai-|hf_|gh[opsu]_|github_pat_|glpat-|nvapi-|pplx-|xox[abprs]-|ya29\.|AIza|AKIA|ASIA)[\w.-]{8,}|\b(?:Bearer|Basic)\s+[\w.~+/=-]+|\beyJ[A-Za-z0-9_-]{2,512}\.[A-Za-z0-9_.-]+/gi

/** `password=…`, `"api_key": "…"`, `token: …`, also in JSON inside of JSON. The name stays; its value goes, to its last quote or blank. */
const NAMED_SECRETS =
  /((?:passw(?:or)?d|passwd|passphrase|pwd|secret|token|api[_ -]?key|access[_ -]?key|private[_ -]?key|account[_ -]?key|secret[_ -]?key|authorization|credentials?|cookie|session[_ -]?id|signature|dsn|connection[_ -]?string|host(?:name)?)(?:[_ -]?(?:id|value|provided))?\\?["']?\s{0,4}(?:=>|[=:])\s{0,4})(?:\\?"[^"\\]{1,1024}\\?"?|\\?'[^'\\]{1,1024}\\?'?|[^\s"'\\]{1,1024})/gi

/** URLs of any scheme, with or without a user in them; `user:password@host`; addresses; names of hosts with a port, or of a private domain. */
const ADDRESSES = [
  /\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s"'<>]+/gi,
  /[^\s:@/"'=]{1,64}:[^\s:@/"']{1,64}@[^\s"'<>]+/g,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  /\[[0-9a-f:.]{0,45}:[0-9a-f:.]{0,45}\](?::\d+)?/gi,
  /(?<![\w:.])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}|::(?:[0-9a-f]{1,4}:){0,6}[0-9a-f]{1,4})(?![\w:])/gi,
  /(?<![\w.-])(?:[a-z0-9-]{1,63}\.){1,12}[a-z0-9-]{1,63}:\d{2,5}\b/gi,
  /(?<![\w.-])(?:[a-z0-9-]{1,63}\.){1,12}(?:internal|local|localdomain|lan|corp|intranet|intra|consul|svc)\b/gi,
  /(?<=\b(?:to|at|from|host|server|upstream|peer)\s)[a-z][a-z0-9-]{0,62}:\d{2,5}\b/gi,
  /\blocalhost(?::\d+)?/gi,
]

/**
 * Files of the machine: absolute, of a home, of Windows, or relative with the ending of a file. A path of the request,
 * such as `/messages/0/content` or `/v1/embeddings`, says where the client's mistake is and stays.
 */
const FILES = [
  /(?<![\w.:/~-])~?\/(?!(?:messages|tools|input|prompt|response_format|v1)(?:[/\s"',;:)]|$))(?:[\w.@%+-]{1,255}\/)+[\w.@%+-]{0,255}/g,
  /(?<![\w./-])\/[\w@%+-]{1,255}\.[a-z]\w{0,11}\b/g,
  /\b[a-z]:\\[^\s"'<>|]+/gi,
  /\\\\[\w.-]+\\[^\s"'<>|]+/g,
  /(?<![\w./-])(?:[\w.-]{1,128}\/){1,16}[\w.-]{1,128}\.(?:py[co]?|so|jsx?|tsx?|json|ya?ml|toml|cfg|conf|ini|env|pem|key|crt|safetensors|gguf|bin|pth?|ckpt|log|db|sqlite3?|c|cc|cpp|cu|h|rs|go|java|rb|php|sh)\b/gi,
]

/** Operators' names at a provider: ids of organizations and accounts, and names of projects and deployments. */
const NAMES_OF_OPERATORS: readonly (readonly [form: RegExp, shown: string])[] = [
  [/\b(?:org|proj|team|acct|user|ws)[-_](?=[A-Za-z]*\d)[A-Za-z0-9]{6,64}\b/g, REDACTED],
  [/\barn:aws[\w-]*:[^\s"'`,]+/g, REDACTED],
  [
    /\b(projects|deployments|accounts|organizations|subscriptions|resourceGroups)\/[\w.:-]+(?:\/[\w.:-]+)*/g,
    `$1/${REDACTED}`,
  ],
  [
    /\b((?:organi[sz]ation|project|workspace|tenant|subscription|deployment|resource group)s?(?: (?:id|name|number))?:?) (?:[`'"“][^`'"”]{1,128}[`'"”]|(?=[\w-]*\d)[\w-]{4,64}\b)/gi,
    `$1 ${REDACTED}`,
  ],
]

/** A backend's text as a client may read it: without secrets, addresses, paths of files and length. */
export function scrub(text: string, secrets: readonly string[]): string {
  let scrubbed = beginningOf(text)
  for (const secret of secrets) scrubbed = scrubbed.replaceAll(secret, REDACTED)
  scrubbed = scrubbed.replace(MASKED_KEYS, REDACTED).replace(CREDENTIALS, REDACTED)
  scrubbed = scrubbed.replace(NAMED_SECRETS, `$1${REDACTED}`)
  for (const address of ADDRESSES) scrubbed = scrubbed.replace(address, '[address]')
  for (const file of FILES) scrubbed = scrubbed.replace(file, '[path]')
  return scrubbed.slice(0, MAX_LENGTH)
}

/** A text without operators' names at their providers. */
export const scrubNames = (text: string): string =>
  NAMES_OF_OPERATORS.reduce((scrubbed, [form, shown]) => scrubbed.replace(form, shown), text)

/** Whole words of it: half of a secret would not be known for one. */
function beginningOf(text: string): string {
  if (text.length <= MAX_READ) return text
  const read = text.slice(0, MAX_READ)
  return read.slice(0, Math.max(read.lastIndexOf(' '), read.lastIndexOf('\n'), 0))
}
