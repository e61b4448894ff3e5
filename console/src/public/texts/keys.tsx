import type { ComponentChildren } from 'preact'

export const about =
  "A key works on every endpoint, on your account's plan. Limits and quota are shared by all your keys. You can set lower limits per key."
export const create = 'Create key'
export const existing = 'You already have a key with this name: rotate it for a new value.'
export const revoked = 'Key revoked'
export const none = 'No active keys'
export const noneYet = 'Create one to call the API. It is shown only once.'
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
