import type { ComponentChildren } from 'preact'

export const frozen = 'Your account is frozen: nothing is served until the operator thaws it. Your keys stay.'
export const planGone = (plan: ComponentChildren) => (
  <>Your plan {plan} is gone. Nothing is served until the operator puts the account on another one; your keys stay.</>
)
