import type { Headers } from '../openai/signals.ts'
import type { ErrorForm } from './forms.ts'
import { isGenericClient, TELLING_HEADERS } from './generic-clients.ts'

/** `errors.form` of the configuration: `auto` decides by the software that asks. */
export type FormSetting = 'auto' | 'spec' | 'openai'

/** The form of the errors of one request, and the headers that it depends on, as `vary` names them. */
export interface ChosenForm {
  readonly form: ErrorForm
  readonly vary?: string
}

/** Paths of the newer dialects, whose errors are their own whatever the configuration says. */
export function chooseForm(setting: FormSetting, written: string, headers: Headers): ChosenForm {
  // A base URL with a slash too many is answered with what is wrong, as its client reads that.
  const path = written.replace(/\/{2,}/g, '/')
  if (isBelow('/v1/responses', path)) return RESPONSES
  if (isBelow('/v1/messages', path)) return MESSAGES
  const isCatalog = isBelow('/v1/models', path)
  if (isCatalog && headers['anthropic-version'] !== undefined) return CATALOG_OF_ANTHROPIC
  const vary = [...(setting === 'auto' ? TELLING_HEADERS : []), ...(isCatalog ? ['anthropic-version'] : [])]
  const form = setting === 'auto' ? (isGenericClient(headers) ? 'spec' : 'openai') : setting
  return vary.length > 0 ? { form, vary: vary.join(', ') } : { form }
}

const RESPONSES: ChosenForm = { form: 'responses' }
const MESSAGES: ChosenForm = { form: 'messages' }
const CATALOG_OF_ANTHROPIC: ChosenForm = { form: 'messages', vary: 'anthropic-version' }

const isBelow = (root: string, path: string): boolean =>
  path.startsWith(root) && (path.length === root.length || path[root.length] === '/')
