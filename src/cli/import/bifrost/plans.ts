import { termsFrom } from '../limits.ts'
import { Plans } from '../plans.ts'
import type { Left, Section } from '../section.ts'
import { type Limits, limitsOf } from './limits.ts'
import { GOVERNANCE, PROVIDER_CONFIG, VIRTUAL_KEY } from './reasons.ts'

/** What virtual keys may do, as plans. `named` has the name here of each `provider/model`. */
export function plansOf(governance: Section, named: ReadonlyMap<string, string>) {
  const planned = new Plans({ models: 'all' }, 'Bifrost')
  const left: Left[] = []
  const budgets = governance.list('budgets').map(shared)
  const rates = governance.list('rate_limits').map(shared)
  const used = new Set<Shared>()
  for (const key of governance.list('virtual_keys')) {
    const [id, name] = [key.text('id'), key.text('name')]
    const account = key.text('customer_id') ?? key.text('team_id') ?? name ?? id ?? 'key'
    const { own, inline, isWhole } = limitsFor(key, id, budgets, rates)
    for (const each of own) used.add(each)
    const { models, isLost } = modelsOf(key, named, left)
    const isActive = key.take('is_active') !== false
    left.push(...key.left(VIRTUAL_KEY), ...inline.flatMap(each => each.left))
    const terms = termsFrom([...own.map(each => each.limits), ...inline].flatMap(each => each.terms))
    const why = whyNot({ isActive, hasModel: models.length > 0, isWhole: isWhole && !isLost })
    if (why !== undefined) left.push({ path: key.path, why })
    else planned.mint({ models, ...terms }, account, { path: key.path, name })
  }
  for (const each of [...budgets, ...rates])
    left.push(...(used.has(each) ? each.limits.left : [{ path: each.path, why: GOVERNANCE.teams ?? '' }]))
  return { planned, left }
}

/** A budget or a rate that keys name, or that names a key. */
interface Shared {
  readonly path: string
  readonly id: string | undefined
  readonly key: string | undefined
  readonly limits: Limits
}

/** The limits of a key: those that it names or that name it, and its own. */
function limitsFor(key: Section, id: string | undefined, budgets: readonly Shared[], rates: readonly Shared[]) {
  const [budget, rate] = [key.text('budget_id'), key.text('rate_limit_id')]
  const own = [
    ...budgets.filter(each => isOf(each.id, budget) || isOf(each.key, id)),
    ...rates.filter(each => isOf(each.id, rate)),
  ]
  const inline = [...key.list('budgets'), key.section('rate_limit')].map(limitsOf)
  const gone = [...lacking('budget_id', budget, budgets), ...lacking('rate_limit_id', rate, rates)]
  for (const name of gone) key.refuse(name, 'the file has none of this id')
  const isLost = [...own.map(({ limits }) => limits), ...inline].some(each => each.isLost)
  return { own, inline, isWhole: gone.length === 0 && !isLost }
}

function whyNot(key: { readonly isActive: boolean; readonly hasModel: boolean; readonly isWhole: boolean }) {
  if (!key.isActive) return 'it is not active: mint none'
  if (!key.hasModel) return 'it has no model here: mint none'
  return key.isWhole ? undefined : 'it would not have all of its limits here: mint none'
}

const shared = (section: Section): Shared => ({
  ...{ path: section.path, id: section.text('id'), key: section.text('virtual_key_id') },
  limits: limitsOf(section),
})

/** The field of a key whose id is that of nothing in the file. */
const lacking = (field: string, id: string | undefined, all: readonly Shared[]): readonly string[] =>
  id === undefined || all.some(each => each.id === id) ? [] : [field]

const isOf = (own: string | undefined, id: string | undefined): boolean => own !== undefined && own === id

/** The models of the providers that a key may use, and whether a limit of these is not written. */
function modelsOf(key: Section, named: ReadonlyMap<string, string>, left: Left[]) {
  const configs = key.list('provider_configs')
  let isLost = false
  const models = configs.flatMap(config => {
    const provider = config.text('provider') ?? ''
    const said = config.take('allowed_models')
    config.take('id')
    config.take('weight')
    const keys = config.take('key_ids') ?? config.take('allowed_keys')
    if (Array.isArray(keys) && !keys.includes('*')) config.refuse('key_ids', PROVIDER_CONFIG.key_ids ?? '')
    const own = [...named].filter(([group]) => group.startsWith(`${provider}/`))
    if (own.length === 0) config.refuse('provider', `\`${provider}\` has no model here`)
    const unwritten = config.left(PROVIDER_CONFIG)
    if (unwritten.some(({ path }) => /\.(budget|rate_limit)\w*$/.test(path))) isLost = true
    left.push(...unwritten)
    const allowed =
      Array.isArray(said) && !said.includes('*') ? new Set(said.map(name => `${provider}/${name}`)) : undefined
    return own.filter(([group]) => allowed?.has(group) ?? true).map(([, model]) => model)
  })
  const all = new Set(models)
  const isAll = configs.length === 0 || all.size === named.size
  return { models: isAll ? ('all' as const) : [...all], isLost }
}
