import type { ComponentChildren } from 'preact'

export const accounts = 'Accounts'
export const account = 'Account'
export const plan = 'Plan'
export const spentThisWindow = 'Spent this window'
export const overage = 'Overage'
export const org = 'Org'
export const keys = 'Keys'
export const keysFrozen = ', frozen'
export const nothing = 'nothing'
export const isFrozen = 'frozen'
export const of = (usedUsd: string | number, value: string | number) => `${usedUsd} of ${value}`
export const upTo = (capUsd: string | number) => `up to ${capUsd}`
export const findAnAccount = 'Find an account'
export const labelIdOrKey = 'Label, id or key  /'
export const allPlans = 'All plans'
export const order = 'Order'
export const whatEachMayUse = 'Limits and usage in the current window'
export const thoseOf = (org: ComponentChildren) => (
  <>
    {' '}
    Those of <bdi>{org}</bdi>.
  </>
)
export const byLabel = 'By label'
export const mostSpentFirst = 'Most spent first'
export const newestFirst = 'Newest first'
export const noAccount = 'No account yet'
export const noAccountOfThese = 'No account matches'
export const accountsBeginWithTheir =
  'People who sign in get an account automatically. Open one for anybody else: it starts with a first key, and you can invite a person to join it.'
export const newAccount = 'New account…'
export const openAccount = 'Open an account'
export const mintFirstKey = 'Mint its first key'
export const itBegins =
  'It begins with a key, which is shown once. Its owner needs no sign-in; an invitation on its page lets one join.'
export const choosePlan = 'Choose a plan'
export const label = 'Label'
export const labelHint = 'ada@example.com'
export const opened = 'Account opened'
export const alreadyThere = 'This account already exists'
export const more = 'More'
export const noAccountIsFound = 'No account matches. An account appears with its first sign-in, or with its first key.'
export const thereMayBeMore = 'There may be more.'
export const lookThroughAllAccounts = 'Search all accounts'
export const noPlan = 'no plan'
export const none = 'none'
