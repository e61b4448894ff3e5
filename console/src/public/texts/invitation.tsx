export const title = 'You are invited to an account'
export const about =
  'The operator opened it for you. From now on your sign-in leads to it: you see its usage and its bills, and manage its keys. Join only if you expected this link.'
export const door = 'You are invited to an account. Sign in to join it.'
export const join = 'Join the account'
export const leaveAndJoin = 'Leave my account and join'
export const owns =
  'You have an account here already, and accounts are never merged. Its keys keep working and its usage stays there, but your sign-in will no longer lead to it.'
export const notNow = 'Not now'
export const joined = (label: string) => `You have joined ${label}`
export const needed = 'Your account is waiting for you'
export const keysWork = 'Keys that you have from the operator keep working.'
export const signOut = 'Sign out'
