export const title = 'Notices'
export const about = 'Get notified before a limit is used up.'
export const at = 'Notify at'
export const percent = (value: number) => `${value}%`
export const mail = 'Mail address'
export const unconfirmed = (address: string) => `Open the link in the mail to ${address} to confirm it.`
export const withdraw = 'Withdraw this address'
export const keep = (address: string) => `Keep ${address}`
export const none = 'Choose at least one percentage, or remove the addresses.'
export const webhook = 'Webhook'
export const secretName = 'Secret'
export const secret = 'This secret signs the notices of the webhook. It is shown once:'
export const save = 'Save'
export const saved = 'Saved.'
