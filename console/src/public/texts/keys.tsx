import type { ComponentChildren } from 'preact'

export const about =
  'A key works on every endpoint, at the plan of your account. Its limits and quota hold for all keys together: a new key resets nothing. A key may have limits of its own beside them.'
export const create = 'Create key'
export const existing = 'There is such a key already: rotate it for a new value.'
export const revoked = 'Key revoked'
export const none = 'No active key'
export const noneYet = 'Create one to call the API. Its value is shown once.'
export const withName = 'With a name…'
export const useIt = 'Use it'
export const activeKeys = 'Active keys'
export const active = 'Active'
export const limits = 'Limits…'
export const rotate = 'Rotate…'
export const revoke = 'Revoke…'
export const created = (at: ComponentChildren) => <>created {at}</>
export const plan = (plan: string) => `plan ${plan}`
export const ends = (at: ComponentChildren) => <>ends {at}</>
export const rotatedEnds = (at: ComponentChildren) => <>rotated, ends {at}</>
export const unused = 'not used yet'
export const lastUsed = (at: ComponentChildren) => <>last used {at}</>
export const only = (models: string) => `only ${models}`
export const from = (addresses: string) => `from ${addresses}`
export const ended = 'Ended'
export const key = 'Key'
export const endedBy = 'Ended by'
export const createdOn = 'Created'
export const endings = { rotated: 'Rotation', revoked: 'Revocation', expired: 'Its time' } as Readonly<
  Record<string, string>
>
