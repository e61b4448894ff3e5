import type { Config, Label, Plan } from './config.ts'
import { type InvalidAt, invalidAt } from './decision.ts'
import type { Caller, InferenceRequest } from './facts.ts'
import { type Labels, wrongValue } from './label-values.ts'

/** The labels of a request: a value of its key, which no header overrides, or else that of its header. */
export function labelsFor(
  config: Pick<Config, 'labels'>,
  plan: Pick<Plan, 'name'>,
  { caller, request }: { readonly caller: Pick<Caller, 'key'>; readonly request: InferenceRequest },
): { readonly values?: Labels } | InvalidAt {
  if (config.labels.size === 0) return NONE
  const values: Record<string, string> = {}
  for (const label of config.labels.values()) {
    const { name, ofKey } = label
    const own = ofKey ? caller.key?.labels?.[name] : undefined
    const value = own ?? request.labels?.[name]
    const problem = value === undefined ? missing(label, plan) : own === undefined && wrongValue(label, value)
    if (problem) return invalidAt('who', `labels.${name}`, problem, label.at)
    if (value !== undefined) values[name] = value
  }
  return Object.keys(values).length === 0 ? NONE : { values }
}

const NONE = {}

function missing({ header, requiredBy }: Label, { name }: Pick<Plan, 'name'>): string | undefined {
  if (!requiredBy.has(name)) return undefined
  const todo = header === undefined ? 'ask the operator for a key that has it' : `send the header ${header}`
  return `is required on plan ${name}: ${todo}`
}
