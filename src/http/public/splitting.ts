import type { Identified } from '../../gateway/accounts/identified.ts'
import { SPLITTING } from '../../gateway/accounts/label-sums.ts'
import type { HttpCall } from '../listener/call.ts'
import type { ClientApp } from './client-app.ts'

/** Answers a call that may split usage by labels, unless the account has too many of these. */
export async function splitting(
  { store }: Pick<ClientApp, 'store'>,
  call: HttpCall,
  { account }: Pick<Identified['caller'], 'account'>,
  answer: () => Promise<void>,
): Promise<void> {
  const leave = SPLITTING.take(store.ledger, account)
  if (typeof leave === 'string') return call.deny({ code: 'OVERLOADED', of: `${leave}_splits` })
  try {
    await answer()
  } finally {
    leave()
  }
}
