import type { ComponentChildren } from 'preact'

export const find = 'Find an error'
export const about = 'Each error is JSON with a code. The operator finds what happened by the request id.'
export const keys = (link: (text: string) => ComponentChildren) => (
  <>No key yet? {link('Create a key')} after a sign-in.</>
)
export const none = 'No error says that.'
export const retry = 'Retry'
export const todo = 'What to do'
