import './pages.css'

/** The pages that are not asked for at once, in one file: many small ones would be larger. */
export { Billing } from './billing/billing.tsx'
export { DevicePage } from './device.tsx'
export { Errors } from './errors.tsx'
export { Invitation, InvitationNeeded } from './invitation.tsx'
export { Keys } from './keys/keys.tsx'
export { Models } from './models.tsx'
export { Requests } from './requests/requests.tsx'
export { Try } from './try/try.tsx'
