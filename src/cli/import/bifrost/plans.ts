import { budgetOf, type Plan, Plans, type Terms, windowOf } from '../plans.ts'
import type { Left, Section } from '../section.ts'
import { GOVERNANCE, PROVIDER_CONFIG, VIRTUAL_KEY } from './reasons.ts'

/** What virtual keys may do, as plans. `named` has the name here of each `provider/model`. */
export function plansOf(governance: Section, named: ReadonlyMap<string, string>) {
  const planned = new Plans({ models: 'all' }, 'Bifrost')
  const left: Left[] = []
  const budgets = governance.list('budgets').map(section => ({ section, id: section.text('id') }))
  const rates = governance.list('rate_limits').map(section => ({ section, id: section.text('id') }))
  const used = new Set<Section>()
  for (const key of governance.list('virtual_keys')) {
    const [id, name] = [key.text('id'), key.text('name')]
    const [budget, rate] = [key.text('budget_id'), key.text('rate_limit_id')]
    const own = [
      ...budgets.filter(each => isOf(each.id, budget) || isOf(each.section.text('virtual_key_id'), id)),
      ...rates.filter(each => isOf(each.id, rate)),
    ].map(({ section }) => section)
    for (const each of own) used.add(each)
    const account = key.text('customer_id') ?? key.text('team_id') ?? name ?? id ?? 'key'
    const isActive = key.take('is_active') !== false
    const inline = [...key.list('budgets'), key.section('rate_limit')]
    const models = modelsOf(key, named, left)
    const terms = termsOf([...own, ...inline], left)
    left.push(...key.left(VIRTUAL_KEY))
    if (!isActive) left.push({ path: key.path, why: 'it is not active: mint none' })
    else if (models.length === 0) left.push({ path: key.path, why: 'it has no model here: mint none' })
    else planned.mint({ models, ...terms }, account, { name })
  }
  for (const { section } of [...budgets, ...rates])
    if (!used.has(section)) left.push({ path: section.path, why: GOVERNANCE.teams ?? '' })
  return { plans: planned.plans, notes: planned.notes, left }
}

const isOf = (own: string | undefined, id: string | undefined): boolean => own !== undefined && own === id

/** What a key may spend and ask for: a plan has a month and a minute, and other windows are limits beside them. */
function termsOf(sections: readonly Section[], left: Left[]): Omit<Terms, 'models'> {
  const all = sections.flatMap(section => [...spendOf(section, left), ...countsOf(section, left)])
  const limits = all.flatMap(term => ('limit' in term ? [term.limit] : []))
  const own = all.filter(term => !('limit' in term))
  return Object.assign({}, ...own, limits.length > 0 && { limits })
}

/** Fields of a plan, or a limit beside them. */
type Term = Partial<Plan> | { readonly limit: object }

function spendOf(section: Section, left: Left[]): readonly Term[] {
  const budget = budgetOf(section.number('max_limit'), section.text('reset_duration'))
  if (!budget) return []
  if ('monthly' in budget) return [{ monthly_usd: budget.monthly }]
  if ('limit' in budget) return [{ limit: budget.limit }]
  left.push({ path: `${section.path}.max_limit`, why: budget.why })
  return []
}

function countsOf(section: Section, left: Left[]): readonly Term[] {
  return COUNTS.flatMap(([kind, measure, field]): readonly Term[] => {
    const most = section.number(`${kind}_max_limit`)
    if (!most) return []
    const duration = section.text(`${kind}_reset_duration`) ?? '1h'
    const per = windowOf(duration)
    if (per === 'minute') return [{ [field]: most }]
    if (per !== undefined) return [{ limit: { [measure]: most, per } }]
    left.push({ path: `${section.path}.${kind}_max_limit`, why: `no limit has a window of ${duration}` })
    return []
  })
}

const COUNTS = [
  ['request', 'requests', 'rpm'],
  ['token', 'tokens', 'tpm'],
] as const

/** The models of the providers that a key may use. */
function modelsOf(key: Section, named: ReadonlyMap<string, string>, left: Left[]): Plan['models'] {
  const configs = key.list('provider_configs')
  const models = configs.flatMap(config => {
    const provider = config.text('provider') ?? ''
    const said = config.take('allowed_models')
    config.take('id')
    config.take('weight')
    const keys = config.take('key_ids') ?? config.take('allowed_keys')
    if (Array.isArray(keys) && !keys.includes('*')) config.refuse('key_ids', PROVIDER_CONFIG.key_ids ?? '')
    const own = [...named].filter(([group]) => group.startsWith(`${provider}/`))
    if (own.length === 0) config.refuse('provider', `\`${provider}\` has no model here`)
    left.push(...config.left(PROVIDER_CONFIG))
    const allowed =
      Array.isArray(said) && !said.includes('*') ? new Set(said.map(name => `${provider}/${name}`)) : undefined
    return own.filter(([group]) => allowed?.has(group) ?? true).map(([, model]) => model)
  })
  const all = new Set(models)
  return configs.length === 0 || all.size === named.size ? 'all' : [...all]
}
