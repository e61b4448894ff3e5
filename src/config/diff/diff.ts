import type { Config } from '../../policy/config.ts'
import { compareModels } from './models.ts'
import type { Sides } from './named.ts'
import { compareAliases, compareDefaultModel, compareDefaultPlan, compareGuestPlan } from './names.ts'
import { comparePassthrough } from './passthrough.ts'
import { comparePlans } from './plans.ts'
import { comparePools } from './pools.ts'
import { compareRoutes } from './routes.ts'
import { type Change, inOrder } from './rule.ts'
import { compareSettings } from './settings.ts'
import { compareTools } from './tools.ts'

type Compare = (sides: Sides) => readonly Change[]

const nothing: Compare = () => []

/** A comparison for every part of a configuration, so that none is forgotten: the compiler says so. */
const PARTS: Readonly<Record<keyof Config, Compare>> = {
  plans: comparePlans,
  models: compareModels,
  tools: compareTools,
  aliases: compareAliases,
  defaultModel: compareDefaultModel,
  defaultPlan: compareDefaultPlan,
  guestPlan: compareGuestPlan,
  routes: compareRoutes,
  pools: comparePools,
  passthrough: comparePassthrough,
  // Made of the texts, of the routes, and of the models.
  revision: nothing,
  matchers: nothing,
  declared: nothing,
}

/**
 * What changes in meaning from one configuration to another: what clients feel most first. Nothing for texts, places
 * or orders that mean the same. No secret is told.
 */
export function diff(sides: Sides): readonly Change[] {
  const all = [...Object.values(PARTS).flatMap(compare => compare(sides)), ...compareSettings(sides)]
  const isKnown = ({ from, to, text }: Change) => ![from ?? '', to ?? '', text].some(sides.isUnknown)
  return inOrder(all.filter(isKnown))
}
