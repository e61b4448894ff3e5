import './data.css'

// All pages but the first: they are loaded together once one of them is opened.
export { Accounts } from './accounts/accounts.tsx'
export { Audit } from './audit.tsx'
export { Fleet } from './fleet.tsx'
export { Incidents } from './incidents.tsx'
export { Invoices } from './invoices/invoices.tsx'
export { Plans } from './plans.tsx'
export { Pools } from './pools.tsx'
export { Requests } from './requests.tsx'
export { Revisions } from './revisions/revisions.tsx'
export { Usage } from './usage/usage.tsx'
