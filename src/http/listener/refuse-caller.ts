import type { Identified } from '../../gateway/accounts/identified.ts'
import type { Refusal } from '../../gateway/admission/admit.ts'
import type { HttpCall } from './call.ts'

/** Refuses a request of a caller. One that is recalled is looked up before, so that a key that ended learns that alone. */
export async function refuseCaller(
  call: HttpCall,
  { confirm }: Pick<Identified, 'confirm'>,
  { denial, rate }: Refusal,
): Promise<void> {
  const confirmed = await confirm?.()
  if (confirmed && 'denial' in confirmed) call.deny(confirmed.denial)
  else call.deny(denial, rate)
}
