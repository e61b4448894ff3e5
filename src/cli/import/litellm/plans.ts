import { isObject } from '../../../wire/json-safety.ts'
import { Names } from './names.ts'
import { type Left, Section } from './section.ts'

/** Plans by their names, what stands above each, and what has no place in them. */
export interface Plans {
  readonly plans: Readonly<Record<string, object>>
  readonly notes: ReadonlyMap<string, readonly string[]>
  readonly left: readonly Left[]
}

/** What a proxy lets keys do, and an export of its keys, as plans: one for each set of limits. `modelOf` names a model here. */
export function plansOf(settings: Section, keys: unknown, modelOf: (name: string) => string | undefined): Plans {
  const left: Left[] = []
  const generated = settings.section('default_key_generate_params')
  const everybody = limitOf(settings.number('max_budget'), settings.text('budget_duration'))
  if (everybody && 'why' in everybody) left.push({ path: `${settings.path}.max_budget`, why: everybody.why ?? '' })
  const together = everybody && shared(everybody)
  const planFrom = (section: Section): Plan => {
    const plan = planOf(section, modelOf, left)
    left.push(...section.left(REASONS))
    return together ? { ...plan, limits: [...(plan.limits ?? []), together] } : plan
  }
  const own = planFrom(generated)
  const plans: Record<string, Plan> = { default: own }
  const notes = new Map<string, readonly string[]>()
  if (isFree(own)) notes.set('default', ['LiteLLM had no limit for keys: write what yours may have.'])
  const names = new Names()
  names.next('default')
  for (const [at, key] of listOf(keys).entries()) {
    const section = new Section(key, `keys[${at}]`)
    const { alias, account, isBlocked } = ownerOf(section, at)
    const plan = planFrom(section)
    if (isBlocked) left.push({ path: section.path, why: 'it is blocked: mint none' })
    if (isBlocked) continue
    const same = Object.keys(plans).find(name => JSON.stringify(plans[name]) === JSON.stringify(plan))
    const name = same ?? names.next(alias ?? 'keys')
    plans[name] = plan
    const mint = `svcctl keys mint --plan ${name} --account ${word(account)}${alias === undefined ? '' : ` --name ${word(alias)}`}`
    notes.set(name, [...(notes.get(name) ?? []), mint])
  }
  return { plans, notes, left }
}

function ownerOf(section: Section, at: number) {
  const [name, team, user] = [section.text('key_name'), section.text('team_id'), section.text('user_id')]
  const alias = section.text('key_alias') ?? name
  return { alias, account: user ?? team ?? alias ?? `key-${at + 1}`, isBlocked: section.take('blocked') === true }
}

/** A budget of the whole proxy, as a limit. */
const shared = (budget: NonNullable<ReturnType<typeof limitOf>>): object | undefined =>
  'limit' in budget
    ? { ...budget.limit, of: 'everybody' }
    : 'monthly' in budget
      ? { usd: budget.monthly, per: 'month', of: 'everybody' }
      : undefined

/** Words of a command that is to be pasted. */
const word = (text: string): string => (/^[\w@.:/-]+$/.test(text) ? text : `'${text.replace(/[^\w@.:/ -]/g, '-')}'`)

const listOf = (keys: unknown): readonly unknown[] =>
  Array.isArray(keys) ? keys : isObject(keys) && Array.isArray(keys.keys) ? keys.keys : []

interface Plan {
  readonly models: 'all' | readonly string[]
  readonly rpm: number | string
  readonly tpm: number | string
  readonly monthly_usd: number
  readonly max_concurrent?: number
  readonly limits?: readonly object[]
}

/** More than a proxy serves, where it has no limit and a plan needs one. */
const FREE = { rpm: '10k', tpm: '100M', monthly_usd: 10_000 }

const isFree = ({ rpm, tpm, monthly_usd, limits }: Plan): boolean =>
  rpm === FREE.rpm && tpm === FREE.tpm && monthly_usd === FREE.monthly_usd && !limits

function planOf(section: Section, modelOf: (name: string) => string | undefined, left: Left[]): Plan {
  const budget = limitOf(section.number('max_budget'), section.text('budget_duration'))
  if (budget && 'why' in budget) left.push({ path: `${section.path}.max_budget`, why: budget.why ?? '' })
  const concurrent = section.number('max_parallel_requests')
  return {
    models: modelsOf(section, modelOf, left),
    rpm: section.number('rpm_limit') || FREE.rpm,
    tpm: section.number('tpm_limit') || FREE.tpm,
    monthly_usd: budget && 'monthly' in budget ? budget.monthly : FREE.monthly_usd,
    ...(concurrent !== undefined && concurrent > 0 && { max_concurrent: concurrent }),
    ...(budget && 'limit' in budget && { limits: [budget.limit] }),
  }
}

function modelsOf(section: Section, modelOf: (name: string) => string | undefined, left: Left[]): Plan['models'] {
  const said = section.take('models')
  if (!Array.isArray(said) || said.length === 0) return 'all'
  if (said.some(name => name === 'all-proxy-models' || name === '*')) return 'all'
  const known = said.flatMap(name => {
    const model = modelOf(String(name))
    if (model === undefined) left.push({ path: `${section.path}.models`, why: `\`${name}\` is no model here` })
    return model ?? []
  })
  return known.length > 0 ? [...new Set(known)] : 'all'
}

/** A budget and its window. A plan has months; other windows are limits beside it. */
function limitOf(
  usd: number | undefined,
  duration: string | undefined,
): { monthly: number; readonly why?: string } | { limit: object } | { why: string } | undefined {
  if (usd === undefined) return undefined
  if (usd < 0.000001) return { why: 'a budget of nothing: freeze the account in place of it' }
  if (duration === undefined) return { monthly: usd, why: 'it had no end; here it begins anew each month' }
  if (duration === '1mo') return { monthly: usd }
  const [, count = '', unit = ''] = /^(\d+)(s|m|h|d)$/.exec(duration) ?? []
  const seconds = Number(count) * ({ s: 1, m: 60, h: 3600, d: 86_400 }[unit] ?? 0)
  if (seconds === 60) return { limit: { usd, per: 'minute' } }
  if (seconds === 3600) return { limit: { usd, per: 'hour' } }
  if (seconds > 0 && seconds % 86_400 === 0 && seconds <= 90 * 86_400)
    return { limit: { usd, per: `${seconds / 86_400}d` } }
  return { why: `no limit has a window of ${duration}` }
}

/** Why fields of keys have no place here. */
const REASONS: Readonly<Record<string, string>> = {
  token: 'keys are hashes of texts that this gateway would not take: mint others',
  key: 'keys are hashes of texts that this gateway would not take: mint others',
  expires: 'say it when you mint: --expires',
  duration: 'say it when you mint: --expires',
  spend: 'what was spent is counted from the first request here',
  metadata: 'a key has a name',
  tags: 'a key has a name',
}
