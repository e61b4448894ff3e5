import { budgetOf, countOf, type Term, termsFrom } from '../limits.ts'
import type { Terms } from '../plans.ts'
import type { Left, Section } from '../section.ts'
import { KEY } from './reasons.ts'

/** The permissions that a section gives to keys. */
export interface Allowed {
  readonly terms: Omit<Terms, 'models'>
  /** Undefined where it names some, and none of them is here. */
  readonly models: Terms['models'] | undefined
  /** The limits among what is left: a key must not be minted without them. */
  readonly lost: readonly string[]
  readonly left: readonly Left[]
}

/** The models here that a name of a key stands for. */
export type ModelsOf = (name: string) => readonly string[]

/** The permissions of a key, or those of all keys by `default_key_generate_params`. `together` are limits of the whole proxy. */
export function allowedBy(section: Section, together: readonly object[], modelsNamed: ModelsOf): Allowed {
  const { models, left: unknown } = modelsOf(section, modelsNamed)
  const budget = budgetOf(section.number('max_budget'), section.text('budget_duration'))
  if (budget && !budget.term) section.refuse('max_budget', budget.why ?? '')
  const [rpm, tpm] = [countOf(section, 'rpm_limit'), countOf(section, 'tpm_limit')]
  const concurrent = countOf(section, 'max_parallel_requests')
  const { limits: own = [], ...terms } = termsFrom([
    ...(rpm === undefined ? [] : [{ field: 'rpm', most: rpm, limit: {} } satisfies Term]),
    ...(tpm === undefined ? [] : [{ field: 'tpm', most: tpm, limit: {} } satisfies Term]),
    ...(budget?.term ? [budget.term] : []),
  ])
  const limits = [...own, ...together]
  const left = section.left(KEY)
  const changed =
    budget?.term && budget.why !== undefined ? [{ path: section.pathOf('max_budget'), why: budget.why }] : []
  return {
    terms: { ...terms, ...(concurrent && { max_concurrent: concurrent }), ...(limits.length > 0 && { limits }) },
    models,
    lost: [
      ...LIMITS.filter(name => left.some(({ path }) => path === section.pathOf(name))),
      ...(models === undefined ? ['models'] : []),
    ],
    left: [...left, ...unknown, ...changed],
  }
}

/** Fields without which a key may do more than before. */
const LIMITS = [
  ...['models', 'max_budget', 'budget_duration', 'rpm_limit', 'tpm_limit', 'max_parallel_requests', 'expires'],
  ...['model_max_budget', 'model_rpm_limit', 'model_tpm_limit', 'budget_id', 'litellm_budget_table', 'budget_limits'],
  'allowed_ips',
]

function modelsOf(section: Section, modelsNamed: ModelsOf): Pick<Allowed, 'models' | 'left'> {
  const said = section.take('models')
  if (said !== undefined && !Array.isArray(said)) section.refuse('models', 'it is not a list')
  if (!Array.isArray(said) || said.length === 0 || said.some(name => ALL.has(String(name))))
    return { models: 'all', left: [] }
  if (said.includes(OF_TEAM)) {
    section.refuse('models', "the team's models are not in this file: add them")
    return { models: 'all', left: [] }
  }
  const known = said.map(name => ({ name, models: modelsNamed(String(name)) }))
  const unknown = known.filter(({ models }) => models.length === 0)
  const all = new Set(known.flatMap(({ models }) => models))
  return {
    models: all.size > 0 ? [...all] : undefined,
    left: unknown.map(({ name }) => ({ path: section.pathOf('models'), why: `\`${name}\` is not a model here` })),
  }
}

const ALL: ReadonlySet<string> = new Set(['all-proxy-models', '*'])
const OF_TEAM = 'all-team-models'
