import type { ComponentChildren } from 'preact'

type LinkOf = (words: string) => ComponentChildren

export const title = 'First steps'
export const done = '(done)'
export const key = 'Create a key'
export const createKey = 'Create a key'
export const yourKeys = 'Your keys'
export const request = 'Send a request'
export const howTo = (keys: LinkOf, tryIt: LinkOf) => (
  <>
    Copy a command from {keys('Keys')}, or {tryIt('ask a model')} here.
  </>
)
export const seeIt = 'See your first request'
export const usage = 'See what it used'
export const aMomentLater = 'Spend, tokens and requests appear on this page within a minute.'
export const waiting = 'Waiting for the first request…'
export const arrived = (link: (words: string) => ComponentChildren) => <>The first request arrived. {link('See it')}</>
