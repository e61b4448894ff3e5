import type { ComponentChildren } from 'preact'

export const account = 'Account'
export const id = 'Id'
export const invoices = 'Invoices'
export const wouldThisBeServed = 'Would a request be served?'
export const allAccounts = 'All accounts'
export const last48Hours = 'Last 48 hours'
export const noUsageInTheseHours = 'No usage in the last 48 hours.'
export const lastRequests = 'Last requests'
export const allOf30Days = 'All 30 days'
export const noneIn30Days = 'None in the last 30 days.'
export const changes = 'Changes'
export const nothingWasChangedYet = 'No changes yet.'
export const setPlan = 'Set plan…'
export const askOrg = 'Org…'
export const askInvite = 'Invite…'
export const isInvited = (end: ComponentChildren) => <>An invitation is open and expires {end}.</>
export const grant = 'Grant…'
export const askOverage = 'Overage…'
export const thaw = 'Thaw…'
export const freeze = 'Freeze…'
export const thisAccountIsFrozen = 'This account is frozen'
export const allOfIsFrozen = (org: string | number) => `All of ${org} is frozen`
export const nothingIsServed = (frozen: ComponentChildren) => (
  <>{frozen}: all its requests are refused. Keys, plan and usage stay as they are.</>
)
export const theFilesDeclare =
  "The files no longer declare this account's plan. Its requests are refused until it is on another plan."
export const whatItMayUse = 'Plan and spend'
export const plan = 'Plan'
export const spentThisWindow = 'Spent this window'
export const ofItGranted = (grantedUsd: string | number) => `${grantedUsd} of it granted`
export const reserved = (heldUsd: string | number) => `${heldUsd} reserved`
export const resets = (time: ComponentChildren) => <>resets {time}</>
export const overageTitle = 'Overage'
export const orgTitle = 'Org'
export const accountSince = (time: ComponentChildren) => <>account opened {time}</>
export const none = 'none'
export const setByAnOperator = 'set by an operator'
export const asItsPlanSays = 'from plan'
