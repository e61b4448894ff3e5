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
export const whatEachMayUse = 'What each may use and has used of this window.'
export const thoseOf = (org: ComponentChildren) => (
  <>
    {' '}
    Those of <bdi>{org}</bdi>.
  </>
)
export const byLabel = 'By label'
export const mostSpentFirst = 'Most spent first'
export const newestFirst = 'Newest first'
export const noAccount = 'No account'
export const accountsBeginWithTheir = 'Accounts begin with their first sign-in, or with their first key.'
export const more = 'More'
export const noAccountIsFound =
  'No account is found so. An account begins with its first sign-in, or with its first key.'
export const thereMayBeMore = 'There may be more.'
export const lookThroughAllAccounts = 'Look through all accounts'
export const noPlan = 'no plan'
export const none = 'none'
