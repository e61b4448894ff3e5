/** The headers of a part of a form. */
export interface PartHead {
  readonly name: string
  /** Its content length, if given. */
  readonly length?: number
}

/** A header line of any part: no folding, and nothing that a reader may take for the end of a line. */
const LINE = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/
const VALUE = `"(?:[^"\\\\]|\\\\.)*"|[^\\s";,\\\\]+`
/** The name comes first: some look for `name="` and find that of `filename="`. */
const DISPOSITION = new RegExp(
  `^form-data[ \\t]*;[ \\t]*name=("[^"\\\\]*"|[^\\s";,\\\\]+)((?:[ \\t]*;[ \\t]*filename\\*?=(?:${VALUE}))*)$`,
  'i',
)
/** A name to readers that do not mind quotes. */
const NAME_WITHIN = /;\s*["'\\]*name\*?["'\\]*\s*=/i
/** In another header it is one to those who look for it anywhere. */
const NAME_ELSEWHERE = /(?:^|[^a-z])name\*?["'\\]*\s*=/i
/** No escapes, in whatever way. */
const NAME = /^[\w.:/[\]-]+$/
const PLAIN = /^text\/plain[ \t]*(?:;[ \t]*charset="?(?:utf-8|us-ascii|iso-8859-1)"?)?$/i

/** Reads the headers of a part, or returns what is wrong with them: anything that two readers may take differently. */
export function readPartHead(head: Buffer): PartHead | string {
  const headers = headersIn(head.toString('latin1'))
  if (typeof headers === 'string') return headers
  const disposition = headers.get('content-disposition')
  if (disposition === undefined) return 'has a part without Content-Disposition'
  const [, written, file = ''] = DISPOSITION.exec(disposition) ?? []
  const name = written?.replace(/^"|"$/g, '')
  if (name === undefined || NAME_WITHIN.test(file) || hasTwice(file))
    return 'has a part whose Content-Disposition is not `form-data` with one `name`, and a `filename` after it'
  if (!NAME.test(name)) return 'has a part with a name of other characters than letters, digits and `_.:/[]-`'
  if (/multipart\//i.test(headers.get('content-type') ?? '')) return 'has a part that is a multipart itself'
  const length = headers.get('content-length')
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return 'has a part with a malformed Content-Length'
  const problem = modelProblem(name, file, headers)
  return problem ?? { name, ...(length !== undefined && { length: Number(length) }) }
}

/** Header values by lower-case name. */
function headersIn(head: string): ReadonlyMap<string, string> | string {
  const headers = new Map<string, string>()
  for (const line of head.split('\r\n')) {
    const [, name = '', value = ''] = LINE.exec(line) ?? []
    if (name === '') return 'has a part with a malformed header'
    if (headers.has(name.toLowerCase())) return 'has a part with the same header twice'
    headers.set(name.toLowerCase(), value.trim())
    if (!/^content-disposition$/i.test(name) && NAME_ELSEWHERE.test(value))
      return 'has a part with a name in a wrong header'
  }
  return headers
}

const hasTwice = (file: string): boolean =>
  [/;[ \t]*filename=/gi, /;[ \t]*filename\*=/gi].some(each => (file.match(each)?.length ?? 0) > 1)

/** The fault of a part that some readers take for the model, or that all do. */
function modelProblem(name: string, file: string, headers: ReadonlyMap<string, string>): string | undefined {
  if (name !== 'model')
    return /^\[?model(?:[[\]].*)?$/i.test(name) ? 'has a part that some would read as `model`' : undefined
  if (file !== '') return 'has a file for `model`'
  for (const header of headers.keys())
    if (!MODEL_HEADERS.has(header)) return 'has another header in the part `model` than Content-Type and Content-Length'
  return PLAIN.test(headers.get('content-type') ?? 'text/plain') ? undefined : 'has a `model` that is not text/plain'
}

/** Another may say that the value is encoded. */
const MODEL_HEADERS = new Set(['content-disposition', 'content-type', 'content-length'])
