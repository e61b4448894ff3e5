import { CLIENT_DIALECT_NAMES, CLIENT_DIALECTS, dialectPath } from './client-dialects.ts'
import { type ErrorForm, openaiForm, specForm } from './errors/forms.ts'
import { isGenericClient, TELLING_HEADERS } from './errors/generic-clients.ts'
import type { Headers } from './openai/signals.ts'

/** `errors.form` of the configuration: `auto` decides by the software that asks. */
export type FormSetting = 'auto' | 'spec' | 'openai'

/** The form of the errors of one request, and the headers that it depends on, as `vary` names them. */
export interface ChosenForm {
  readonly form: ErrorForm
  readonly vary?: string
}

/** Paths of a client dialect have its form, whatever the configuration says. */
export function chooseForm(setting: FormSetting, written: string, headers: Headers): ChosenForm {
  // A base URL with a slash too many is answered with what is wrong, as its client reads that.
  const path = written.replace(/\/{2,}/g, '/')
  for (const name of CLIENT_DIALECT_NAMES)
    if (isBelow(dialectPath(name), path)) return { form: CLIENT_DIALECTS[name].errors }
  const isCatalog = isBelow('/v1/models', path)
  const reader = isCatalog && CATALOG_READERS.find(({ header }) => headers[header] !== undefined)
  if (reader) return { form: reader.errors, vary: CATALOG_HEADERS.join(', ') }
  const vary = [...(setting === 'auto' ? TELLING_HEADERS : []), ...(isCatalog ? CATALOG_HEADERS : [])]
  const form = CHAT_FORMS[setting === 'auto' ? (isGenericClient(headers) ? 'spec' : 'openai') : setting]
  return vary.length > 0 ? { form, vary: vary.join(', ') } : { form }
}

/** The forms of the paths that no client dialect has. */
export const CHAT_FORMS: Readonly<Record<'spec' | 'openai', ErrorForm>> = { spec: specForm, openai: openaiForm }

/** The dialects whose clients read the catalogue too, with the header that tells them. */
const CATALOG_READERS = Object.values(CLIENT_DIALECTS).flatMap(({ catalogHeader: header, errors }) =>
  header === undefined ? [] : [{ header, errors }],
)
const CATALOG_HEADERS = CATALOG_READERS.map(({ header }) => header)

const isBelow = (root: string, path: string): boolean =>
  path.startsWith(root) && (path.length === root.length || path[root.length] === '/')
