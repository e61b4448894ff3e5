import type { Alias, Config } from '../../policy/config.ts'
import { compareCalendar } from './calendar.ts'
import {
  type Change,
  compare,
  compareNamed,
  type Effect,
  inOrder,
  type Own,
  placeIn,
  type Rules,
  type Sides,
} from './changes.ts'
import { compareLabels } from './labels.ts'
import { compareModels } from './models.ts'
import { compareNotices } from './notices.ts'
import { comparePassthrough } from './passthrough.ts'
import { comparePlans } from './plans.ts'
import { comparePools } from './pools.ts'
import { compareRoutes } from './routes.ts'
import { compareSettings } from './settings.ts'
import { compareTools } from './tools.ts'

/**
 * The changes in meaning from one configuration to another: those that clients feel most come first. Texts, places
 * and orders that mean the same are no change. No secret is shown.
 */
export function diff(sides: Sides): readonly Change[] {
  const all = [...Object.values(PARTS).flatMap(compare => compare(sides)), ...compareSettings(sides)]
  const isKnown = ({ from, to, text }: Change) => ![from ?? '', to ?? '', text].some(sides.isUnknown)
  return inOrder(all.filter(isKnown))
}

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
  labels: compareLabels,
  notices: compareNotices,
  calendar: compareCalendar,
  // Made of the texts, of the routes, and of the models.
  revision: nothing,
  matchers: nothing,
  hasShares: nothing,
  declared: nothing,
  // Made of the plans and of the settings, which say what changed.
  servicePlans: nothing,
}

/** Changes of the models that aliases name. */
function compareAliases({ before, after }: Sides): readonly Change[] {
  const subject = (name: string) => `alias ${name}`
  return compareNamed(before.loaded.config.aliases, after.loaded.config.aliases, after.loaded, {
    subject,
    gone: ({ name }) => ({ field: 'aliases', from: name, to: null, text: `alias ${name} is gone`, effect: 'lost' }),
    added: ({ name, model }) => {
      return { field: 'aliases', from: null, to: name, text: `alias ${name} is new, for ${model.name}`, effect: 'more' }
    },
    stayed: (alias, next) => compare<Own<Alias>>(ALIAS, subject(next.name), [alias, next], () => next.at),
  })
}

const ALIAS: Rules<Own<Alias>> = {
  model: ({ name: from }, { name: to }, subject) =>
    from === to ? [] : [{ field: 'aliases', from, to, text: `${subject} now stands for ${to}`, effect: 'other' }],
}

/** The change of the model for requests that name none. */
function compareDefaultModel(sides: Sides): readonly Change[] {
  return compareChoice(sides, 'default_model', ({ defaultModel }) => defaultModel.name, {
    changed: (from, to) => `a request that names no model is now for ${to}, no longer for ${from}`,
  })
}

/** The plan of accounts that have no other. */
function compareDefaultPlan(sides: Sides): readonly Change[] {
  return compareChoice(sides, 'identity.default_plan', ({ defaultPlan }) => defaultPlan?.name, {
    changed: (from, to) => `accounts without a plan of their own are now on plan ${to}, no longer on ${from}`,
  })
}

/** The plan of devices without an account. */
function compareGuestPlan(sides: Sides): readonly Change[] {
  return compareChoice(sides, 'guests.plan', ({ guestPlan }) => guestPlan?.name, {
    changed: (from, to) => `guests are now on plan ${to}, no longer on ${from}`,
    added: to => `guests are admitted, on plan ${to}`,
    gone: () => 'guests are no longer admitted',
  })
}

interface Choice {
  readonly changed: (from: string, to: string) => string
  readonly added?: (to: string) => string
  readonly gone?: (from: string) => string
}

function compareChoice(
  { before, after }: Sides,
  path: string,
  of: (config: Config) => string | undefined,
  { changed, added, gone }: Choice,
): readonly Change[] {
  const [from, to] = [of(before.loaded.config), of(after.loaded.config)]
  if (from === to) return []
  const [subject = ''] = path.split('.')
  const told = (text: string | undefined, effect: Effect): readonly Change[] =>
    text === undefined
      ? []
      : [{ subject, field: path, from: from ?? null, to: to ?? null, text, effect, at: placeIn(after.loaded, path) }]
  if (from === undefined) return told(to === undefined ? undefined : added?.(to), 'more')
  return to === undefined ? told(gone?.(from), 'lost') : told(changed(from, to), 'other')
}
