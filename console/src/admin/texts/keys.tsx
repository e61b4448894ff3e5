export const keys = 'Keys'
export const mintKey = 'Mint key…'
export const itHasNoKey = 'No keys.'
export const key = 'Key'
export const state = 'State'
export const created = 'Created'
export const lastUsed = 'Last used'
export const ends = 'Ends'
export const actions = 'Actions'
export const replacedWorksOn = 'replaced, in its grace period'
export const rotate = 'Rotate…'
export const revoke = 'Revoke…'
export const only = (value: string | number) => `only ${value}`
export const fromIt = (value: string | number) => `from ${value}`
export const responsesApart = 'responses apart'
export const ofItsOwn = (length: string | number, value: string | number) => `${length} ${value} of its own`
export const never = 'never'
