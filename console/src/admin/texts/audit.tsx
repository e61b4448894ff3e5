import type { ComponentChildren } from 'preact'

export const changesTheNewestFirst = 'Changes, newest first'
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
  'Who changed keys, accounts, pools and the configuration, with the values before. Times are UTC.'
export const noSuchChange = 'No matching changes'
export const nothingWasChangedSo = 'No changes match these filters.'
export const noChangeYet = 'No changes yet'
export const whatBeginsTheAudit =
  'Each change to keys, accounts, pools and the configuration appears here, made in this console or by a command.'
export const older = 'Older'
