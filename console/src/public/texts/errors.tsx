import type { ComponentChildren } from 'preact'

export const find = 'Find an error'
export const about = 'Each error is JSON with a code. With the request id, the operator can find out what happened.'
export const keys = (link: (text: string) => ComponentChildren) => (
  <>No key yet? {link('Create a key')} after a sign-in.</>
)
export const none = 'No error matches.'
export const retry = 'Retry'
export const todo = 'What to do'
