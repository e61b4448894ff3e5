import type { ComponentChildren } from 'preact'

export const operator = (brand: ComponentChildren) => (
  <>
    <bdi>{brand}</bdi> operator
  </>
)
export const theAccountsRequestsPools = 'The accounts, requests, pools and revisions of this gateway.'
export const thisPageCameWithout =
  'This page is not encrypted, so others on the network can read what it sends. Open it over https, or through an SSH tunnel to this port.'
export const signInWith = (host: ComponentChildren) => <>Sign in with {host}</>
export const thisCommandPrints = 'This command prints a link that signs you in. It works once, for one minute.'
export const useTheAdminToken = 'Use the admin token'
export const adminToken = 'Admin token'
export const yourName = 'Your name, for the audit'
export const signIn = 'Sign in'
export const itIsExchanged = 'It is exchanged for a 12-hour session, and not stored.'
