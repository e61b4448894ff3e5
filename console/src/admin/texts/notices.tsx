export const about = 'Messages about limits and events, and whether they arrived.'
export const waiting = (count: string) => `Waiting: ${count}`
export const none = 'No notices'
export const noneYet = 'Set notices or customer_notices in the configuration.'
export const noneSo = 'No notices in this state.'
export const newest = 'Notices, newest first'
export const all = 'All notices'
export const states = ['waiting', 'failed']
export const state = 'State'
export const notice = 'Notice'
export const target = 'Target'
export const at = 'At'
export const tries = 'Tries'
export const again = 'Send again'
export const allAgain = 'Send what did not arrive'
export const sending = (count: string) => `Sent again: ${count}`
export const test = 'Send a test'
export const took = (name: string) => `${name} accepted the test.`
export const refused = (name: string, error: string) => `${name} did not accept the test: ${error}`
export const more = 'svcctl notices list --limit 1000 shows older ones.'
