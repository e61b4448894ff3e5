import type { Alias, Config } from '../../policy/config.ts'
import { compareNamed, placeIn, type Sides } from './named.ts'
import { type Change, compare, type Effect, type Own, type Rules } from './rule.ts'

/** What generic names stand for. */
export function compareAliases({ before, after }: Sides): readonly Change[] {
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

/** What a request that names no model is for. */
export const compareDefaultModel = (sides: Sides): readonly Change[] =>
  compareChoice(sides, 'default_model', ({ defaultModel }) => defaultModel.name, {
    changed: (from, to) => `a request that names no model is now for ${to}, no longer for ${from}`,
  })

/** The plan of accounts that have no other. */
export const compareDefaultPlan = (sides: Sides): readonly Change[] =>
  compareChoice(sides, 'identity.default_plan', ({ defaultPlan }) => defaultPlan?.name, {
    changed: (from, to) => `accounts without a plan of their own are now on plan ${to}, no longer on ${from}`,
  })

/** The plan of devices without an account. */
export const compareGuestPlan = (sides: Sides): readonly Change[] =>
  compareChoice(sides, 'guests.plan', ({ guestPlan }) => guestPlan?.name, {
    changed: (from, to) => `guests are now on plan ${to}, no longer on ${from}`,
    added: to => `guests are let in, on plan ${to}`,
    gone: () => 'guests are no longer let in',
  })

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
