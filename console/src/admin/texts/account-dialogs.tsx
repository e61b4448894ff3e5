import type { ComponentChildren } from 'preact'

export const theAuditWillName = (by: ComponentChildren) => (
  <>
    The audit will name <bdi>{by}</bdi>.
  </>
)
export const removeTheLimitOf = (counted: string | number) => `Remove the limit of ${counted}`
export const removeLimit = 'Remove limit'
export const limitRemoved = 'Limit removed'
export const thePlanAloneSays = "The plan's limit applies again, from the next request on."
export const revoke = (name: string | number) => `Revoke ${name}`
export const revokeKey = 'Revoke key'
export const keyRevoked = 'Key revoked'
export const whateverUses = 'Requests with this key are refused from now on. This cannot be undone.'
export const inviteTo = (label: string | number) => `Invite a person to ${label}`
export const makeLink = 'Make link'
export const linkMade = 'Link made'
export const whoOpensTheLink =
  'The person who opens the link signs in and joins this account: its usage, bills and keys. It works once, within 24 hours, and replaces any earlier link.'
export const freeze = (label: string | number) => `Freeze ${label}`
export const freezeNow = 'Freeze'
export const frozen = 'Frozen'
export const fromTheNextRequest = (
  <>
    All further requests are refused with 403 <code>ACCOUNT_FROZEN</code>, whatever key or sign-in sends them. Keys,
    plan and usage stay. To stop one leaked key only, revoke it.
  </>
)
export const thaw = (label: string | number) => `Thaw ${label}`
export const thawNow = 'Thaw'
export const thawed = 'Thawed'
export const itIsServedAgain = 'Its requests are served again. Keys, plan and usage are unchanged.'
export const grantCreditTo = (label: string | number) => `Grant credit to ${label}`
export const grant = 'Grant'
export const itIsAdded = 'The amount is added to the limit of this window only. A negative amount takes credit back.'
export const overageOf = (label: string | number) => `Overage of ${label}`
export const setOverage = 'Set overage'
export const whetherItIsServed = "Whether requests beyond this window's quota are served, from the next request on."
export const overage = 'Overage'
export const asItsPlanSays = 'From plan'
export const offTheQuota = 'Off: stop at the quota'
export const onWithoutAnEnd = 'On: unlimited'
export const upToAnAmount = 'Up to an amount'
export const mintAKeyFor = (label: string | number) => `Mint a key for ${label}`
export const mintKey = 'Mint key'
export const itsValueIsShown = "The key is shown only once. Without a name, it is the account's first key."
export const name = 'Name'
export const ends = 'Ends'
export const rotateKeyOf = (name: string | number) => `Rotate ${name}`
export const rotateKey = 'Rotate key'
export const aNewValueTakes =
  'A new key replaces it and is shown only once. Name, expiry and restrictions stay the same.'
export const theValueBefore = 'Old key'
export const granted = 'Granted'
export const overageSet = 'Overage set'
export const keyMinted = 'Key minted'
export const keyRotated = 'Key rotated'
export const never = 'Never'
export const in30Days = 'In 30 days'
export const in90Days = 'In 90 days'
export const inAYear = 'In a year'
export const isRefusedAtOnce = 'Stops at once'
export const worksForAnotherHour = 'Works for another hour'
export const worksForAnotherDay = 'Works for another day'
export const worksForAnotherWeek = 'Works for another week'
export const usDollars = 'US dollars'
export const setTheOrgOf = (label: string | number) => `Set the org of ${label}`
export const setOrg = 'Set org'
export const theLimits =
  "An org's limits count all of its accounts together, and freezing it freezes them all. The first account creates the org."
export const org = 'Org'
export const orgAcmeNoneWhere = 'org:acme; leave empty for none'
export const itBelongs = 'Removed from its org'
export const itBelongsTo = (org: string | number) => `It belongs to ${org}`
export const thePlan = 'The plan comes from its sign-in again'
export const onPlan = (chosen: string | number) => `On plan ${chosen}`
export const setThePlanOf = (label: string | number) => `Set the plan of ${label}`
export const setPlan = 'Set plan'
export const itHolds = 'It applies to the next request, whatever its sign-in says.'
export const plan = 'Plan'
export const asItsSign = 'From sign-in, or the default'
