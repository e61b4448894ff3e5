import type { ComponentChildren } from 'preact'

export const title = 'View with a key'
export const about =
  'See what a key, even a guest’s, may do: its limits, requests and models, with a place to try them. The key stays in this page’s memory. Creating and revoking keys needs a sign-in.'
export const key = 'Key'
export const look = 'Look'
export const ofKey = (key: ComponentChildren) => (
  <>You are using the key {key}; sign in to create, rotate or revoke keys.</>
)
export const ofGuest = (key: ComponentChildren) => (
  <>You are using the key of a guest ({key}). Sign in to use your account's plan.</>
)
