import type { ComponentChildren } from 'preact'

export const changesTheNewestFirst = 'Changes, the newest first'
export const time = 'Time'
export const by = 'By'
export const change = 'Change'
export const account = 'Account'
export const before = 'Before'
export const after = 'After'
export const changedBy = (value: ComponentChildren, byLabel: ComponentChildren) => (
  <>
    <bdi>{value}</bdi>
    <br />
    by <bdi>{byLabel}</bdi>
  </>
)
export const audit = 'Audit'
export const findAccount = 'Account  /'
export const allChanges = 'All changes'
export const find = 'Find'
export const whoChangedKeysAccounts =
  'Who changed keys, accounts, pools and the files that serve, and what was before. Times are UTC.'
export const noSuchChange = 'No such change'
export const nothingWasChangedSo = 'Nothing was changed so.'
export const nothingWasChangedYet = 'Nothing was changed yet.'
export const older = 'Older'
