import type { ComponentChildren } from 'preact'

export const frozen =
  'Your account is frozen: all requests are refused until the operator unfreezes it. Your keys are kept.'
export const planGone = (plan: ComponentChildren) => (
  <>Your plan {plan} is gone. Nothing is served until the operator puts the account on another one; your keys stay.</>
)
