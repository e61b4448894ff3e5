import { isObject } from '../../../wire/json-safety.ts'
import { budgetOf, Plans, type Terms } from '../plans.ts'
import { type Left, Section } from '../section.ts'
import { KEY } from './reasons.ts'

/** The sections that have limits. */
interface Sections {
  readonly settings: Section
  readonly general: Section
}

/** The models here that a name of a key stands for. */
type ModelsOf = (name: string) => readonly string[]

/** What a proxy lets keys do, and an export of its keys, as plans. */
export function plansOf({ settings, general }: Sections, keys: unknown, modelsNamed: ModelsOf) {
  const left: Left[] = []
  const generated = settings.section('default_key_generate_params')
  const together = limitsOfAll(settings, general, left)
  const termsFrom = (section: Section): Terms | undefined => {
    const models = modelsOf(section, modelsNamed, left)
    const terms = termsOf(section, left)
    const limits = [...(terms.limits ?? []), ...together]
    return models === undefined ? undefined : { models, ...terms, ...(limits.length > 0 && { limits }) }
  }
  const planned = new Plans(termsFrom(generated) ?? { models: 'all' }, 'LiteLLM')
  left.push(...generated.left(KEY))
  for (const [at, key] of listOf(keys).entries()) {
    const section = new Section(key, `keys[${at}]`)
    const { alias, account, life, why } = ownerOf(section, at)
    const terms = termsFrom(section)
    left.push(...section.left(KEY))
    const not = why ?? (terms ? undefined : 'it has no model here: mint none')
    if (not !== undefined) left.push({ path: section.path, why: not })
    else if (terms) planned.mint(terms, account, { name: alias, ...(life !== undefined && { life }) })
  }
  return { plans: planned.plans, notes: planned.notes, left }
}

/** Whose a key is, how long it lives from now on, and why it is not to be minted. */
function ownerOf(section: Section, at: number) {
  const [name, team, user] = [section.text('key_name'), section.text('team_id'), section.text('user_id')]
  if (team !== undefined && user !== undefined)
    section.refuse('team_id', `the account is that of the user: \`${team}\` may be its organization`)
  const alias = section.text('key_alias') ?? name
  const rest = leftOf(section)
  const isBlocked = section.take('blocked') === true
  const why = isBlocked ? 'it is blocked: mint none' : rest === 0 ? 'it has ended: mint none' : undefined
  return {
    ...{ alias, account: user ?? team ?? alias ?? `key-${at + 1}`, why },
    ...(rest !== undefined && { life: rest < 2 * DAY ? `${Math.ceil(rest / HOUR)}h` : `${Math.floor(rest / DAY)}d` }),
  }
}

/** The milliseconds until a key ends; 0 where it has ended. A time without a zone is UTC. */
function leftOf(section: Section): number | undefined {
  const text = section.text('expires')
  if (text === undefined) return undefined
  const end = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text.replace(' ', 'T')}Z`)
  return Number.isNaN(end) ? section.refuse('expires', 'it is no time') : Math.max(0, end - Date.now())
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** What all requests of the proxy may have together. */
function limitsOfAll(settings: Section, general: Section, left: Left[]): readonly object[] {
  const budget = budgetOf(settings.number('max_budget'), settings.text('budget_duration'))
  if (budget && 'why' in budget) left.push({ path: `${settings.path}.max_budget`, why: budget.why ?? '' })
  const concurrent = general.number('global_max_parallel_requests')
  return [
    ...(budget && 'limit' in budget ? [{ ...budget.limit, of: 'everybody' }] : []),
    ...(budget && 'monthly' in budget ? [{ usd: budget.monthly, per: 'month', of: 'everybody' }] : []),
    ...(concurrent ? [{ concurrent, of: 'everybody' }] : []),
  ]
}

const listOf = (keys: unknown): readonly unknown[] =>
  Array.isArray(keys) ? keys : isObject(keys) && Array.isArray(keys.keys) ? keys.keys : []

function termsOf(section: Section, left: Left[]): Omit<Terms, 'models'> {
  const budget = budgetOf(section.number('max_budget'), section.text('budget_duration'))
  if (budget && 'why' in budget) left.push({ path: `${section.path}.max_budget`, why: budget.why ?? '' })
  const [rpm, tpm] = [section.number('rpm_limit'), section.number('tpm_limit')]
  const concurrent = section.number('max_parallel_requests')
  return {
    ...(rpm && { rpm }),
    ...(tpm && { tpm }),
    ...(budget && 'monthly' in budget && { monthly_usd: budget.monthly }),
    ...(concurrent && { max_concurrent: concurrent }),
    ...(budget && 'limit' in budget && { limits: [budget.limit] }),
  }
}

/** The models of a key; undefined where it has some, and none of them is here. */
function modelsOf(section: Section, modelsNamed: ModelsOf, left: Left[]): Terms['models'] | undefined {
  const said = section.take('models')
  if (!Array.isArray(said) || said.length === 0 || said.some(name => ALL.has(String(name)))) return 'all'
  if (said.includes(OF_TEAM)) {
    left.push({ path: `${section.path}.models`, why: 'the models of the team are not in this file: write them' })
    return 'all'
  }
  const known = said.flatMap(name => {
    const models = modelsNamed(String(name))
    if (models.length === 0) left.push({ path: `${section.path}.models`, why: `\`${name}\` is no model here` })
    return models
  })
  return known.length > 0 ? [...new Set(known)] : undefined
}

const ALL: ReadonlySet<string> = new Set(['all-proxy-models', '*'])
const OF_TEAM = 'all-team-models'
