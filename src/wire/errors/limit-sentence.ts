import { isHeld, ruleOf } from '../../policy/counters/refusal.ts'
import type {
  GuestDenial,
  KeysDenial,
  RateDenial,
  ReadsDenial,
  RuleDenial,
  SignInsDenial,
} from '../../policy/denial.ts'
import { kindOf, type LimitRule, labelOf, type Measure, type ScopeKind, scopeOf } from '../../policy/limits/rule.ts'
import { amountText, UNITS, windowText } from '../../policy/limits/text.ts'

/** A 429 of a limit: of a rule, or of a bound that the gateway itself has for everybody. */
export type LimitDenial = RateDenial | RuleDenial | GuestDenial | KeysDenial | SignInsDenial | ReadsDenial

/** The limit that a 429 met, in a sentence for the client. */
export function limitSentence(denial: LimitDenial): string {
  if ('shared' in denial) return GUESTS[denial.type]
  if ('of' in denial) return boundSentence(denial)
  const rule = ruleOf(denial)
  const sentence = ruleSentence(rule)
  return rule.per !== undefined && isHeld(denial) ? `${sentence} Running requests have reserved the rest.` : sentence
}

/** Without figures where strangers share a rule, since they would reveal what others use. */
function ruleSentence(rule: LimitRule): string {
  const { measure, most, per, of, model } = rule
  const kind = kindOf(of)
  const owner = OWNERS[kind].replace('#', labelOf(of) ?? '')
  const where = `${windowText(per)}${model === undefined ? '' : ` of ${modelText(model)}`}`
  if (!scopeOf(rule).isShown) return `${owner} reached a limit of ${UNITS[measure]} ${where}.`
  return `${owner} may ${VERBS[measure]} ${amountText(rule, most)} ${where}.`
}

const OWNERS: Readonly<Record<ScopeKind, string>> = {
  account: 'The account',
  key: 'This key',
  user: 'Each user',
  session: 'Each session',
  label: 'Each #',
  plan: 'All accounts on the plan together have',
  org: 'The organization',
  everybody: 'All clients together have',
}

const VERBS: Readonly<Record<Measure, string>> = {
  requests: 'send',
  tokens: 'use',
  input_tokens: 'use',
  output_tokens: 'use',
  images: 'make',
  seconds: 'use',
  usd: 'spend',
  concurrent: 'run',
}

const modelText = (model: string): string =>
  model.startsWith('tier:') ? `models of the tier ${model.slice('tier:'.length)}` : model

function boundSentence(denial: KeysDenial | SignInsDenial | ReadsDenial): string {
  switch (denial.of) {
    case 'keys':
      return `An account may change its keys ${denial.limit} times per hour.`
    case 'codes':
      return `A person may try ${denial.limit} codes of devices within ten minutes.`
    case 'notices':
      return `An account may change its notices ${denial.limit} times per hour.`
    case 'mails':
      return `At most ${denial.limit} confirmation mails are sent per day for each account, and to each address.`
    case 'sign-ins':
      return `${denial.limit} operator sign-ins from this address failed within a minute.`
    case 'reads':
      return READERS[denial.reader].replace('#', String(denial.limit))
  }
}

const READERS: Readonly<Record<ReadsDenial['reader'], string>> = {
  key: 'A key may send # requests per second that need no model.',
  guests: 'Guests at one address may send # requests per second that need no model.',
  address: 'Without a valid key, an address may send # requests per second.',
  files: 'An address may load # console files per second.',
  preflights: 'An address may send # preflights per second.',
}

/** Without figures, since they would reveal what other guests use. */
const GUESTS: Readonly<Record<GuestDenial['type'], string>> = {
  daily_limit: 'All guests together have reached their limit for the UTC day.',
  guest_keys: 'Too many new devices came from this network within an hour.',
}
