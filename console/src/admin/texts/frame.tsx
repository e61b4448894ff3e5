import type { ComponentChildren } from 'preact'

export const command = 'Command'
export const fromIt = (file: ComponentChildren) => (
  <>
    From <code>{file}</code>
  </>
)
export const theSame = (command: ComponentChildren) => (
  <>
    The same in a terminal: <code>{command}</code>
  </>
)
export const live = 'Live'
export const requests = 'Requests'
export const pools = 'Pools'
export const fleet = 'Fleet'
export const usage = 'Usage'
export const invoices = 'Invoices'
export const accounts = 'Accounts'
export const plans = 'Plans'
export const revisions = 'Revisions'
export const audit = 'Audit'
export const incidents = 'Incidents'
export const notices = 'Notices'
export const theStoreDoesNot =
  'The store does not answer. Requests that need it are refused with 503 until it does. Nothing is lost, and this page retries by itself.'
export const whoIsThere = (role: string, host: string, number: number, revision: string) => (
  <>
    {role} at {host}
    <br />
    revision {number} <code>{revision}</code>
  </>
)
export const goOn = 'Resume'
export const pause = 'Pause'
export const supportMay =
  'Your role is support: you grant credit, and mint, rotate and revoke keys. Other changes need the role admin.'
export const viewerMay = 'Your role is viewer: you can view everything but change nothing.'
