import type { ComponentChildren } from 'preact'

export const hint = 'Account, e-mail, key, request id, model or pool'
export const keys = 'Keys'
export const models = 'Models'
export const aliasOf = (model: string) => `alias of ${model}`
export const frozen = 'frozen'
export const thereMayBeMore = 'There may be more: a search looks at 2,000 accounts.'
export const findAnyKey = (command: ComponentChildren) => (
  <>
    <code>{command}</code> finds any key.
  </>
)
export const lookThroughAllAccounts = 'Look through all accounts'
