import { isObject } from '../../../wire/json-safety.ts'
import { budgetOf, FREE, type Plan, Plans } from '../plans.ts'
import { type Left, Section } from '../section.ts'

/** What a proxy lets keys do, and an export of its keys, as plans. `modelOf` names a model here. */
export function plansOf(settings: Section, keys: unknown, modelOf: (name: string) => string | undefined) {
  const left: Left[] = []
  const generated = settings.section('default_key_generate_params')
  const everybody = budgetOf(settings.number('max_budget'), settings.text('budget_duration'))
  if (everybody && 'why' in everybody) left.push({ path: `${settings.path}.max_budget`, why: everybody.why ?? '' })
  const together = everybody && shared(everybody)
  const planFrom = (section: Section): Plan => {
    const plan = planOf(section, modelOf, left)
    left.push(...section.left(REASONS))
    return together ? { ...plan, limits: [...(plan.limits ?? []), together] } : plan
  }
  const planned = new Plans(planFrom(generated), 'LiteLLM')
  for (const [at, key] of listOf(keys).entries()) {
    const section = new Section(key, `keys[${at}]`)
    const { alias, account, isBlocked } = ownerOf(section, at)
    const plan = planFrom(section)
    if (isBlocked) left.push({ path: section.path, why: 'it is blocked: mint none' })
    else planned.mint(plan, account, alias)
  }
  return { plans: planned.plans, notes: planned.notes, left }
}

function ownerOf(section: Section, at: number) {
  const [name, team, user] = [section.text('key_name'), section.text('team_id'), section.text('user_id')]
  const alias = section.text('key_alias') ?? name
  return { alias, account: user ?? team ?? alias ?? `key-${at + 1}`, isBlocked: section.take('blocked') === true }
}

/** A budget of the whole proxy, as a limit. */
const shared = (budget: NonNullable<ReturnType<typeof budgetOf>>): object | undefined =>
  'limit' in budget
    ? { ...budget.limit, of: 'everybody' }
    : 'monthly' in budget
      ? { usd: budget.monthly, per: 'month', of: 'everybody' }
      : undefined

const listOf = (keys: unknown): readonly unknown[] =>
  Array.isArray(keys) ? keys : isObject(keys) && Array.isArray(keys.keys) ? keys.keys : []

function planOf(section: Section, modelOf: (name: string) => string | undefined, left: Left[]): Plan {
  const budget = budgetOf(section.number('max_budget'), section.text('budget_duration'))
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
