import type { ComponentChildren } from 'preact'

export const title = 'Look with a key'
export const about =
  'It shows what a key may do, a guest’s too: limits, requests, models, and a place to try them. It stays in the memory of this page. Keys are made and revoked with a sign-in.'
export const key = 'Key'
export const look = 'Look'
export const ofKey = (key: ComponentChildren) => (
  <>You look with the key {key}. Keys are made, rotated and revoked with a sign-in.</>
)
export const ofGuest = (key: ComponentChildren) => (
  <>
    You look with the key of a guest, {key}: what it may do is below. Guests have a plan of their own; an account of
    yours has more.
  </>
)
