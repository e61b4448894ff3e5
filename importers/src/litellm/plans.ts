import { budgetOf, countOf } from '../limits.ts'
import { Plans } from '../plans.ts'
import type { Left, Section } from '../section.ts'
import { allowedBy, type ModelsOf } from './allowed.ts'
import { keysIn } from './export.ts'

/** The sections that have limits. */
interface Sections {
  readonly settings: Section
  readonly general: Section
}

/** The permissions that a proxy gives to keys, and an export of its keys, as plans. */
export function plansOf({ settings, general }: Sections, keys: readonly unknown[], modelsNamed: ModelsOf) {
  const left: Left[] = []
  const together = limitsOfAll(settings, general, left)
  const usual = allowedBy(settings.section('default_key_generate_params'), together, modelsNamed)
  const planned = new Plans({ ...usual.terms, models: usual.models ?? 'all' }, 'LiteLLM', usual.lost)
  left.push(...usual.left)
  const exported = keysIn(keys)
  left.push(...exported.left)
  for (const [at, section] of exported.keys.entries()) {
    const { alias, account, life, why } = ownerOf(section, at)
    const { terms, models, lost, left: own } = allowedBy(section, together, modelsNamed)
    left.push(...own)
    const not = why ?? (models ? undefined : 'it has no model here: do not mint it')
    if (not !== undefined) left.push({ path: section.path, why: not })
    else if (lost.length > 0)
      left.push({ path: section.path, why: `it would lose its ${lost.join(', ')} here: do not mint it` })
    else if (models)
      planned.mint({ models, ...terms }, account, {
        path: section.path,
        name: alias,
        ...(life !== undefined && { life }),
      })
  }
  return { planned, left }
}

/** The owner of a key, the time it has left, and the reason not to mint it, if any. */
function ownerOf(section: Section, at: number) {
  const [name, team, user] = [section.text('key_name'), section.text('team_id'), section.text('user_id')]
  if (team !== undefined && user !== undefined)
    section.refuse('team_id', `the account is that of the user: \`${team}\` may be its organization`)
  const alias = section.text('key_alias') ?? name
  const rest = leftOf(section)
  const isBlocked = section.take('blocked') === true
  const why = isBlocked ? 'it is blocked: do not mint it' : rest === 0 ? 'it has expired: do not mint it' : undefined
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
  return Number.isNaN(end) ? section.refuse('expires', 'it is not a time') : Math.max(0, end - Date.now())
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The limits of all requests of the proxy together. */
function limitsOfAll(settings: Section, general: Section, left: Left[]): readonly object[] {
  const usd = settings.number('max_budget')
  // LiteLLM takes 0, which it has without the field, for no budget.
  const budget = budgetOf(usd === 0 ? undefined : usd, settings.text('budget_duration'))
  if (budget?.why !== undefined) left.push({ path: `${settings.path}.max_budget`, why: budget.why })
  const concurrent = countOf(general, 'global_max_parallel_requests')
  return [
    ...(budget?.term ? [{ ...budget.term.limit, of: 'everybody' }] : []),
    ...(concurrent ? [{ concurrent, of: 'everybody' }] : []),
  ]
}
