import { addedFor, beginAhead } from '../../gateway/admission/begin-ahead.ts'
import type { TermsChange } from '../../gateway/store/account-store.ts'
import type { Config } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { Terms } from '../../policy/facts.ts'
import { countedBy, type LimitRule, labelOf, scopeOf, scopesFor } from '../../policy/limits/rule.ts'
import { type COUNTED_LIMIT, type CountedLimit, countedIn, countedText } from '../../wire/admin/limit.ts'
import type { TypeOf } from '../../wire/schema/schema.ts'
import type { AdminContext } from './op.ts'

type CountedBody = TypeOf<typeof COUNTED_LIMIT>
type LimitChange = Extract<TermsChange['change'], { limit: unknown } | { withoutLimit: unknown }>

/** They are a part of the terms, which every admission compares. */
const MOST_LIMITS = 16

/** The limit that a body sets for an account, or an org, on these terms. */
export function settingOf(
  config: Config,
  written: CountedBody & { readonly most: number },
  { limits = [] }: Pick<Terms, 'limits'>,
  owner: Owner,
): LimitChange | Denied {
  const counted = countedOf(written, owner)
  if ('denial' in counted) return counted
  const problem = labelProblem(config, counted)
  if (problem !== undefined) return invalid('limit.of', problem)
  const { measure, ...others } = counted
  if (others.model !== undefined && !isKnown(config, others.model))
    return invalid('limit.model', `there is no model, or tier, \`${others.model}\``)
  const isNew = limits.every(limit => countedBy(limit) !== countedBy(counted))
  if (isNew && limits.length >= MOST_LIMITS) return invalid('limit', `there may be at most ${MOST_LIMITS} of them`)
  return { limit: { measure, most: written.most, ...others } }
}

/** Begins what a limit counts that is about to be set, where requests would not: see beginAhead. */
export const beginLimit = (
  { config, store, clock }: Pick<AdminContext, 'config' | 'store' | 'clock'>,
  who: Parameters<typeof addedFor>[0],
  limit: LimitRule,
): Promise<void> => beginAhead(config, store, addedFor(who, limit), clock.now())

/** The limit that a body takes back. */
export function takingBack(
  written: CountedBody,
  { limits = [] }: Pick<Terms, 'limits'>,
  owner: Owner,
): LimitChange | Denied {
  const counted = countedOf(written, owner)
  if ('denial' in counted) return counted
  if (limits.some(limit => countedBy(limit) === countedBy(counted))) return { withoutLimit: counted }
  return invalid('limit', `no operator has set a limit of \`${countedText(counted)}\``)
}

/** The owner of the limits that are set. A limit without `of` is shared by the same owner. */
type Owner = 'account' | 'org'

function countedOf(written: CountedBody, owner: Owner): CountedLimit | Denied {
  const of = written.of ?? owner
  if (!scopeOf({ of }).setFor.includes(owner))
    return invalid('limit.of', `must be ${scopesFor(owner).join(', ')} here; shared limits belong in the plan or org`)
  const counted = countedIn({ ...written, of })
  return typeof counted === 'string' ? invalid('limit', counted) : counted
}

/** A limit of a label needs the label, and values that clients cannot invent: as in the files. */
function labelProblem({ labels }: Config, { of }: CountedLimit): string | undefined {
  const name = labelOf(of)
  if (name === undefined) return undefined
  const label = labels.get(name)
  if (!label) return `there is no label \`${name}\``
  if (label.ofKey || label.values) return undefined
  return `only a header sets the label \`${name}\`, to any value: declare its \`values\` first`
}

const isKnown = ({ models }: Config, model: string): boolean =>
  models.has(model) || [...models.values()].some(({ tier }) => `tier:${tier}` === model)
