import { termsFrom } from '../limits.ts'
import { pushTo } from '../lists.ts'
import { Plans } from '../plans.ts'
import type { Left, Section } from '../section.ts'
import { type Limits, limitsOf } from './limits.ts'
import { GOVERNANCE, PROVIDER_CONFIG, VIRTUAL_KEY } from './reasons.ts'

/** The permissions of virtual keys, as plans. `named` has the name here of each `provider/model`. */
export function plansOf(governance: Section, named: ReadonlyMap<string, string>) {
  const planned = new Plans({ models: 'all' }, 'Bifrost')
  const left: Left[] = []
  const budgets = new SharedLimits(governance.list('budgets'))
  const rates = new SharedLimits(governance.list('rate_limits'))
  const byProvider = modelsByProvider(named)
  const used = new Set<Shared>()
  for (const key of governance.list('virtual_keys')) {
    const [id, name] = [key.text('id'), key.text('name')]
    const account = key.text('customer_id') ?? key.text('team_id') ?? name ?? id ?? 'key'
    const { own, inline, isWhole } = limitsFor(key, id, budgets, rates)
    for (const each of own) used.add(each)
    const { models, isLost } = modelsOf(key, { all: named.size, byProvider }, left)
    const isActive = key.take('is_active') !== false
    left.push(...key.left(VIRTUAL_KEY), ...inline.flatMap(each => each.left))
    const terms = termsFrom([...own.map(each => each.limits), ...inline].flatMap(each => each.terms))
    const why = whyNot({ isActive, hasModel: models.length > 0, isWhole: isWhole && !isLost })
    if (why !== undefined) left.push({ path: key.path, why })
    else planned.mint({ models, ...terms }, account, { path: key.path, name })
  }
  for (const each of [...budgets.all, ...rates.all])
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

/** Budgets or rates, found by their ids and by the keys that they name. */
class SharedLimits {
  readonly all: readonly Shared[]
  readonly #byId = new Map<string, Shared[]>()
  readonly #byKey = new Map<string, Shared[]>()

  constructor(sections: readonly Section[]) {
    this.all = sections.map(shared)
    for (const each of this.all) {
      if (each.id !== undefined) pushTo(this.#byId, each.id, each)
      if (each.key !== undefined) pushTo(this.#byKey, each.key, each)
    }
  }

  /** Those with this id, and those that name this key. */
  of(id: string | undefined, key?: string): readonly Shared[] {
    const named = id === undefined ? [] : (this.#byId.get(id) ?? [])
    const naming = key === undefined ? [] : (this.#byKey.get(key) ?? [])
    return [...new Set([...named, ...naming])]
  }
}

/** The limits of a key: those that it names or that name it, and its own. */
function limitsFor(key: Section, id: string | undefined, budgets: SharedLimits, rates: SharedLimits) {
  const [budget, rate] = [key.text('budget_id'), key.text('rate_limit_id')]
  const own = [...budgets.of(budget, id), ...rates.of(rate)]
  const inline = [...key.list('budgets'), key.section('rate_limit')].map(limitsOf)
  const gone = [...lacking('budget_id', budget, budgets), ...lacking('rate_limit_id', rate, rates)]
  for (const name of gone) key.refuse(name, 'the file has none with this id')
  const isLost = [...own.map(({ limits }) => limits), ...inline].some(each => each.isLost)
  return { own, inline, isWhole: gone.length === 0 && !isLost }
}

function whyNot(key: { readonly isActive: boolean; readonly hasModel: boolean; readonly isWhole: boolean }) {
  if (!key.isActive) return 'it is not active: do not mint it'
  if (!key.hasModel) return 'it has no model here: do not mint it'
  return key.isWhole ? undefined : 'it would lose some of its limits here: do not mint it'
}

const shared = (section: Section): Shared => ({
  ...{ path: section.path, id: section.text('id'), key: section.text('virtual_key_id') },
  limits: limitsOf(section),
})

/** The field of a key whose id is that of nothing in the file. */
const lacking = (field: string, id: string | undefined, all: SharedLimits): readonly string[] =>
  id === undefined || all.of(id).length > 0 ? [] : [field]

/** The models here by provider, each with the name that the source has for it. */
function modelsByProvider(named: ReadonlyMap<string, string>) {
  const models = new Map<string, (readonly [group: string, model: string])[]>()
  for (const entry of named) pushTo(models, entry[0].slice(0, entry[0].indexOf('/')), entry)
  return models
}

/** The models of the providers that a key may use, and whether a limit of these is not written. */
function modelsOf(
  key: Section,
  { all: count, byProvider }: { readonly all: number; readonly byProvider: ReturnType<typeof modelsByProvider> },
  left: Left[],
) {
  const configs = key.list('provider_configs')
  let isLost = false
  const models = configs.flatMap(config => {
    const provider = config.text('provider') ?? ''
    const said = config.take('allowed_models')
    config.take('id')
    config.take('weight')
    const keys = config.take('key_ids') ?? config.take('allowed_keys')
    if (Array.isArray(keys) && !keys.includes('*')) config.refuse('key_ids', PROVIDER_CONFIG.key_ids ?? '')
    const own = byProvider.get(provider) ?? []
    if (own.length === 0) config.refuse('provider', `\`${provider}\` has no model here`)
    const unwritten = config.left(PROVIDER_CONFIG)
    if (unwritten.some(({ path }) => /\.(budget|rate_limit)\w*$/.test(path))) isLost = true
    left.push(...unwritten)
    const allowed =
      Array.isArray(said) && !said.includes('*') ? new Set(said.map(name => `${provider}/${name}`)) : undefined
    return own.filter(([group]) => allowed?.has(group) ?? true).map(([, model]) => model)
  })
  const all = new Set(models)
  const isAll = configs.length === 0 || all.size === count
  return { models: isAll ? ('all' as const) : [...all], isLost }
}
